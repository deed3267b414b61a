/** Text of one byte a character (ISO-8859-1) as bytes; a character above U+00FF is a mistake of the test. */
export function latin1Bytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0xff) throw new TypeError(`Not one byte: ${JSON.stringify(text[index])}`);
    bytes[index] = code;
  }
  return bytes;
}

/** Bytes as text, one character a byte, so that every byte can be compared. */
export function latin1Text(bytes: Uint8Array): string {
  let text = "";
  // The argument list of one call is limited; 8 KiB is below every engine's limit.
  for (let start = 0; start < bytes.length; start += 8192) {
    text += String.fromCharCode(...bytes.subarray(start, start + 8192));
  }
  return text;
}

/** The parts one after the other; text is taken as one byte a character. */
export function joinBytes(...parts: readonly (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const pieces = parts.map((part) => typeof part === "string" ? latin1Bytes(part) : part);
  const joined = new Uint8Array(pieces.reduce((total, piece) => total + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    joined.set(piece, offset);
    offset += piece.length;
  }
  return joined;
}
