import { ByteReader } from "./byte_reader.ts";
import { joinBytes, latin1Bytes } from "./bytes.ts";
import { type RawHead, type RawMessage, readRawHead, readRawRequest } from "./raw_message.ts";

/** One connection that an upstream accepted, in the hands of the test's script. */
export interface UpstreamConnection {
  /** 1 for the first connection that the upstream accepted, and so on. */
  readonly number: number;
  readonly reader: ByteReader;
  /** The socket itself, for what the methods below do not do. */
  readonly socket: Deno.TcpConn | Deno.TlsConn;
  /** Reads and records the next request; `undefined` when the client has ended. */
  readRequest(): Promise<RawMessage | undefined>;
  /** Reads the next head only, and records nothing. */
  readHead(): Promise<RawHead | undefined>;
  /** Sends exactly these bytes; text is taken as one byte a character. */
  send(bytes: string | Uint8Array): Promise<void>;
  /** Ends this side's half; the client can still send. */
  closeWrite(): Promise<void>;
  /** Closes both halves. With unread bytes waiting, the system answers the client with a reset. */
  close(): void;
}

/** How an upstream of a test behaves. */
export interface UpstreamOptions {
  /** Serves TLS under this certificate; without it, plain TCP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Address to listen on; 127.0.0.1 unless told. */
  readonly hostname?: string;
  /** Protocols offered by ALPN; none unless told. */
  readonly alpnProtocols?: string[];
  /** The bytes that answer a request; `undefined` closes the connection. Default: 200 with `ok`. */
  readonly respond?: (
    request: RawMessage,
    connection: UpstreamConnection,
  ) => string | Uint8Array | undefined | Promise<string | Uint8Array | undefined>;
  /** Takes the whole connection over; `respond` is not used then. It is closed when this returns. */
  readonly serve?: (connection: UpstreamConnection) => Promise<void>;
}

/** A running upstream: `await using upstream = startUpstream(...)`. */
export interface Upstream extends AsyncDisposable {
  readonly port: number;
  /** `127.0.0.1:PORT`. */
  readonly authority: string;
  /** Every request read so far, over all connections, in order of arrival. */
  readonly requests: readonly RawMessage[];
  /** How many connections were accepted. */
  readonly accepted: number;
  /** How many of them are open now. */
  readonly open: number;
  /** What went wrong while serving, refused handshakes among it. */
  readonly faults: readonly Error[];
  /** Closes the listener and every connection, and waits for the scripts to end. */
  close(): Promise<void>;
}

/** Starts an upstream on a loopback port of the system's choosing. */
export function startUpstream(options: UpstreamOptions = {}): Upstream {
  return new ScriptedUpstream(options);
}

/**
 * A whole response with `Content-Length`.
 * @param fields further header lines without line ends, as in `["X-Test: 1"]`.
 */
export function rawResponse(
  body: string | Uint8Array = "ok",
  options: { status?: string; fields?: readonly string[] } = {},
): Uint8Array {
  const content = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const lines = [
    `HTTP/1.1 ${options.status ?? "200 OK"}`,
    ...(options.fields ?? []),
    `Content-Length: ${content.length}`,
  ];
  return joinBytes(lines.join("\r\n") + "\r\n\r\n", content);
}

class ScriptedUpstream implements Upstream {
  readonly port: number;
  readonly authority: string;
  readonly requests: RawMessage[] = [];
  readonly faults: Error[] = [];
  readonly #options: UpstreamOptions;
  readonly #listener: Deno.TcpListener | Deno.TlsListener;
  readonly #open = new Set<Connection>();
  readonly #serving = new Set<Promise<void>>();
  readonly #accepting: Promise<void>;
  #accepted = 0;
  #closed = false;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    const hostname = options.hostname ?? "127.0.0.1";
    const alpn = options.alpnProtocols === undefined
      ? {}
      : { alpnProtocols: options.alpnProtocols };
    this.#listener = options.tls === undefined
      ? Deno.listen({ hostname, port: 0 })
      : Deno.listenTls({ hostname, port: 0, ...options.tls, ...alpn });
    this.port = this.#listener.addr.port;
    this.authority = hostname.includes(":")
      ? `[${hostname}]:${this.port}`
      : `${hostname}:${this.port}`;
    this.#accepting = this.#accept();
  }

  get accepted(): number {
    return this.#accepted;
  }

  get open(): number {
    return this.#open.size;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#listener.close();
    for (const connection of this.#open) connection.close();
    await this.#accepting;
    await Promise.all(this.#serving);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #accept(): Promise<void> {
    while (!this.#closed) {
      let socket: Deno.TcpConn | Deno.TlsConn;
      try {
        socket = await this.#listener.accept();
      } catch (error) {
        if (this.#closed) return;
        this.#note(error);
        continue;
      }
      const serving = this.#serve(new Connection(socket, ++this.#accepted, this.requests));
      this.#serving.add(serving);
      serving.finally(() => this.#serving.delete(serving));
    }
  }

  async #serve(connection: Connection): Promise<void> {
    this.#open.add(connection);
    try {
      if (this.#options.serve !== undefined) await this.#options.serve(connection);
      else await this.#answer(connection);
    } catch (error) {
      // A connection that close() tore down has done nothing wrong.
      if (!this.#closed) this.#note(error);
    } finally {
      connection.close();
      this.#open.delete(connection);
    }
  }

  async #answer(connection: Connection): Promise<void> {
    const respond = this.#options.respond ?? (() => rawResponse());
    while (true) {
      const request = await connection.readRequest();
      if (request === undefined) return;
      const answer = await respond(request, connection);
      if (answer === undefined) return;
      await connection.send(answer);
    }
  }

  #note(error: unknown): void {
    this.faults.push(error instanceof Error ? error : new Error(String(error)));
  }
}

class Connection implements UpstreamConnection {
  readonly number: number;
  readonly reader: ByteReader;
  readonly socket: Deno.TcpConn | Deno.TlsConn;
  readonly #requests: RawMessage[];
  #closed = false;

  constructor(socket: Deno.TcpConn | Deno.TlsConn, number: number, requests: RawMessage[]) {
    this.socket = socket;
    this.number = number;
    this.reader = new ByteReader(socket);
    this.#requests = requests;
  }

  async readRequest(): Promise<RawMessage | undefined> {
    const request = await readRawRequest(this.reader);
    if (request !== undefined) this.#requests.push(request);
    return request;
  }

  async readHead(): Promise<RawHead | undefined> {
    return await readRawHead(this.reader);
  }

  async send(bytes: string | Uint8Array): Promise<void> {
    const rest = typeof bytes === "string" ? latin1Bytes(bytes) : bytes;
    for (let sent = 0; sent < rest.length;) sent += await this.socket.write(rest.subarray(sent));
  }

  async closeWrite(): Promise<void> {
    await this.socket.closeWrite();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.socket.close();
  }
}
