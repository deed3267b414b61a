import type { OpenTunnels } from "./open_tunnels.ts";
import type { Deadlines } from "./deadlines.ts";
import type { Dialer } from "./dial.ts";
import type { ProxyLimits } from "./limits.ts";
import type { RequestLog, TlsAcceptor, VaultState } from "./ports.ts";
import type { UpstreamPool } from "./upstream_pool.ts";

/** What every connection of one proxy shares. */
export interface ProxyContext {
  readonly state: VaultState;
  readonly log: RequestLog;
  readonly limits: ProxyLimits;
  readonly deadlines: Deadlines;
  readonly dialer: Dialer;
  readonly pool: UpstreamPool;
  readonly acceptor: TlsAcceptor;
  readonly tunnels: OpenTunnels;
  /** Takes an error that nobody foresaw, with the id of the request it ended. */
  readonly onDefect: (error: unknown, requestId: string) => void;
  /** Takes why a client could not open TLS with the broker, and the host that it asked for. */
  readonly onClientFault?: ((reason: string, host: string) => void) | undefined;
}
