import { HttpFault } from "./http_fault.ts";

/** Largest request body, in bytes: a thousand services with long names take a quarter of it. */
export const BODY_LIMIT_BYTES = 1024 * 1024;

/**
 * Reads a request's body whole.
 *
 * @throws HttpFault `request_too_large` above {@link BODY_LIMIT_BYTES}, `bad_request` when it breaks off.
 */
export async function readBodyBytes(request: Request): Promise<Uint8Array> {
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

function tooLarge(): HttpFault {
  return new HttpFault("request_too_large", `Read the body: over ${BODY_LIMIT_BYTES} bytes`, {
    hint: "Send it in several requests",
    details: { limit_bytes: BODY_LIMIT_BYTES },
  });
}
