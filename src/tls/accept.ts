import type { LeafCache } from "./leaf_cache.ts";
import { loadServerEngine } from "./server_engine.ts";
import { TlsServerStream, type Transport } from "./server_stream.ts";

/** Opens TLS for clients of one host, under its leaf. */
export interface TlsServer {
  /** Takes a connection over whose first bytes are a client's TLS. */
  accept(transport: Transport): TlsServerStream;
}

/** Terminates the TLS of intercepted tunnels. */
export class TlsAcceptor {
  readonly #leaves: LeafCache;

  constructor(leaves: LeafCache) {
    this.#leaves = leaves;
  }

  /**
   * Makes ready for a host; nothing has to be given back when no connection follows.
   *
   * @throws {BrokerError} `validation_failed` when no certificate can name the host.
   */
  async prepare(hostname: string): Promise<TlsServer> {
    const [createEngine, leaf] = await Promise.all([
      loadServerEngine(),
      this.#leaves.get(hostname),
    ]);
    return { accept: (transport) => new TlsServerStream(createEngine(leaf), transport) };
  }
}
