import { BrokerError } from "../errors.ts";

/** One DER element: its tag, and where it and its content lie in the bytes it was read from. */
export interface DerElement {
  /** The identifier octet; certificates use no tag number above 30. */
  readonly tag: number;
  /** The whole element, header included. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Only its content. */
  readonly content: Uint8Array<ArrayBuffer>;
}

/**
 * Reads the elements that follow one another in `bytes` (X.690 section 8.1, definite lengths only).
 * @throws BrokerError `validation_failed` when an element does not fit.
 */
export function readDer(bytes: Uint8Array<ArrayBuffer>): DerElement[] {
  const elements: DerElement[] = [];
  let at = 0;
  while (at < bytes.length) {
    const { start, end } = contentSpan(bytes, at);
    elements.push({
      tag: bytes[at]!,
      bytes: bytes.subarray(at, end),
      content: bytes.subarray(start, end),
    });
    at = end;
  }
  return elements;
}

function contentSpan(bytes: Uint8Array, at: number): { start: number; end: number } {
  const first = bytes[at + 1];
  if (first === undefined) throw truncated();
  let start = at + 2;
  let length = first;
  if (first >= 0x80) {
    const count = first & 0x7f;
    // Four octets of length hold any certificate; indefinite length (0x80) is not DER.
    if (count === 0 || count > 4 || start + count > bytes.length) throw truncated();
    length = 0;
    for (const octet of bytes.subarray(start, start + count)) length = length * 256 + octet;
    start += count;
  }
  const end = start + length;
  if (end > bytes.length) throw truncated();
  return { start, end };
}

function truncated(): BrokerError {
  return new BrokerError("validation_failed", "Read certificate: DER is cut off or malformed");
}
