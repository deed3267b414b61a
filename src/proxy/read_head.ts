import { findHeadEnd, skipEmptyLines } from "../http1/head_end.ts";
import { parseRequestHead, type RequestHead } from "../http1/request_head.ts";
import { parseResponseHead, type ResponseHead } from "../http1/response_head.ts";
import { Truncated } from "./body.ts";
import type { WireReader } from "./wire.ts";

/**
 * Reads the next request's head off a connection; `undefined` when the client closed between requests.
 *
 * @throws {HttpFault} for a malformed head, {Truncated} when the client closed within it.
 */
export async function readRequestHead(reader: WireReader): Promise<RequestHead | undefined> {
  while (true) {
    reader.start = skipEmptyLines(reader.buffer, reader);
    // A lone CR may be half of an empty line.
    if (reader.buffered > 1 || (reader.buffered === 1 && reader.buffer[reader.start] !== 0x0d)) {
      break;
    }
    if (!(await reader.fill())) return undefined;
  }
  return await readHead(reader, parseRequestHead);
}

/**
 * Reads an answer's head off an upstream connection.
 *
 * @throws {HttpFault} for a malformed head, {Truncated} when the upstream closed before its end.
 */
export async function readResponseHead(reader: WireReader): Promise<ResponseHead> {
  return await readHead(reader, parseResponseHead);
}

async function readHead<Head>(
  reader: WireReader,
  parse: (bytes: Uint8Array, range: { start: number; end: number }) => Head,
): Promise<Head> {
  let searched = 0;
  while (true) {
    const { start, end } = reader;
    if (end > start) {
      const found = findHeadEnd(reader.buffer, { start, from: start + searched, end });
      if (found.end !== -1) {
        reader.start = found.end;
        return parse(reader.buffer, { start, end: found.end });
      }
      searched = found.resumeAt - start;
    }
    if (!(await reader.fill())) throw new Truncated("The connection closed within a head");
  }
}
