/** The bytes to look at. */
export interface SearchRange {
  readonly start: number;
  readonly end: number;
  /**
   * A WebSocket masking key, its first byte the lowest (RFC 6455 section 5.3): the bytes are searched as
   * if it had been taken off, `start` being the first byte of the payload.
   */
  readonly maskingKey?: number;
}

/**
 * Finds several literal byte strings at once: the window of Horspool's algorithm, as long as the
 * shortest of them, moves over the text by what its last byte allows, so that most bytes are never read.
 */
export class PlaceholderSearch {
  /** Length of the shortest placeholder, in bytes. */
  readonly shortest: number;
  /** Length of the longest placeholder, in bytes. */
  readonly longest: number;
  readonly #placeholders: readonly Uint8Array[];
  /** By the byte at the window's end: how far the window can move; 0 where a placeholder may stand. */
  readonly #shift: Uint32Array;
  /** The same for a window in which no placeholder stood after all. */
  readonly #shiftPast: Uint32Array;

  /** @param placeholders At least one, none empty, the longest first. */
  constructor(placeholders: readonly Uint8Array[]) {
    this.#placeholders = placeholders;
    this.longest = placeholders[0]!.length;
    this.shortest = placeholders.at(-1)!.length;
    const last = this.shortest - 1;
    this.#shiftPast = new Uint32Array(256).fill(this.shortest);
    for (const placeholder of placeholders) {
      for (let i = 0; i < last; i++) {
        const byte = placeholder[i]!;
        this.#shiftPast[byte] = Math.min(this.#shiftPast[byte]!, last - i);
      }
    }
    this.#shift = this.#shiftPast.slice();
    for (const placeholder of placeholders) this.#shift[placeholder[last]!] = 0;
  }

  /** Where the first placeholder stands, or -1. */
  find(bytes: Uint8Array, { start, end, maskingKey = 0 }: SearchRange): number {
    const last = this.shortest - 1;
    const shift = this.#shift;
    let at = start + last;
    while (at < end) {
      const byte = bytes[at]! ^ ((maskingKey >>> (((at - start) & 3) << 3)) & 0xff);
      const step = shift[byte]!;
      if (step !== 0) {
        at += step;
        continue;
      }
      if (this.#placeholderAt(bytes, at - last, { start, end, maskingKey }) !== -1) {
        return at - last;
      }
      at += this.#shiftPast[byte]!;
    }
    return -1;
  }

  /** The index of the longest placeholder that stands at `start`, whole before `end`; -1 for none. */
  indexAt(bytes: Uint8Array, range: { start: number; end: number }): number {
    return this.#placeholderAt(bytes, range.start, { ...range, maskingKey: 0 });
  }

  /**
   * The first place in the range from which on its bytes are the beginning of a longer placeholder, so
   * that only what follows can tell; the range's end when there is none.
   */
  openTail(bytes: Uint8Array, { start, end }: { start: number; end: number }): number {
    for (let at = Math.max(start, end - this.longest + 1); at < end; at++) {
      for (const placeholder of this.#placeholders) {
        if (placeholder.length <= end - at) break; // The others are no longer than this one.
        let i = at;
        while (i < end && bytes[i] === placeholder[i - at]) i++;
        if (i === end) return at;
      }
    }
    return end;
  }

  #placeholderAt(
    bytes: Uint8Array,
    at: number,
    { start, end, maskingKey }: Required<SearchRange>,
  ): number {
    for (let index = 0; index < this.#placeholders.length; index++) {
      const placeholder = this.#placeholders[index]!;
      if (placeholder.length > end - at) continue;
      let i = 0;
      while (
        i < placeholder.length &&
        (bytes[at + i]! ^ ((maskingKey >>> (((at + i - start) & 3) << 3)) & 0xff)) ===
          placeholder[i]
      ) i++;
      if (i === placeholder.length) return index;
    }
    return -1;
  }
}
