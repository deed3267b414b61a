import type { ByteReplacer } from "./byte_replacer.ts";

const NOTHING = new Uint8Array(0);

/**
 * Replaces placeholders in bytes that arrive in pieces. However they are cut, all that
 * {@link StreamReplacer.push} and {@link StreamReplacer.flush} give is what `ByteReplacer.replace` gives
 * for the whole. It holds back no more than the beginning of one placeholder.
 */
export class StreamReplacer {
  readonly #replacer: ByteReplacer;
  #held: Uint8Array = NOTHING;

  constructor(replacer: ByteReplacer) {
    this.#replacer = replacer;
  }

  /** What can be passed on after this piece. Most of it are views of the piece, not copies. */
  push(piece: Uint8Array): Uint8Array[] {
    const bytes = this.#held.length === 0 ? piece : joined(this.#held, piece);
    const passed: Uint8Array[] = [];
    let from = 0;
    while (true) {
      const tail = this.#replacer.search.openTail(bytes, { start: from, end: bytes.length });
      from = this.#replacer.replaceInto(passed, bytes, { start: from, end: tail });
      if (from > tail) continue; // The tail was part of a placeholder that began before it.
      if (tail > from) passed.push(bytes.subarray(from, tail));
      this.#held = tail === bytes.length ? NOTHING : bytes.slice(tail);
      return passed;
    }
  }

  /** What was held back, now that nothing follows. */
  flush(): Uint8Array[] {
    const rest = this.#replacer.replace(this.#held);
    this.#held = NOTHING;
    return rest.length === 0 ? [] : [rest];
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
