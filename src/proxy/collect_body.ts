import type { Framing } from "../http1/framing.ts";
import { streamBody } from "./body.ts";
import type { ClientConnection } from "./client_connection.ts";
import { RefusalError } from "./refusal.ts";

/**
 * Reads a whole body into memory, as substitution needs it.
 *
 * @throws {RefusalError} `request_too_large` above the limit, before anything went upstream.
 */
export async function collectBody(
  client: ClientConnection,
  framing: Framing,
  options: {
    limitBytes: number;
    /** Called before the first read, unless the length alone is too much. */
    begin: () => Promise<void>;
    piece: (length: number) => void;
  },
): Promise<Uint8Array> {
  if (framing.kind === "length" && framing.length > options.limitBytes) {
    throw tooLarge(options.limitBytes);
  }
  await options.begin();
  const pieces: Uint8Array[] = [];
  let total = 0;
  await streamBody(client.reader, framing, {
    progress: { piece: options.piece },
    sink: {
      data: (bytes) => {
        total += bytes.length;
        if (total > options.limitBytes) throw tooLarge(options.limitBytes);
        pieces.push(bytes.slice());
      },
      end: () => {},
      flush: () => {},
    },
  });
  const body = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    body.set(piece, at);
    at += piece.length;
  }
  return body;
}

function tooLarge(limitBytes: number): RefusalError {
  return new RefusalError({
    code: "request_too_large",
    message: `A body with placeholders may have ${limitBytes} bytes at most`,
    extras: { limit_bytes: limitBytes },
  });
}
