import { PlaceholderSearch } from "./placeholder_search.ts";
import { longestFirst, type Replacement } from "./replacement.ts";

/**
 * Replaces placeholders in bytes in one pass from the left, as `TextReplacer` does in text; values are
 * written as UTF-8. Immutable; a compiled service keeps it.
 */
export class ByteReplacer {
  readonly search: PlaceholderSearch;
  readonly #placeholderLengths: readonly number[];
  readonly #values: readonly Uint8Array[];

  /** @param replacements At least one. */
  constructor(replacements: readonly Replacement[]) {
    const encoder = new TextEncoder();
    const ordered = longestFirst(replacements);
    const placeholders = ordered.map(({ placeholder }) => encoder.encode(placeholder));
    this.search = new PlaceholderSearch(placeholders);
    this.#placeholderLengths = placeholders.map(({ length }) => length);
    this.#values = ordered.map(({ value }) => encoder.encode(value));
  }

  /** The bytes with every placeholder replaced; the same object when there is none. */
  replace(bytes: Uint8Array): Uint8Array {
    const pieces: Uint8Array[] = [];
    const rest = this.replaceInto(pieces, bytes, { start: 0, end: bytes.length });
    if (rest === 0) return bytes;
    pieces.push(bytes.subarray(rest));
    return concatenate(pieces);
  }

  /**
   * Adds what stands before and in place of each placeholder that begins before `end` to `pieces`, as
   * views, and gives the place from which on nothing was added.
   */
  replaceInto(
    pieces: Uint8Array[],
    bytes: Uint8Array,
    { start, end }: { start: number; end: number },
  ): number {
    let from = start;
    while (true) {
      const found = this.search.find(bytes, { start: from, end: bytes.length });
      if (found === -1 || found >= end) return from;
      if (found > from) pieces.push(bytes.subarray(from, found));
      const index = this.search.indexAt(bytes, { start: found, end: bytes.length });
      if (this.#values[index]!.length > 0) pieces.push(this.#values[index]!);
      from = found + this.#placeholderLengths[index]!;
    }
  }
}

function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
