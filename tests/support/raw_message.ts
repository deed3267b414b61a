/**
 * Reads whole HTTP/1.1 messages in tests. This is a second, independent reading of the wire beside
 * src/http1, kept naive on purpose: what the proxy sends is judged by code that the proxy does not
 * share.
 */
import type { ByteReader } from "./byte_reader.ts";
import { joinBytes, latin1Text } from "./bytes.ts";

/** One message as it stood on the wire. */
export interface RawMessage {
  /** Request line or status line, without its line end. */
  readonly startLine: string;
  /** Fields in order, case and repetitions kept. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The head with its final empty line, byte for byte. */
  readonly head: string;
  /** The body as it was framed: chunk sizes and trailers included. */
  readonly framedBody: Uint8Array;
  /** The body without its framing. */
  readonly body: Uint8Array;
  /** The body as UTF-8 text. */
  readonly text: string;
  /** Every value of a field, whatever the case of its name. */
  values(name: string): string[];
}

/** A head on its own, for tests that read the body themselves. */
export type RawHead = Pick<RawMessage, "startLine" | "fields" | "head" | "values">;

/** Reads up to the empty line; `undefined` when the other side ended before the first byte. */
export async function readRawHead(reader: ByteReader): Promise<RawHead | undefined> {
  const bytes = await reader.takeThroughOrEnd("\r\n\r\n");
  return bytes === undefined ? undefined : parseRawHead(latin1Text(bytes));
}

/** Splits a head that ends in an empty line. */
export function parseRawHead(head: string): RawHead {
  const [startLine = "", ...lines] = head.slice(0, -4).split("\r\n");
  const fields = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  return {
    startLine,
    fields,
    head,
    values: (name) =>
      fields.filter(([field]) => field.toLowerCase() === name.toLowerCase()).map(([, value]) =>
        value
      ),
  };
}

/** How the body after a head ends. */
export type RawFraming = { kind: "length"; length: number } | { kind: "chunked" } | {
  kind: "until-close";
};

/** The framing that a head announces; a request without one has no body. */
export function rawFraming(head: RawHead, message: "request" | "response"): RawFraming {
  if (head.values("transfer-encoding").length > 0) return { kind: "chunked" };
  const [length] = head.values("content-length");
  if (length !== undefined) return { kind: "length", length: Number(length) };
  return message === "request" ? { kind: "length", length: 0 } : { kind: "until-close" };
}

/** Reads the body that follows a head. */
export async function readRawBody(
  reader: ByteReader,
  framing: RawFraming,
): Promise<{ framedBody: Uint8Array; body: Uint8Array }> {
  switch (framing.kind) {
    case "length": {
      const body = await reader.take(framing.length);
      return { framedBody: body, body };
    }
    case "until-close": {
      const body = await reader.takeAll();
      return { framedBody: body, body };
    }
    case "chunked":
      return await readChunkedBody(reader);
  }
}

async function readChunkedBody(
  reader: ByteReader,
): Promise<{ framedBody: Uint8Array; body: Uint8Array }> {
  const framed: Uint8Array[] = [];
  const pieces: Uint8Array[] = [];
  while (true) {
    const line = await reader.takeThrough("\r\n");
    framed.push(line);
    const size = parseInt(latin1Text(line), 16);
    if (size === 0) break;
    const piece = await reader.take(size);
    framed.push(piece, await reader.take(2));
    pieces.push(piece);
  }
  while (true) {
    const line = await reader.takeThrough("\r\n");
    framed.push(line);
    if (line.length === 2) break;
  }
  return { framedBody: joinBytes(...framed), body: joinBytes(...pieces) };
}

/** Reads one whole request; `undefined` when the client ended before the first byte. */
export async function readRawRequest(reader: ByteReader): Promise<RawMessage | undefined> {
  const head = await readRawHead(reader);
  if (head === undefined) return undefined;
  return withBody(head, await readRawBody(reader, rawFraming(head, "request")));
}

/** A head and its body as one message. */
export function withBody(
  head: RawHead,
  body: { framedBody: Uint8Array; body: Uint8Array },
): RawMessage {
  return { ...head, ...body, text: new TextDecoder().decode(body.body) };
}
