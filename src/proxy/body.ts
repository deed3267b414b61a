import { ChunkedDecoder } from "../http1/chunked.ts";
import type { Framing } from "../http1/framing.ts";
import type { HeaderList } from "../http1/headers.ts";
import { lastChunk } from "../http1/serialize.ts";
import type { WireReader, WireWriter } from "./wire.ts";

/** The sender closed or was lost before its message was complete. */
export class Truncated extends Error {
  override readonly name = "Truncated";
}

/** What a body goes to: a peer, a buffer or nowhere. */
export interface BodySink {
  /** A piece of the body; the view is valid until the returned promise settles. */
  data(bytes: Uint8Array): Promise<void> | undefined | void;
  /** The body is complete. */
  end(trailers: HeaderList): Promise<void> | void;
  /** Nothing more has arrived yet: pass on what waits, so that events reach their reader at once. */
  flush(): Promise<void> | void;
}

/** What happens while a body streams. */
export interface BodyProgress {
  /** Called for each piece with its length in bytes. */
  piece(length: number): void;
}

/**
 * Reads one body off a connection, by its framing, into a sink, piece by piece: nothing is read before
 * the piece before it has been taken, which is the backpressure.
 *
 * @throws {Truncated} when the sender ends early; {HttpFault} for malformed chunks; whatever the
 * connection or the sink throws.
 */
export function streamBody(
  reader: WireReader,
  framing: Framing,
  options: { sink: BodySink; progress: BodyProgress },
): Promise<void> {
  switch (framing.kind) {
    case "none":
      return streamLength(reader, 0, options);
    case "length":
      return streamLength(reader, framing.length, options);
    case "chunked":
      return streamChunked(reader, options);
    case "until-close":
      return streamUntilClose(reader, options);
  }
}

type StreamOptions = { sink: BodySink; progress: BodyProgress };

async function streamLength(
  reader: WireReader,
  length: number,
  { sink, progress }: StreamOptions,
): Promise<void> {
  let left = length;
  while (left > 0) {
    if (reader.buffered === 0) {
      await sink.flush();
      if (!(await reader.fill())) {
        throw new Truncated("The body is shorter than its Content-Length");
      }
    }
    const count = Math.min(left, reader.buffered);
    const piece = reader.buffer.subarray(reader.start, reader.start + count);
    reader.start += count;
    left -= count;
    progress.piece(count);
    const taken = sink.data(piece);
    // A small body that is here already goes out without waiting for its turn among others.
    if (taken !== undefined) await taken;
  }
  await sink.end([]);
}

async function streamChunked(
  reader: WireReader,
  { sink, progress }: StreamOptions,
): Promise<void> {
  const decoder = new ChunkedDecoder();
  while (!decoder.done) {
    if (reader.buffered === 0) {
      await sink.flush();
      if (!(await reader.fill())) {
        throw new Truncated("The chunked body ends without its last chunk");
      }
    }
    reader.start += decoder.step(reader.buffer, reader);
    if (decoder.data.length === 0) continue;
    progress.piece(decoder.data.length);
    const taken = sink.data(decoder.data);
    if (taken !== undefined) await taken;
  }
  await sink.end(decoder.trailers);
}

async function streamUntilClose(
  reader: WireReader,
  { sink, progress }: StreamOptions,
): Promise<void> {
  while (true) {
    if (reader.buffered === 0) {
      await sink.flush();
      if (!(await fillUntilClose(reader))) return await sink.end([]);
    }
    const piece = reader.buffer.subarray(reader.start, reader.end);
    reader.start = reader.end;
    progress.piece(piece.length);
    await sink.data(piece);
  }
}

/** Many servers close TLS without close_notify; where closing is the framing, that is an end like another. */
async function fillUntilClose(reader: WireReader): Promise<boolean> {
  try {
    return await reader.fill();
  } catch (error) {
    if (error instanceof Deno.errors.UnexpectedEof) return false;
    throw error;
  }
}

/** Sends a body on with a known length, or until the connection closes: bytes as they are. */
export class PlainSink implements BodySink {
  readonly #writer: WireWriter;

  constructor(writer: WireWriter) {
    this.#writer = writer;
  }

  data(bytes: Uint8Array): Promise<void> | undefined {
    return this.#writer.data(bytes);
  }

  end(): Promise<void> {
    return this.#writer.flush();
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }
}

/** Sends a body on in chunks of its own, with the trailers that may travel. */
export class ChunkedSink implements BodySink {
  readonly #writer: WireWriter;
  readonly #keepTrailer: (lowerCaseName: string) => boolean;

  constructor(writer: WireWriter, keepTrailer: (lowerCaseName: string) => boolean) {
    this.#writer = writer;
    this.#keepTrailer = keepTrailer;
  }

  data(bytes: Uint8Array): Promise<void> | undefined {
    return this.#writer.chunk(bytes);
  }

  end(trailers: HeaderList): Promise<void> {
    const kept = trailers.filter(([name]) => this.#keepTrailer(name.toLowerCase()));
    this.#writer.text(lastChunk(kept));
    return this.#writer.flush();
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }
}
