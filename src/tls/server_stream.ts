import { free, type ServerEngine } from "./server_engine.ts";

/** A client's connection as it came in, and what has been read from it already. */
export interface Transport {
  /** The unread bytes are `buffer[start, end)`; `fill` reads once more, and is false at the end. */
  readonly reader: {
    readonly buffer: Uint8Array;
    start: number;
    readonly end: number;
    fill(): Promise<boolean>;
  };
  readonly stream: {
    write(bytes: Uint8Array): Promise<number>;
    closeWrite(): Promise<void>;
    close(): void;
  };
}

/**
 * The plaintext side of a connection on which a client speaks TLS. The handshake runs with the first
 * read. One read and one write may be under way at the same time.
 */
export class TlsServerStream {
  readonly #engine: ServerEngine;
  readonly #transport: Transport;
  /** Sends what the engine has put out; one at a time, so that records keep their order. */
  #flushing: Promise<void> | undefined;
  /** More was encrypted while that was under way. */
  #more = false;
  #closed = false;
  #endSent = false;

  constructor(engine: ServerEngine, transport: Transport) {
    this.#engine = engine;
    this.#transport = transport;
  }

  /** True once the client has finished the handshake. */
  get established(): boolean {
    return this.#engine.established;
  }

  /**
   * Reads plaintext; `null` when the client has ended TLS in due form.
   *
   * @throws {Deno.errors.InvalidData} for what is no TLS, or an alert of the client, with the words of
   * rustls; {Deno.errors.UnexpectedEof} when the connection ends without notice.
   */
  async read(target: Uint8Array): Promise<number | null> {
    const engine = this.#engine;
    const { reader } = this.#transport;
    while (true) {
      const count = engine.read(target);
      if (count > 0) return count;
      if (engine.fault !== undefined) throw new Deno.errors.InvalidData(engine.fault.message);
      if (engine.ended) return null;
      if (reader.start === reader.end && !(await reader.fill())) {
        throw new Deno.errors.UnexpectedEof("The client ended the connection without ending TLS");
      }
      if (this.#closed) throw new Deno.errors.BadResource("The connection is closed");
      const handshaking = !engine.established;
      engine.receive(reader.buffer.subarray(reader.start, reader.end));
      reader.start = reader.end;
      // Later answers of TLS itself may wait for the next write (RFC 8446 section 4.6.3).
      if (handshaking || engine.fault !== undefined) await this.#flush();
    }
  }

  /** Encrypts and sends all of the bytes. @throws as the transport does. */
  write(bytes: Uint8Array): Promise<number> {
    if (this.#closed) {
      return Promise.reject(new Deno.errors.BadResource("The connection is closed"));
    }
    this.#engine.send(bytes);
    return this.#flush().then(() => bytes.length);
  }

  /** Tells the client that nothing more follows, in TLS and below it. */
  async closeWrite(): Promise<void> {
    if (this.#closed || this.#endSent) return;
    this.#endSent = true;
    if (this.#engine.fault === undefined) this.#engine.end();
    await this.#flush();
    await this.#transport.stream.closeWrite();
  }

  /** Closes the connection, whatever is under way on it. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#engine.destroy();
    this.#transport.stream.close();
  }

  #flush(): Promise<void> {
    if (this.#flushing !== undefined) {
      this.#more = true;
      return this.#flushing;
    }
    const bytes = this.#engine.output();
    if (bytes.length === 0) return NOTHING_TO_SEND;
    return this.#flushing = this.#sendOutput(bytes);
  }

  async #sendOutput(first: Uint8Array): Promise<void> {
    const { stream } = this.#transport;
    let bytes = first;
    try {
      while (true) {
        let sent = await stream.write(bytes);
        while (sent < bytes.length) sent += await stream.write(bytes.subarray(sent));
        free(bytes);
        // What was encrypted meanwhile waits for this very promise.
        if (!this.#more || this.#closed) return;
        this.#more = false;
        bytes = this.#engine.output();
      }
    } finally {
      this.#flushing = undefined;
    }
  }
}

const NOTHING_TO_SEND = Promise.resolve();
