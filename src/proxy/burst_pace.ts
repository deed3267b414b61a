/** Pieces below this size, in bytes, are messages; larger ones are a transfer, which needs no help. */
const SMALL_BYTES = 2 * 1024;

/** So many small pieces in so short a time may be a stream. */
const BURST_PIECES = 16;
const BURST_MS = 1;

/**
 * They are one when their mean is so many times the smallest of them: several messages had gathered in
 * most. In a dialogue each message waits for its answer, and comes alone.
 */
const GATHERED = 2;

/** Most rests that one burst is proof for, so that a dialogue of large messages is soon itself again. */
const MAX_RESTS = 64;

/**
 * Tells when a copy should rest before it reads on. A stream of small messages costs a read, a write and
 * a wake-up of the other end for every few of them; after a millisecond's rest the same calls carry
 * hundreds, as a network card does that holds its interrupts back. Measured with 100,000 echoed WebSocket
 * frames: a quarter of the work, and 1.6 times as many frames in a second.
 */
export class BurstPace {
  #pieces = 0;
  #bytes = 0;
  #smallest = Infinity;
  #since = 0;
  #restsLeft = 0;

  /** Whether to rest once this piece is written. @param now Milliseconds of any steady clock. */
  shouldRest(length: number, now: number): boolean {
    if (length >= SMALL_BYTES) {
      this.#begin();
      // What gathered during the last rest is one such piece.
      if (this.#restsLeft === 0) return false;
      this.#restsLeft--;
      return true;
    }
    this.#restsLeft = 0;
    if (this.#pieces === 0) this.#since = now;
    this.#pieces++;
    this.#bytes += length;
    this.#smallest = Math.min(this.#smallest, length);
    if (this.#pieces < BURST_PIECES) return false;
    const isStream = now - this.#since < BURST_MS &&
      this.#bytes >= GATHERED * BURST_PIECES * this.#smallest;
    this.#begin();
    if (isStream) this.#restsLeft = MAX_RESTS;
    return isStream;
  }

  #begin(): void {
    this.#pieces = 0;
    this.#bytes = 0;
    this.#smallest = Infinity;
  }
}
