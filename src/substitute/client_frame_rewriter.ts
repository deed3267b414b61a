import type { ByteReplacer } from "./byte_replacer.ts";
import {
  applyMask,
  BINARY,
  CONTINUATION,
  FIN_BIT,
  frameLength,
  headerLength,
  isMasked,
  isMinimalLength,
  maskingKeyAt,
  OPCODE_BITS,
  payloadLength,
  serializeTextFrame,
  UNFRAGMENTED_TEXT,
} from "./websocket_frame.ts";

/** Largest payload that is scanned: 1 MB (spec: Limits), read as 2^20 bytes, that size included. */
export const MAX_SCANNED_PAYLOAD_BYTES = 1024 * 1024;

/** First size of the buffer in which an incomplete frame waits; it doubles as bytes arrive. */
const INITIAL_HELD_BYTES = 512;

const NOTHING = new Uint8Array(0);

/** Fills the bytes with unpredictable ones, as `crypto.getRandomValues` does (RFC 6455 section 5.3). */
export type FillRandom = (bytes: Uint8Array<ArrayBuffer>) => unknown;

/** What becomes of a frame, as its header decides once it is complete. */
type Fate = "undecided" | "pass" | "scan";

/**
 * Replaces placeholders in the client's frames of one WebSocket connection (spec: Substitutions, 5), from
 * the first byte after the handshake on and however TCP cuts them. Scanned are masked, unfragmented text
 * frames without extension bits, up to {@link MAX_SCANNED_PAYLOAD_BYTES}; one in which something was
 * replaced is masked anew. All other bytes pass unchanged and in order, and without waiting but for the
 * end of a header. That goes for frames that break the standard too (unmasked, a length spelled too
 * long, text within a fragmented message): failing the connection is the server's part, and it can name
 * the fault only if it sees what the client sent. After a length that nobody can count to, no frame
 * boundary is known any more, and everything passes.
 */
export class ClientFrameRewriter {
  readonly #replacer: ByteReplacer;
  readonly #fillRandom: FillRandom;
  /** A frame that is not complete: the beginning of a header, or a text frame that is to be scanned. */
  #held: Uint8Array = NOTHING;
  #heldLength = 0;
  /** Payload bytes of the current frame that are still to pass; `Infinity` once boundaries are lost. */
  #passing = 0;
  /** A message was begun and its last fragment has not come (RFC 6455 section 5.4). */
  #fragmented = false;

  constructor(replacer: ByteReplacer, fillRandom: FillRandom) {
    this.#replacer = replacer;
    this.#fillRandom = fillRandom;
  }

  /**
   * What goes to the server after these bytes, in order. The pieces may be views of `bytes`: write them
   * before the buffer is used again.
   */
  push(bytes: Uint8Array): Uint8Array[] {
    const passed: Uint8Array[] = [];
    let at = this.#heldLength === 0 ? 0 : this.#resume(bytes, passed);
    let unchangedFrom = at;
    while (at < bytes.length) {
      if (this.#passing > 0) {
        const count = Math.min(this.#passing, bytes.length - at);
        this.#passing -= count;
        at += count;
        continue;
      }
      const fate = this.#fateOf(bytes, at);
      if (fate === "pass") {
        this.#startPassing(bytes, at);
        at += headerLength(bytes, at);
        continue;
      }
      const end = fate === "scan" ? at + frameLength(bytes, at) : Infinity;
      if (end > bytes.length) break;
      const rewritten = this.#rewrite(bytes, { start: at, end });
      if (rewritten !== undefined) {
        if (at > unchangedFrom) passed.push(bytes.subarray(unchangedFrom, at));
        passed.push(rewritten);
        unchangedFrom = end;
      }
      at = end;
    }
    if (at > unchangedFrom) {
      const all = unchangedFrom === 0 && at === bytes.length;
      passed.push(all ? bytes : bytes.subarray(unchangedFrom, at));
    }
    if (at < bytes.length) this.#hold(bytes.subarray(at));
    return passed;
  }

  /** What was held back, unchanged, now that the client sends nothing more. */
  flush(): Uint8Array[] {
    return this.#heldLength === 0 ? [] : [this.#release()];
  }

  /** Completes the frame that is held as far as `bytes` reach; gives the place up to which they did. */
  #resume(bytes: Uint8Array, passed: Uint8Array[]): number {
    let at = 0;
    const holdUntil = (wanted: number): boolean => {
      const count = Math.min(wanted - this.#heldLength, bytes.length - at);
      this.#hold(bytes.subarray(at, at + count));
      at += count;
      return this.#heldLength === wanted;
    };
    if (this.#heldLength < 2 && !holdUntil(2)) return at;
    const header = headerLength(this.#held, 0);
    if (this.#heldLength < header && !holdUntil(header)) return at;
    if (this.#fateOf(this.#held, 0) === "pass") {
      this.#startPassing(this.#held, 0);
      passed.push(this.#release());
    } else if (holdUntil(frameLength(this.#held, 0))) {
      const frame = this.#release();
      passed.push(this.#rewrite(frame, { start: 0, end: frame.length }) ?? frame);
    }
    return at;
  }

  #fateOf(bytes: Uint8Array, at: number): Fate {
    const available = bytes.length - at;
    if (available < 2 || available < headerLength(bytes, at)) return "undecided";
    if (bytes[at] !== UNFRAGMENTED_TEXT || this.#fragmented) return "pass";
    const length = payloadLength(bytes, at);
    const scannable = isMasked(bytes, at) && isMinimalLength(bytes, at) && length !== undefined &&
      length >= this.#replacer.search.shortest && length <= MAX_SCANNED_PAYLOAD_BYTES;
    return scannable ? "scan" : "pass";
  }

  #startPassing(bytes: Uint8Array, at: number): void {
    this.#passing = payloadLength(bytes, at) ?? Infinity;
    // Control frames may stand between the fragments of a message; only its last fragment ends it.
    const opcode = bytes[at]! & OPCODE_BITS;
    if (bytes[at]! >= FIN_BIT) this.#fragmented &&= opcode !== CONTINUATION;
    else this.#fragmented ||= opcode <= BINARY;
  }

  /** The frame with its placeholders replaced; `undefined` when that leaves it as it was. */
  #rewrite(
    bytes: Uint8Array,
    { start, end }: { start: number; end: number },
  ): Uint8Array | undefined {
    const payloadStart = start + headerLength(bytes, start);
    const maskingKey = maskingKeyAt(bytes, payloadStart - 4);
    const range = { start: payloadStart, end, maskingKey };
    if (this.#replacer.search.find(bytes, range) === -1) return undefined;
    const payload = bytes.slice(payloadStart, end);
    applyMask(payload, maskingKey);
    const replaced = this.#replacer.replace(payload);
    if (isEqual(replaced, payload)) return undefined;
    const freshKey = new Uint8Array(4);
    this.#fillRandom(freshKey);
    return serializeTextFrame(replaced, freshKey);
  }

  #hold(bytes: Uint8Array): void {
    const length = this.#heldLength + bytes.length;
    if (length > this.#held.length) {
      const larger = new Uint8Array(Math.max(length, this.#held.length * 2, INITIAL_HELD_BYTES));
      larger.set(this.#held.subarray(0, this.#heldLength));
      this.#held = larger;
    }
    this.#held.set(bytes, this.#heldLength);
    this.#heldLength = length;
  }

  /** Gives what is held away, buffer and all, so that a later frame cannot overwrite it. */
  #release(): Uint8Array {
    const bytes = this.#held.subarray(0, this.#heldLength);
    this.#held = NOTHING;
    this.#heldLength = 0;
    return bytes;
  }
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
