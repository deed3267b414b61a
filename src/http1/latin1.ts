/** Bytes to text and back with one character a byte (ISO-8859-1); ASCII, the usual case, goes the fast way. */

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Characters that one `String.fromCharCode` call takes without exhausting the stack. */
const SLICE = 8192;

/** The text of `bytes[start, end)`. Pass `ascii` when the caller knows that no byte exceeds 0x7f. */
export function decodeLatin1(
  bytes: Uint8Array,
  range: { start: number; end: number; ascii: boolean },
): string {
  const part = bytes.subarray(range.start, range.end);
  if (range.ascii) return decoder.decode(part);
  let text = "";
  for (let at = 0; at < part.length; at += SLICE) {
    text += String.fromCharCode(...part.subarray(at, at + SLICE));
  }
  return text;
}

/**
 * Writes `text` into `target` from `offset` on and returns the number of bytes written.
 *
 * @throws {RangeError} when the target is too small, or a character does not fit a byte.
 */
export function encodeLatin1Into(text: string, target: Uint8Array, offset: number): number {
  if (text.length > target.length - offset) {
    throw new RangeError("Text is longer than its buffer");
  }
  const { read, written } = encoder.encodeInto(text, target.subarray(offset));
  // As many bytes as characters, all of them read: every character was ASCII, since UTF-8 takes two bytes or more for others.
  if (written === text.length && read === text.length) return written;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0xff) throw new RangeError("A character does not fit one byte");
    target[offset + i] = code;
  }
  return text.length;
}

/** The bytes of `text`. @throws {RangeError} when a character does not fit a byte. */
export function encodeLatin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  encodeLatin1Into(text, bytes, 0);
  return bytes;
}
