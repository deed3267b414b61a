import type { RequestHead } from "../http1/request_head.ts";
import { parseRequestTarget, type RequestTarget } from "../http1/request_target.ts";
import { hostField } from "../http1/request_target.ts";
import { HttpFault } from "../http1/fault.ts";
import { AccessCheck, parseProxyCredentials } from "./access.ts";
import { OpenTunnels } from "./open_tunnels.ts";
import { ClientConnection } from "./client_connection.ts";
import { serveConnect } from "./connect.ts";
import { checkConnectHead } from "./connect_request.ts";
import type { ProxyContext } from "./context.ts";
import { Deadlines } from "./deadlines.ts";
import { Dialer } from "./dial.ts";
import { type After, Exchange } from "./exchange.ts";
import { DEFAULT_LIMITS, type ProxyLimits } from "./limits.ts";
import type {
  AddressGuard,
  ParentSelector,
  RequestLog,
  Resolver,
  TlsAcceptor,
  UpstreamTls,
  VaultState,
} from "./ports.ts";
import { type Refusal, RefusalError } from "./refusal.ts";
import { RowDraft } from "./row_draft.ts";
import { refuse, refuseMalformed, serveRequests } from "./serve.ts";
import { UpstreamPool } from "./upstream_pool.ts";
import { closeQuietly } from "./wire.ts";

/** What a {@link Proxy} works with. */
export interface ProxyOptions {
  readonly state: VaultState;
  readonly log: RequestLog;
  readonly acceptor: TlsAcceptor;
  readonly upstreamTls: UpstreamTls;
  readonly resolve: Resolver;
  readonly guard: AddressGuard;
  /** Names the user's own proxy for a connection; left out, every connection is direct. */
  readonly selectParent?: ParentSelector;
  /** Takes an error that nobody foresaw, with the id of the request it ended. */
  readonly onDefect: (error: unknown, requestId: string) => void;
  /** Takes why a client could not open TLS with the broker, and the host that it asked for. */
  readonly onClientFault?: ((reason: string, host: string) => void) | undefined;
  /** Ports on loopback that belong to the broker beside the proxy's own, such as the API's. */
  readonly ownPorts?: readonly number[];
  readonly limits?: Partial<ProxyLimits>;
}

/** How often time limits are looked at: exact to a quarter of a second, in milliseconds. */
const DEADLINE_TICK_MS = 250;

/** The forward proxy: one listener and every connection that came in through it. */
export class Proxy {
  readonly #context: ProxyContext;
  readonly #listener: Deno.TcpListener;
  readonly #clients = new Set<ClientConnection>();
  readonly #serving = new Set<Promise<void>>();
  readonly #accepting: Promise<void>;
  #stopping: Promise<void> | undefined;

  private constructor(listener: Deno.TcpListener, options: ProxyOptions) {
    this.#listener = listener;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const deadlines = new Deadlines(DEADLINE_TICK_MS);
    const ownPorts = new Set([listener.addr.port, ...(options.ownPorts ?? [])]);
    const dialer = new Dialer({
      resolve: options.resolve,
      guard: options.guard,
      tls: options.upstreamTls,
      selectParent: options.selectParent ?? (() => undefined),
      limits,
      isOwnListener: (address, port) => ownPorts.has(port) && reachesLoopback(address),
    });
    this.#context = {
      state: options.state,
      log: options.log,
      acceptor: options.acceptor,
      onDefect: options.onDefect,
      onClientFault: options.onClientFault,
      limits,
      deadlines,
      dialer,
      pool: new UpstreamPool({ dialer, deadlines, limits }),
      tunnels: new OpenTunnels(),
    };
    this.#accepting = this.#acceptLoop();
  }

  /** Starts listening. @throws {Deno.errors.AddrInUse} when the port is taken. */
  static listen(address: { hostname: string; port: number }, options: ProxyOptions): Proxy {
    return new Proxy(Deno.listen(address), options);
  }

  /** The port that is listened on. */
  get port(): number {
    return this.#listener.addr.port;
  }

  /** Open connections to upstreams, waiting or in use. */
  get upstreamConnections(): number {
    return this.#context.pool.size;
  }

  /** Open connections from clients. */
  get clientConnections(): number {
    return this.#clients.size;
  }

  /** Closes the listener and every connection; settles when nothing runs any more. May be called twice. */
  stop(): Promise<void> {
    return this.#stopping ??= this.#stop();
  }

  async #stop(): Promise<void> {
    this.#listener.close();
    await this.#accepting;
    this.#context.dialer.close();
    this.#context.tunnels.close();
    this.#context.pool.close();
    for (const client of this.#clients) closeQuietly(client.stream);
    await Promise.all(this.#serving);
    this.#context.deadlines.close();
  }

  async #acceptLoop(): Promise<void> {
    while (true) {
      let connection: Deno.TcpConn;
      try {
        connection = await this.#listener.accept();
      } catch (error) {
        if (error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted) {
          return;
        }
        // Out of file descriptors, or a connection that died in the queue: others may still come.
        await new Promise((resolve) => setTimeout(resolve, ACCEPT_PAUSE_MS));
        continue;
      }
      const serving = this.#serve(connection);
      this.#serving.add(serving);
      serving.finally(() => this.#serving.delete(serving));
    }
  }

  async #serve(connection: Deno.TcpConn): Promise<void> {
    const client = new ClientConnection(connection);
    const { deadlines } = this.#context;
    this.#clients.add(client);
    deadlines.watch(client.deadline, () => closeQuietly(connection));
    try {
      connection.setNoDelay(true);
      const entrance = new Entrance(client, this.#context);
      await serveRequests(client, this.#context, {
        ingress: "forward",
        handle: (head) => entrance.handle(head),
      });
    } catch (error) {
      this.#reportDefect(error);
    } finally {
      deadlines.forget(client.deadline);
      this.#clients.delete(client);
      closeQuietly(connection);
    }
  }

  /** Connections break at any moment; only what the network does not explain is a defect. */
  #reportDefect(error: unknown): void {
    if (error instanceof RefusalError || isNetworkError(error)) return;
    this.#context.onDefect(error, "-");
  }
}

