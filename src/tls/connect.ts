import { type TlsFault, tlsFaultOf } from "./connect_fault.ts";
import { NativeSockets, type SocketEnds } from "./native_sockets.ts";

/** Longest time for a handshake when nothing else is said, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 15_000;

/** The only protocol the data plane speaks to upstreams (RFC 7301). */
const ALPN_PROTOCOL = "http/1.1";

/** Why an upstream's TLS could not be used; the message is for a person and holds no secret. */
export class TlsConnectError extends Error {
  override readonly name = "TlsConnectError";
  readonly fault: TlsFault;

  constructor(fault: TlsFault, options: { message: string; cause: unknown }) {
    super(options.message, { cause: options.cause });
    this.fault = fault;
  }
}

/** What {@link connectTls} verifies against. There is no way to leave verification out. */
export interface ConnectTlsOptions {
  /** DNS name or IP address that the certificate must carry; it is also the SNI. */
  readonly hostname: string;
  /** Roots beside the built-in ones, one PEM certificate each. */
  readonly caCerts?: readonly string[];
  /** Limit for the handshake in milliseconds. */
  readonly timeoutMs?: number;
  /** Gives the handshake up. */
  readonly signal?: AbortSignal;
}

/**
 * Opens verified TLS with ALPN `http/1.1` on a connection to an upstream. Takes the connection over: when
 * it fails, the connection is closed.
 * @throws TlsConnectError with the reason; the signal's reason when the signal ended it.
 */
export async function connectTls(
  tcp: Deno.TcpConn,
  options: ConnectTlsOptions,
): Promise<Deno.TlsConn> {
  const { signal, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const hostname = serverName(options.hostname);
  let timedOut = false;
  let open: Deno.Conn = tcp;
  const ends: SocketEnds = { localAddr: tcp.localAddr, remoteAddr: tcp.remoteAddr };
  const giveUp = () => {
    // Closing alone would leave the socket open for as long as the server is silent.
    using sockets = new NativeSockets();
    sockets.disconnect(ends);
    close(open);
  };
  const timer = setTimeout(() => {
    timedOut = true;
    giveUp();
  }, timeoutMs);
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    signal?.throwIfAborted();
    // An empty name would silently be taken for "127.0.0.1".
    if (hostname === "") throw new TypeError("Invalid hostname: ''");
    tcp.setNoDelay(true);
    const tls = await Deno.startTls(tcp, {
      hostname,
      caCerts: [...options.caCerts ?? []],
      alpnProtocols: [ALPN_PROTOCOL],
    });
    open = tls;
    signal?.throwIfAborted();
    if (timedOut) throw new Deno.errors.TimedOut();
    await tls.handshake();
    return tls;
  } catch (cause) {
    close(open);
    if (signal?.aborted === true) throw signal.reason;
    throw faultError(cause, { hostname: options.hostname, timedOut, timeoutMs });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}

function faultError(
  cause: unknown,
  { hostname, timedOut, timeoutMs }: { hostname: string; timedOut: boolean; timeoutMs: number },
): TlsConnectError {
  if (timedOut) {
    const message = `TLS with "${hostname}" failed: no answer to the handshake within ${
      timeoutMs / 1_000
    } s`;
    return new TlsConnectError("timeout", { message, cause });
  }
  const { fault, reason } = tlsFaultOf(cause);
  return new TlsConnectError(fault, { message: `TLS with "${hostname}" failed: ${reason}`, cause });
}

/** The form of a host that TLS names: IPv6 without brackets, a DNS name without its final dot. */
function serverName(hostname: string): string {
  return hostname.startsWith("[") && hostname.endsWith("]")
    ? hostname.slice(1, -1)
    : hostname.replace(/\.$/, "");
}

function close(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // The handshake took it over or closed it already.
  }
}
