import { CR, LF } from "./chars.ts";
import { HttpFault } from "./fault.ts";
import { MAX_HEAD_BYTES } from "./limits.ts";

/** Where a search for the end of a head stands. */
export interface HeadEnd {
  /** Index behind the blank line, or -1 while it has not arrived. */
  readonly end: number;
  /** Where the next search may begin, once more bytes are there. */
  readonly resumeAt: number;
}

/**
 * Finds the blank line that ends the head which begins at `start`. The only place that decides where a
 * head ends (RFC 9112 section 2.1); lines end in CRLF and in nothing else.
 *
 * @param from Where to begin looking: `start`, or the `resumeAt` of the search before.
 * @throws {HttpFault} for a line that ends in a bare LF, and for a head above {@link MAX_HEAD_BYTES}.
 */
export function findHeadEnd(
  bytes: Uint8Array,
  range: { start: number; from: number; end: number },
): HeadEnd {
  let at = range.from;
  while (true) {
    const lf = bytes.indexOf(LF, at);
    if (lf === -1 || lf >= range.end) {
      if (range.end - range.start > MAX_HEAD_BYTES) throw tooLarge();
      return { end: -1, resumeAt: range.end };
    }
    if (lf === range.start || bytes[lf - 1] !== CR) {
      throw new HttpFault("a line ends in LF without CR");
    }
    if (lf + 1 - range.start > MAX_HEAD_BYTES) throw tooLarge();
    if (lf - 2 > range.start && bytes[lf - 2] === LF) return { end: lf + 1, resumeAt: lf + 1 };
    at = lf + 1;
  }
}

/**
 * Index behind the empty lines that may precede a request line; RFC 9112 section 2.2 asks servers to
 * skip at least one, because old clients send one after a body.
 */
export function skipEmptyLines(bytes: Uint8Array, range: { start: number; end: number }): number {
  let at = range.start;
  while (at + 1 < range.end && bytes[at] === CR && bytes[at + 1] === LF) at += 2;
  return at;
}

function tooLarge(): HttpFault {
  return new HttpFault(`the head is larger than ${MAX_HEAD_BYTES} bytes`, "head_too_large");
}
