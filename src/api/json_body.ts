import { readBodyBytes } from "./body_bytes.ts";
import { HttpFault } from "./http_fault.ts";
import { findJsonFault } from "./json_fault.ts";

/**
 * Reads a request's body as JSON.
 *
 * @throws HttpFault `unsupported_media_type`, `request_too_large` above `BODY_LIMIT_BYTES`,
 * `bad_request` with line and column for what is no JSON. No message holds a part of the body.
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  checkMediaType(request.headers);
  const text = decodeUtf8(await readBodyBytes(request));
  try {
    return JSON.parse(text);
  } catch {
    const { line, column, expected } = findJsonFault(text) ??
      { line: 1, column: 1, expected: "JSON" };
    throw new HttpFault(
      "bad_request",
      `Read the body as JSON: expected ${expected} at line ${line}, column ${column}`,
      { hint: "Send one JSON object (RFC 8259)", details: { line, column } },
    );
  }
}

function checkMediaType(headers: Headers): void {
  const mediaType = (headers.get("Content-Type") ?? "").split(";", 1)[0]?.trim().toLowerCase();
  // A page of another site can send a form or plain text without asking first, but not JSON (Fetch,
  // CORS-safelisted request-header), so this is a second guard and no formality.
  if (mediaType !== "application/json") {
    throw new HttpFault("unsupported_media_type", "Read the body: its type is not JSON", {
      hint: "Send Content-Type: application/json",
      headers: { Accept: "application/json" },
    });
  }
  const coding = headers.get("Content-Encoding")?.trim().toLowerCase() ?? "identity";
  if (coding !== "identity") {
    throw new HttpFault("unsupported_media_type", "Read the body: it is compressed", {
      hint: "Send the body without Content-Encoding",
      headers: { "Accept-Encoding": "identity" },
    });
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new HttpFault("bad_request", "Read the body as JSON: its bytes are not UTF-8", {
      hint: "Encode the JSON as UTF-8 (RFC 8259, 8.1)",
    });
  }
}
