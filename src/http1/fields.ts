import { COLON, CR, HTAB, IS_FIELD_VALUE, IS_TOKEN, LF, SP } from "./chars.ts";
import { HttpFault } from "./fault.ts";
import type { HeaderField } from "./headers.ts";
import { decodeLatin1 } from "./latin1.ts";
import { MAX_FIELDS } from "./limits.ts";

/**
 * Reads the field lines in `bytes[start, end)`, the blank line excluded (RFC 9112 section 5).
 *
 * @param decoded The text of the bytes from `base` on, where the caller has it already.
 * @throws {HttpFault} for an invalid name, a blank before the colon, a folded line, a control character
 * in a value, and for more than {@link MAX_FIELDS} fields.
 */
export function parseFields(
  bytes: Uint8Array,
  range: { start: number; end: number },
  decoded: { text: string; base: number } = decode(bytes, range),
): HeaderField[] {
  const fields: HeaderField[] = [];
  const { text, base } = decoded;
  let at = range.start;
  while (at < range.end) {
    const nameStart = at;
    while (IS_TOKEN[bytes[at]!] === 1) at++;
    if (bytes[at] !== COLON || at === nameStart) throw badName(bytes[nameStart]!, bytes[at]!);
    const nameEnd = at;
    at++;
    while (bytes[at] === SP || bytes[at] === HTAB) at++;
    const valueStart = at;
    while (IS_FIELD_VALUE[bytes[at]!] === 1) at++;
    if (bytes[at] !== CR || bytes[at + 1] !== LF) {
      throw new HttpFault("a header value contains a control character");
    }
    let valueEnd = at;
    while (valueEnd > valueStart && (bytes[valueEnd - 1] === SP || bytes[valueEnd - 1] === HTAB)) {
      valueEnd--;
    }
    at += 2;
    if (fields.length === MAX_FIELDS) {
      throw new HttpFault(`there are more than ${MAX_FIELDS} header fields`, "head_too_large");
    }
    fields.push([
      text.slice(nameStart - base, nameEnd - base),
      text.slice(valueStart - base, valueEnd - base),
    ]);
  }
  return fields;
}

/** The text of `bytes[start, end)` with one character a byte, decoded once for all parts of a head. */
export function decode(
  bytes: Uint8Array,
  range: { start: number; end: number },
): { text: string; base: number } {
  const ascii = isAscii(bytes, range.start, range.end);
  return { text: decodeLatin1(bytes, { ...range, ascii }), base: range.start };
}

/** True when no byte of `bytes[start, end)` exceeds 0x7f. */
function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  let seen = 0;
  for (let i = start; i < end; i++) seen |= bytes[i]!;
  return seen < 0x80;
}

function badName(first: number, stop: number): HttpFault {
  if (first === SP || first === HTAB) {
    return new HttpFault("a header line is folded or begins with a blank");
  }
  if (stop === SP || stop === HTAB) return new HttpFault("a header name is followed by a blank");
  return new HttpFault("a header name contains an invalid character");
}
