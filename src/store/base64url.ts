import { Buffer } from "node:buffer";

/** Base64 in the URL and file name safe alphabet, without padding (RFC 4648 section 5). */
export function encodeBase64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

/** The bytes, or `undefined` when the text is not exactly what {@link encodeBase64Url} writes for them. */
export function decodeBase64Url(text: string): Uint8Array | undefined {
  const bytes = Uint8Array.from(Buffer.from(text, "base64url"));
  return encodeBase64Url(bytes) === text ? bytes : undefined;
}
