/** The parts of RFC 6455 section 5.2 that a frame's fate depends on. */

/** In a frame's first byte: this is the last fragment, or the only one. */
export const FIN_BIT = 0x80;
/** In a frame's first byte: the opcode. Between it and FIN are the bits that extensions use. */
export const OPCODE_BITS = 0x0f;
/** Opcode of a frame that continues a fragmented message. */
export const CONTINUATION = 0x0;
/** Opcode of a binary frame; those above it carry no message. */
export const BINARY = 0x2;
/** First byte of a text frame that is a whole message and that no extension has changed. */
export const UNFRAGMENTED_TEXT = FIN_BIT | 0x1;

/** Largest payload whose length stands in the second byte itself. */
const MAX_SHORT_LENGTH = 125;

/** Largest payload whose length takes two further bytes. */
const MAX_TWO_BYTE_LENGTH = 0xffff;

/** True when the header that begins at `at` announces a masking key. */
export function isMasked(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 1]! >= 0x80;
}

/** Number of bytes that the header which begins at `at` has; two bytes of it must be there. */
export function headerLength(bytes: Uint8Array, at: number): number {
  const length = bytes[at + 1]! & 0x7f;
  return 2 + (length === 127 ? 8 : length === 126 ? 2 : 0) + (isMasked(bytes, at) ? 4 : 0);
}

/**
 * The length of the payload, from a complete header; `undefined` for one that no program could count:
 * its first bit is set, which the standard forbids, or it exceeds 2^53 - 1.
 */
export function payloadLength(bytes: Uint8Array, at: number): number | undefined {
  const length = bytes[at + 1]! & 0x7f;
  if (length <= MAX_SHORT_LENGTH) return length;
  if (length === 126) return bytes[at + 2]! * 0x100 + bytes[at + 3]!;
  let value = 0;
  for (let i = at + 2; i < at + 10; i++) value = value * 0x100 + bytes[i]!;
  return value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}

/** Number of bytes that header and payload have together, from a complete header. */
export function frameLength(bytes: Uint8Array, at: number): number {
  return headerLength(bytes, at) + (payloadLength(bytes, at) ?? Infinity);
}

/** True when the length is written in as few bytes as it can be, as the standard demands. */
export function isMinimalLength(bytes: Uint8Array, at: number): boolean {
  const form = bytes[at + 1]! & 0x7f;
  const length = payloadLength(bytes, at);
  if (form === 126) return length! > MAX_SHORT_LENGTH;
  if (form === 127) return length === undefined || length > MAX_TWO_BYTE_LENGTH;
  return true;
}

/** The four bytes of a masking key as one number, the first byte the lowest. */
export function maskingKeyAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

/** Puts a mask on, or takes it off: both are the same exclusive or (RFC 6455 section 5.3). In place. */
export function applyMask(payload: Uint8Array, maskingKey: number): void {
  for (let i = 0; i < payload.length; i++) {
    payload[i]! ^= maskingKey >>> ((i & 3) << 3);
  }
}

/** A masked, unfragmented text frame with the shortest header that its payload allows. */
export function serializeTextFrame(
  payload: Uint8Array,
  maskingKey: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const { length } = payload;
  const form = length <= MAX_SHORT_LENGTH ? length : length <= MAX_TWO_BYTE_LENGTH ? 126 : 127;
  const header = Uint8Array.of(UNFRAGMENTED_TEXT, 0x80 | form, 0, 0, 0, 0, 0, 0, 0, 0);
  const lengthBytes = form === 127 ? 8 : form === 126 ? 2 : 0;
  let rest = length;
  for (let i = 2 + lengthBytes - 1; i >= 2; i--) {
    header[i] = rest % 0x100;
    rest = Math.floor(rest / 0x100);
  }
  const start = 2 + lengthBytes + maskingKey.length;
  const frame = new Uint8Array(start + length);
  frame.set(header.subarray(0, 2 + lengthBytes));
  frame.set(maskingKey, 2 + lengthBytes);
  frame.set(payload, start);
  applyMask(frame.subarray(start), maskingKeyAt(maskingKey, 0));
  return frame;
}
