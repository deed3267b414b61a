import { ByteReader } from "./byte_reader.ts";
import { latin1Bytes } from "./bytes.ts";
import {
  rawFraming,
  type RawHead,
  type RawMessage,
  readRawBody,
  readRawHead,
  withBody,
} from "./raw_message.ts";

/** A client of one connection that sends exactly the bytes it is given. */
export class RawClient implements Disposable {
  #socket: Deno.TcpConn | Deno.TlsConn;
  #reader: ByteReader;
  #closed = false;

  private constructor(socket: Deno.TcpConn) {
    this.#socket = socket;
    this.#reader = new ByteReader(socket);
  }

  /** Connects to a loopback port. */
  static async connect(port: number, hostname = "127.0.0.1"): Promise<RawClient> {
    const socket = await Deno.connect({ hostname, port });
    socket.setNoDelay(true);
    return new RawClient(socket);
  }

  /** What has arrived and was not taken yet. */
  get reader(): ByteReader {
    return this.#reader;
  }

  /** The address of this end, as the proxy sees it. */
  get localPort(): number {
    return (this.#socket.localAddr as Deno.NetAddr).port;
  }

  /**
   * Opens TLS on this connection and checks the other side's certificate against `caCerts` alone
   * beside the built-in roots. @throws Error when bytes are waiting or the handshake fails.
   */
  async startTls(
    hostname: string,
    options: { caCerts: string[]; alpnProtocols?: string[] },
  ): Promise<void> {
    if (this.#reader.buffered.length > 0) throw new Error("Start TLS: unread bytes are waiting");
    const tls = await Deno.startTls(this.#socket as Deno.TcpConn, { hostname, ...options });
    this.#socket = tls;
    this.#reader = new ByteReader(tls);
    await tls.handshake();
  }

  /**
   * Sends CONNECT and, on 200, opens TLS under the name of the target.
   * @param target `host:port`.
   */
  async openTunnel(
    target: string,
    options: { authorization?: string; caCerts?: string[]; serverName?: string },
  ): Promise<RawMessage> {
    const authorization = options.authorization === undefined
      ? ""
      : `Proxy-Authorization: ${options.authorization}\r\n`;
    await this.send(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`);
    const answer = await this.readResponse({ method: "CONNECT" });
    if (options.caCerts !== undefined && statusOf(answer) === 200) {
      const hostname = options.serverName ?? target.slice(0, target.lastIndexOf(":"));
      await this.startTls(hostname, { caCerts: options.caCerts });
    }
    return answer;
  }

  /** Sends exactly these bytes; text is taken as one byte a character. */
  async send(bytes: string | Uint8Array): Promise<void> {
    const rest = typeof bytes === "string" ? latin1Bytes(bytes) : bytes;
    for (let sent = 0; sent < rest.length;) sent += await this.#socket.write(rest.subarray(sent));
  }

  /** Sends the bytes one write each, so that the other side may see them arrive one by one. */
  async sendByteByByte(bytes: string | Uint8Array): Promise<void> {
    const all = typeof bytes === "string" ? latin1Bytes(bytes) : bytes;
    for (let index = 0; index < all.length; index++) await this.send(all.slice(index, index + 1));
  }

  /** Reads one head. @throws Error when the connection ended instead. */
  async readHead(): Promise<RawHead> {
    const head = await readRawHead(this.#reader);
    if (head === undefined) throw new Error("Connection ended before a response");
    return head;
  }

  /**
   * Reads one whole response. A 1xx is a response of its own.
   * @param options.method the request's method: HEAD has no body whatever the head says, and a 2xx to
   * CONNECT starts a tunnel.
   */
  async readResponse(options: { method?: string } = {}): Promise<RawMessage> {
    const head = await this.readHead();
    const status = statusOf(head);
    const bodiless = status < 200 || status === 204 || status === 304 ||
      options.method === "HEAD" || (options.method === "CONNECT" && status < 300);
    const framing = bodiless
      ? { kind: "length", length: 0 } as const
      : rawFraming(head, "response");
    return withBody(head, await readRawBody(this.#reader, framing));
  }

  /** Sends a request and reads its response. */
  async exchange(request: string | Uint8Array, options: { method?: string } = {}): Promise<
    RawMessage
  > {
    await this.send(request);
    return await this.readResponse(options);
  }

  /** Reads to the end of the stream; a reset counts as the end. */
  async readToEnd(): Promise<Uint8Array> {
    try {
      return await this.#reader.takeAll();
    } catch (error) {
      if (error instanceof Deno.errors.ConnectionReset) return this.#reader.buffered;
      // rustls reports a peer that ends without close_notify this way.
      if (error instanceof Deno.errors.UnexpectedEof) return this.#reader.buffered;
      throw error;
    }
  }

  /** Ends this side's half. */
  async closeWrite(): Promise<void> {
    await this.#socket.closeWrite();
  }

  /** Closes both halves; a second call does nothing. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** The status code of a response's first line. @throws Error when it is none. */
export function statusOf(head: { readonly startLine: string }): number {
  const match = /^HTTP\/1\.1 (\d{3})(?: |$)/.exec(head.startLine);
  if (match === null) throw new Error(`Not a status line: ${JSON.stringify(head.startLine)}`);
  return Number(match[1]);
}

/** `Basic` credentials as a proxy URL `http://TOKEN:VAULT@...` makes a client send them. */
export function proxyBasic(token: string, vault = ""): string {
  return `Basic ${btoa(`${token}:${vault}`)}`;
}
