import { encodeLatin1Into } from "../http1/latin1.ts";
import { chunkSizeLine } from "../http1/serialize.ts";

/** What the data plane needs of a connection, TCP and TLS alike. */
export interface ByteStream {
  read(target: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  closeWrite(): Promise<void>;
  close(): void;
}

/** First size of a read buffer: a head and a small body fit. */
const INITIAL_BUFFER_BYTES = 16 * 1024;

/** Largest read buffer; larger ones no longer raised throughput when measured. */
const MAX_BUFFER_BYTES = 256 * 1024;

/**
 * Reads a connection into one reused buffer. The unread bytes are `buffer[start, end)`; whoever consumes
 * some advances `start`. Views into the buffer are valid until the next {@link WireReader.fill}.
 */
export class WireReader {
  buffer = new Uint8Array(INITIAL_BUFFER_BYTES);
  start = 0;
  end = 0;
  readonly #stream: ByteStream;
  /** True once reading has failed: the peer is gone, where an end of stream may be half a close only. */
  failed = false;
  #pending: Promise<boolean> | undefined;
  #lastReadFilledBuffer = false;

  constructor(stream: ByteStream) {
    this.#stream = stream;
  }

  /** Number of bytes that have been read and not consumed. */
  get buffered(): number {
    return this.end - this.start;
  }

  /**
   * Reads once; false at the end of the stream. Called again while a read is under way it gives that
   * read, so that one may be started early (to notice a peer that leaves) and awaited later.
   */
  fill(): Promise<boolean> {
    if (this.#pending === undefined) {
      this.#makeRoom();
      const room = this.end === 0 ? this.buffer : this.buffer.subarray(this.end);
      this.#pending = this.#stream.read(room)
        .then(this.#onRead, this.#onFailure);
    }
    return this.#pending;
  }

  /** Kept as one function a reader: a read is made several times a request. */
  readonly #onRead = (count: number | null): boolean => {
    this.#pending = undefined;
    if (count === null) return false;
    this.end += count;
    this.#lastReadFilledBuffer = this.end === this.buffer.length;
    return true;
  };

  readonly #onFailure = (error: unknown): never => {
    this.#pending = undefined;
    this.failed = true;
    throw error;
  };

  #makeRoom(): void {
    if (this.start === this.end) {
      this.start = this.end = 0;
      if (this.#lastReadFilledBuffer && this.buffer.length < MAX_BUFFER_BYTES) {
        this.buffer = new Uint8Array(this.buffer.length * 2);
      }
    } else if (this.end === this.buffer.length) {
      const target = this.start > 0 ? this.buffer : new Uint8Array(this.buffer.length * 2);
      target.set(this.buffer.subarray(this.start, this.end));
      this.buffer = target;
      this.end -= this.start;
      this.start = 0;
    }
  }
}

const NOTHING_TO_WRITE = Promise.resolve();

/** Pieces above this size are written as they are instead of being copied behind what waits. */
const COPY_LIMIT_BYTES = 8 * 1024;

/**
 * Gathers what belongs together (a head and the body bytes that are there already) into one write,
 * because each write is a system call, a TLS record and perhaps a packet.
 */
export class WireWriter {
  readonly #stream: ByteStream;
  /** True once writing has failed: the peer is gone. */
  failed = false;
  #scratch = new Uint8Array(INITIAL_BUFFER_BYTES);
  #used = 0;

  constructor(stream: ByteStream) {
    this.#stream = stream;
  }

  /** Appends text, one byte a character. */
  text(text: string): void {
    this.#reserve(text.length);
    this.#used += encodeLatin1Into(text, this.#scratch, this.#used);
  }

  /** Sends body bytes as they are; small ones are kept for the next flush, and nothing has to be awaited. */
  data(bytes: Uint8Array): Promise<void> | undefined {
    if (bytes.length > COPY_LIMIT_BYTES) return this.#flushAndWrite(bytes);
    this.#append(bytes);
    return undefined;
  }

  /** Keeps body bytes as one chunk for the next flush; waits only where too much is kept already. */
  chunk(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#used > COPY_LIMIT_BYTES) return this.flush().then(() => this.#appendChunk(bytes));
    this.#appendChunk(bytes);
    return undefined;
  }

  /** Writes all that waits. */
  flush(): Promise<void> {
    if (this.#used === 0) return NOTHING_TO_WRITE;
    const bytes = this.#scratch.subarray(0, this.#used);
    this.#used = 0;
    return this.#write(bytes);
  }

  async #flushAndWrite(bytes: Uint8Array): Promise<void> {
    await this.flush();
    await this.#write(bytes);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    try {
      await writeAll(this.#stream, bytes);
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }

  #appendChunk(bytes: Uint8Array): void {
    this.text(chunkSizeLine(bytes.length));
    this.#append(bytes);
    this.text("\r\n");
  }

  #append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#scratch.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  #reserve(count: number): void {
    const needed = this.#used + count;
    if (needed <= this.#scratch.length) return;
    let size = this.#scratch.length;
    while (size < needed) size *= 2;
    const grown = new Uint8Array(size);
    grown.set(this.#scratch.subarray(0, this.#used));
    this.#scratch = grown;
  }
}

/** Writes every byte, however many calls it takes. */
export async function writeAll(stream: ByteStream, bytes: Uint8Array): Promise<void> {
  let written = await stream.write(bytes);
  while (written < bytes.length) written += await stream.write(bytes.subarray(written));
}

/** Closes a connection that may be closed already. */
export function closeQuietly(stream: { close(): void }): void {
  try {
    stream.close();
  } catch {
    // Already closed: by the peer's error, a time limit or the proxy's stop.
  }
}
