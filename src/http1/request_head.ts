import { CR, IS_TARGET, IS_TOKEN, SP } from "./chars.ts";
import { HttpFault } from "./fault.ts";
import { decode, parseFields } from "./fields.ts";
import type { HeaderList } from "./headers.ts";
import { MAX_METHOD_LENGTH } from "./limits.ts";

/** Minor version of HTTP/1. */
export type MinorVersion = 0 | 1;

/** A request's head as it stood on the wire. */
export interface RequestHead {
  readonly method: string;
  /** The request target, one character a byte, in whichever of the four forms it came. */
  readonly target: string;
  readonly minorVersion: MinorVersion;
  readonly headers: HeaderList;
}

/**
 * Reads the request head in `bytes[start, end)`, whose end {@link findHeadEnd} found (RFC 9112
 * section 3).
 *
 * @throws {HttpFault} for anything but `method SP target SP HTTP/1.0|1.1 CRLF` and valid fields.
 */
export function parseRequestHead(
  bytes: Uint8Array,
  range: { start: number; end: number },
): RequestHead {
  let at = range.start;
  while (IS_TOKEN[bytes[at]!] === 1) at++;
  if (at === range.start || bytes[at] !== SP) {
    throw new HttpFault("the request line does not begin with a method");
  }
  if (at - range.start > MAX_METHOD_LENGTH) throw new HttpFault("the method is too long");
  const methodEnd = at;
  const targetStart = ++at;
  while (IS_TARGET[bytes[at]!] === 1) at++;
  if (at === targetStart || bytes[at] !== SP) {
    throw new HttpFault("the request target is empty or contains a blank or control character");
  }
  const targetEnd = at;
  const minorVersion = parseVersion(bytes, at + 1);
  const lineEnd = at + 1 + VERSION_LENGTH;
  if (minorVersion === undefined || bytes[lineEnd] !== CR) {
    throw new HttpFault("the request line does not end in HTTP/1.0 or HTTP/1.1");
  }
  const decoded = decode(bytes, range);
  const { text, base } = decoded;
  return {
    method: text.slice(0, methodEnd - base),
    target: text.slice(targetStart - base, targetEnd - base),
    minorVersion,
    headers: parseFields(bytes, { start: lineEnd + 2, end: range.end - 2 }, decoded),
  };
}

/** Length of `HTTP/1.1`. */
export const VERSION_LENGTH = 8;

const VERSION_PREFIX = [0x48, 0x54, 0x54, 0x50, 0x2f, 0x31, 0x2e] as const;

/** The minor version at `at`, or `undefined` where no `HTTP/1.0` or `HTTP/1.1` stands. */
export function parseVersion(bytes: Uint8Array, at: number): MinorVersion | undefined {
  for (let i = 0; i < VERSION_PREFIX.length; i++) {
    if (bytes[at + i] !== VERSION_PREFIX[i]) return undefined;
  }
  const minor = bytes[at + VERSION_PREFIX.length];
  if (minor === 0x31) return 1;
  return minor === 0x30 ? 0 : undefined;
}
