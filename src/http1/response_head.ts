import { CR, IS_FIELD_VALUE, LF, SP } from "./chars.ts";
import { HttpFault } from "./fault.ts";
import { decode, parseFields } from "./fields.ts";
import type { HeaderList } from "./headers.ts";
import { type MinorVersion, parseVersion, VERSION_LENGTH } from "./request_head.ts";

/** A response's head as it stood on the wire. */
export interface ResponseHead {
  readonly minorVersion: MinorVersion;
  /** 100 to 599. */
  readonly status: number;
  readonly reason: string;
  readonly headers: HeaderList;
}

/**
 * Reads the response head in `bytes[start, end)` (RFC 9112 section 4). The blank before an empty
 * reason may be missing, as many servers leave it out.
 *
 * @throws {HttpFault} for anything else that is not a status line with valid fields.
 */
export function parseResponseHead(
  bytes: Uint8Array,
  range: { start: number; end: number },
): ResponseHead {
  const minorVersion = parseVersion(bytes, range.start);
  let at = range.start + VERSION_LENGTH;
  if (minorVersion === undefined || bytes[at] !== SP) {
    throw new HttpFault("the answer does not begin with HTTP/1.0 or HTTP/1.1");
  }
  at++;
  const status = parseStatus(bytes, at);
  at += 3;
  if (bytes[at] === SP) at++;
  else if (bytes[at] !== CR) throw new HttpFault("the status code is not three digits");
  const reasonStart = at;
  while (IS_FIELD_VALUE[bytes[at]!] === 1) at++;
  if (bytes[at] !== CR || bytes[at + 1] !== LF) {
    throw new HttpFault("the reason phrase contains a control character");
  }
  const decoded = decode(bytes, range);
  return {
    minorVersion,
    status,
    reason: decoded.text.slice(reasonStart - decoded.base, at - decoded.base),
    headers: parseFields(bytes, { start: at + 2, end: range.end - 2 }, decoded),
  };
}

function parseStatus(bytes: Uint8Array, at: number): number {
  let status = 0;
  for (let i = at; i < at + 3; i++) {
    const digit = bytes[i]! - 0x30;
    if (!(digit >= 0 && digit <= 9)) throw new HttpFault("the status code is not three digits");
    status = status * 10 + digit;
  }
  if (status < 100 || status > 599) throw new HttpFault("the status code is out of range");
  return status;
}
