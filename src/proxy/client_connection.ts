import type { Deadline } from "./deadlines.ts";
import { type ByteStream, WireReader, WireWriter } from "./wire.ts";

/** A connection from a client: plain, or the plaintext side of an intercepted tunnel. */
export class ClientConnection {
  readonly stream: ByteStream;
  readonly reader: WireReader;
  readonly writer: WireWriter;
  /** When it passes, the connection is closed. */
  readonly deadline: Deadline = { at: Infinity };

  constructor(stream: ByteStream) {
    this.stream = stream;
    this.reader = new WireReader(stream);
    this.writer = new WireWriter(stream);
  }
}
