const encoder = new TextEncoder();

/**
 * A text as it stands in a header field: its UTF-8 bytes, one character a byte, as header lists keep
 * them. Control characters would end the field and begin another, so they never pass.
 *
 * @throws what `refuse` gives, for a text with C0 control characters or DEL.
 */
export function toFieldText(text: string, refuse: () => Error): string {
  let isAscii = true;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) throw refuse();
    if (code > 0x7f) isAscii = false;
  }
  return isAscii ? text : binaryText(encoder.encode(text));
}

/** Base64 with padding (RFC 4648 section 4) of a text's UTF-8 bytes (RFC 7617 section 2.1). */
export function base64OfUtf8(text: string): string {
  return btoa(binaryText(encoder.encode(text)));
}

function binaryText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
