import { BrokerError } from "../errors.ts";
import type { Leaf } from "./issuer.ts";
import type { NativeSockets } from "./native_sockets.ts";

const LOOPBACK = "127.0.0.1";

/** What clients are offered (RFC 7301): curl --http1.0 names that version alone. */
const ALPN_PROTOCOLS = ["http/1.1", "http/1.0"];

/** Longest time between a connection and its arrival at the listener, in milliseconds. */
const ARRIVAL_TIMEOUT_MS = 5_000;

/** Connections of unknown origin kept while connects are under way; a flood of them is not hoarded. */
const MAX_STRANGERS = 256;

/** Pause after a failed accept, in milliseconds: with no descriptor left it fails again at once. */
const ACCEPT_PAUSE_MS = 20;

/** One intercepted TLS connection. */
export interface AcceptedTls {
  /** The raw side: what the client's bytes are copied into and the answers come out of. */
  readonly inner: Deno.TcpConn;
  /** The plaintext side. The handshake runs with the first read, or with `handshake()`. */
  readonly tls: Deno.TlsConn;
}

interface Arrival {
  readonly resolve: (tls: Deno.TlsConn) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A TLS server for one leaf on a loopback port, and the connections that this process opens to it.
 * Whoever else connects is cut off: a connection counts only when it comes from 127.0.0.1 and from the
 * very port that one of our own connections holds. No other process can hold that port towards this
 * listener as long as ours is open, so nobody can take its place.
 */
export class LoopbackListener {
  /** The leaf it presents. */
  readonly leaf: Leaf;
  readonly #sockets: NativeSockets;
  readonly #listener: Deno.TlsListener;
  /** Our connections whose other end is still to arrive, by their port. */
  readonly #awaited = new Map<number, Arrival>();
  /** Arrivals whose port may turn out to be ours: accepting can be faster than connecting. */
  readonly #strangers = new Map<number, Deno.TlsConn>();
  readonly #accepting: Promise<void>;
  #connecting = 0;
  #opening = 0;
  #retired = false;
  #closed = false;

  constructor(leaf: Leaf, sockets: NativeSockets) {
    this.leaf = leaf;
    this.#sockets = sockets;
    this.#listener = Deno.listenTls({
      hostname: LOOPBACK,
      port: 0,
      cert: leaf.certificatePem,
      key: leaf.privateKeyPem,
      alpnProtocols: ALPN_PROTOCOLS,
    });
    sockets.setListenerNoDelay(this.port);
    this.#accepting = this.#accept();
  }

  /** The port it listens at. */
  get port(): number {
    return this.#listener.addr.port;
  }

  /** True once it takes no further connections. */
  get retired(): boolean {
    return this.#retired;
  }

  /**
   * Opens a connection to itself.
   * @throws BrokerError `unavailable` when it is closed before the connection has arrived.
   */
  async open(): Promise<AcceptedTls> {
    if (this.#retired) throw closedError();
    this.#opening += 1;
    try {
      const { inner, arrival } = await this.#connect();
      try {
        return { inner, tls: await arrival };
      } catch (error) {
        closeQuietly(inner);
        throw error;
      }
    } finally {
      this.#opening -= 1;
      if (this.#retired && this.#opening === 0) this.#close();
    }
  }

  /** Closes it as soon as no connection is being opened; open connections stay. */
  retire(): void {
    this.#retired = true;
    if (this.#opening === 0) this.#close();
  }

  /** Settles when it is closed and nothing of it runs any more. */
  get done(): Promise<void> {
    return this.#accepting;
  }

  /** Closes it now, connections that are being opened included; open connections stay. */
  close(): void {
    this.#retired = true;
    this.#close();
  }

  async #connect(): Promise<{ inner: Deno.TcpConn; arrival: Promise<Deno.TlsConn> }> {
    this.#connecting += 1;
    let inner: Deno.TcpConn | undefined;
    try {
      inner = await Deno.connect({ hostname: LOOPBACK, port: this.port });
      inner.setNoDelay(true);
      // Nothing may be awaited up to the end of this function: an arrival that is neither expected nor
      // covered by a connect under way is cut off.
      return { inner, arrival: this.#arrival(inner.localAddr.port) };
    } catch (error) {
      if (inner !== undefined) closeQuietly(inner);
      throw error;
    } finally {
      this.#connecting -= 1;
      this.#dismissStrangers();
    }
  }

  /** Waits for the other end of our connection from this port. */
  #arrival(port: number): Promise<Deno.TlsConn> {
    const early = this.#strangers.get(port);
    this.#strangers.delete(port);
    if (early !== undefined) return Promise.resolve(early);
    if (this.#closed) return Promise.reject(closedError());
    return new Promise<Deno.TlsConn>((resolve, reject) => {
      const timer = setTimeout(() => settle(reject, closedError()), ARRIVAL_TIMEOUT_MS);
      const settle = <Result>(call: (result: Result) => void, result: Result) => {
        clearTimeout(timer);
        this.#awaited.delete(port);
        call(result);
      };
      this.#awaited.set(port, {
        resolve: (tls) => settle(resolve, tls),
        reject: (error) => settle(reject, error),
      });
    });
  }

  async #accept(): Promise<void> {
    while (!this.#closed) {
      try {
        this.#place(await this.#listener.accept());
      } catch (error) {
        if (this.#closed || error instanceof Deno.errors.BadResource) return;
        // One client's fault, or no descriptor left for now; neither ends the listener.
        await new Promise((resolve) => setTimeout(resolve, ACCEPT_PAUSE_MS));
      }
    }
  }

  #place(tls: Deno.TlsConn): void {
    const { hostname, port } = tls.remoteAddr as Deno.NetAddr;
    if (hostname !== LOOPBACK) return this.#cutOff(tls);
    const awaited = this.#awaited.get(port);
    if (awaited !== undefined) return awaited.resolve(tls);
    if (this.#connecting === 0 || this.#strangers.size >= MAX_STRANGERS) return this.#cutOff(tls);
    const former = this.#strangers.get(port);
    if (former !== undefined) this.#cutOff(former);
    this.#strangers.set(port, tls);
  }

  /** With no connect under way, whatever is unclaimed is not ours. */
  #dismissStrangers(): void {
    if (this.#connecting > 0) return;
    for (const tls of this.#strangers.values()) this.#cutOff(tls);
    this.#strangers.clear();
  }

  #cutOff(tls: Deno.TlsConn): void {
    // Closing alone would leave the socket open for as long as the stranger is silent.
    this.#sockets.disconnect(tls);
    closeQuietly(tls);
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#listener.close();
    for (const tls of this.#strangers.values()) this.#cutOff(tls);
    this.#strangers.clear();
    for (const awaited of [...this.#awaited.values()]) awaited.reject(closedError());
  }
}

/** What callers get whose connection cannot arrive any more. */
export function closedError(): BrokerError {
  return new BrokerError("unavailable", "Open TLS for a client: the listener is closed");
}

function closeQuietly(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // The other side was faster.
  }
}