/** Pause after a failed accept, in milliseconds, so that a lack of descriptors does not spin. */
const ACCEPT_PAUSE_MS = 50;

/** What a client says on the proxy's own port: CONNECT, or requests in absolute-form. */
class Entrance {
  readonly #client: ClientConnection;
  readonly #context: ProxyContext;
  /** The check of the request before, kept while the client presents the same credentials. */
  #access: AccessCheck | undefined;

  constructor(client: ClientConnection, context: ProxyContext) {
    this.#client = client;
    this.#context = context;
  }

  async handle(head: RequestHead): Promise<After> {
    let target: RequestTarget;
    try {
      target = parseRequestTarget(head.method, head.target);
      if (target.form === "origin" || target.form === "asterisk") throw notAProxyRequest();
      if (target.form === "authority") checkConnectHead(head);
    } catch (error) {
      return await refuseMalformed(this.#client, this.#context, {
        head,
        error,
        ingress: "forward",
      });
    }
    const access = this.#authenticate(head);
    if (access instanceof RefusalError) return await this.#challenge(head, target, access.refusal);
    if (target.form === "authority") {
      await serveConnect(this.#client, { authority: target.authority, access }, this.#context);
      return "close";
    }
    return await new Exchange(
      this.#client,
      { ...target, head, ingress: "forward", access },
      this.#context,
    )
      .run();
  }

  /** Only a bad token is answered here; a bad vault is said where the client can read it. */
  #authenticate(head: RequestHead): AccessCheck | RefusalError {
    try {
      const credentials = parseProxyCredentials(head.headers);
      if (!this.#access?.isFor(credentials)) {
        this.#access = new AccessCheck(this.#context.state, credentials);
      }
      this.#access.check();
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      if (error.refusal.code === "proxy_auth_required") return error;
    }
    return this.#access!;
  }

  async #challenge(
    head: RequestHead,
    target: Exclude<RequestTarget, { form: "origin" | "asterisk" }>,
    refusal: Refusal,
  ): Promise<After> {
    const row = new RowDraft(target.form === "authority" ? "connect" : "forward");
    row.describe({
      method: head.method,
      host: hostField(target.form === "authority" ? "https" : target.scheme, target.authority),
      path: target.form === "authority" ? "" : target.pathAndQuery.split("?")[0]!,
    });
    const kept = await refuse(this.#client, this.#context, { refusal, row, head });
    return kept ? "keep" : "linger";
  }
}

function notAProxyRequest(): HttpFault {
  return new HttpFault(
    "this is a proxy: send CONNECT host:port or an absolute http:// or https:// URL",
  );
}

/** The broker listens on loopback; the unspecified address leads there too. */
function reachesLoopback(address: string): boolean {
  return /^(127\.|0\.0\.0\.0$|::1$|::$|::ffff:(127\.|7f[0-9a-f]{2}:))/i.test(address);
}

function isNetworkError(error: unknown): boolean {
  return error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe ||
    error instanceof Deno.errors.UnexpectedEof || error instanceof Deno.errors.BadResource ||
    error instanceof Deno.errors.Interrupted || error instanceof Deno.errors.ConnectionAborted ||
    error instanceof Deno.errors.NotConnected || error instanceof Deno.errors.InvalidData ||
    error instanceof Deno.errors.TimedOut;
}
