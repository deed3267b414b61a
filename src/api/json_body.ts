import { HttpFault } from "./http_fault.ts";
import { findJsonFault } from "./json_fault.ts";

/** Largest request body, in bytes: a thousand services with long names take a quarter of it. */
export const BODY_LIMIT_BYTES = 1024 * 1024;

/**
 * Reads a request's body as JSON.
 *
 * @throws HttpFault `unsupported_media_type`, `request_too_large` above {@link BODY_LIMIT_BYTES},
 * `bad_request` with line and column for what is no JSON. No message holds a part of the body.
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  checkMediaType(request.headers);
  const text = decodeUtf8(await readBytes(request));
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

async function readBytes(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get("Content-Length") ?? 0) > BODY_LIMIT_BYTES) throw tooLarge();
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of request.body ?? []) {
      length += piece.length;
      // Counted as it arrives: a chunked body announces no length.
      if (length > BODY_LIMIT_BYTES) throw tooLarge();
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof HttpFault) throw error;
    // The client's doing, so no defect that the log has to hold.
    throw new HttpFault("bad_request", "Read the body: the connection broke before its end", {
      hint: "Send the request again",
    });
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
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

function tooLarge(): HttpFault {
  return new HttpFault("request_too_large", `Read the body: over ${BODY_LIMIT_BYTES} bytes`, {
    hint: "Send it in several requests",
    details: { limit_bytes: BODY_LIMIT_BYTES },
  });
}
