import { CR } from "../http1/chars.ts";
import { findHeadEnd, skipEmptyLines } from "../http1/head_end.ts";
import { parseRequestHead, type RequestHead } from "../http1/request_head.ts";
import { parseResponseHead, type ResponseHead } from "../http1/response_head.ts";
import type { WireReader } from "./wire.ts";

/**
 * Takes heads off a connection once they have arrived whole. It does not read: whoever does goes on with
 * the head at once, so that of many connections that become ready together the first is served before
 * the last has been looked at.
 */
class HeadTaker<Head> {
  readonly #reader: WireReader;
  readonly #parse: (bytes: Uint8Array, range: { start: number; end: number }) => Head;
  /** Bytes behind the reader's start that hold no end. */
  #searched = 0;

  constructor(
    reader: WireReader,
    parse: (bytes: Uint8Array, range: { start: number; end: number }) => Head,
  ) {
    this.#reader = reader;
    this.#parse = parse;
  }

  /** The next head; `undefined` while more has to be read. @throws {HttpFault} when it is malformed. */
  take(): Head | undefined {
    const { buffer, start, end } = this.#reader;
    if (end === start) return undefined;
    const found = findHeadEnd(buffer, { start, from: start + this.#searched, end });
    if (found.end === -1) {
      this.#searched = found.resumeAt - start;
      return undefined;
    }
    this.#searched = 0;
    this.#reader.start = found.end;
    return this.#parse(buffer, { start, end: found.end });
  }
}

/** Takes the requests' heads off a client's connection. */
export class RequestHeads {
  readonly #reader: WireReader;
  readonly #heads: HeadTaker<RequestHead>;

  constructor(reader: WireReader) {
    this.#reader = reader;
    this.#heads = new HeadTaker(reader, parseRequestHead);
  }

  /** As {@link HeadTaker.take}; empty lines before a head are passed over. */
  take(): RequestHead | undefined {
    const reader = this.#reader;
    reader.start = skipEmptyLines(reader.buffer, reader);
    // A lone CR may be half of an empty line.
    if (reader.buffered === 1 && reader.buffer[reader.start] === CR) return undefined;
    return this.#heads.take();
  }
}

/** Takes the heads of interim answers and of the final one off an upstream's connection. */
export class ResponseHeads extends HeadTaker<ResponseHead> {
  constructor(reader: WireReader) {
    super(reader, parseResponseHead);
  }
}
