import { ExpiringCache } from "./expiring_cache.ts";
import type { LeafCache } from "./leaf_cache.ts";
import type { Leaf } from "./issuer.ts";
import { type AcceptedTls, closedError, LoopbackListener } from "./loopback_listener.ts";
import { NativeSockets } from "./native_sockets.ts";

/** Listeners kept when nothing else is said; one takes about 17 KB and a descriptor. */
const DEFAULT_CAPACITY = 256;

/** Settings of a {@link TlsAcceptor}. */
export interface TlsAcceptorOptions {
  /** Most listeners kept at once. */
  readonly capacity?: number;
}

/**
 * Terminates the TLS of intercepted tunnels. Deno has no server side of `startTls`, so there is one
 * `Deno.listenTls` on a loopback port for each host; a tunnel's bytes are copied into a connection to it,
 * and the plaintext comes out of the connection that the listener accepted.
 */
export class TlsAcceptor {
  readonly #sockets = new NativeSockets();
  readonly #listeners: ExpiringCache<LoopbackListener>;
  /** Every listener that is not closed yet, so that none outlives {@link TlsAcceptor.close}. */
  readonly #open = new Set<LoopbackListener>();
  #closed = false;

  constructor(leaves: LeafCache, { capacity = DEFAULT_CAPACITY }: TlsAcceptorOptions = {}) {
    this.#listeners = new ExpiringCache({
      capacity,
      create: async (hostname) => this.#listen(await leaves.get(hostname)),
      isFresh: (listener) => !listener.retired && leaves.isFresh(listener.leaf),
      onRemoved: (listener) => listener.retire(),
    });
  }

  /**
   * Opens a TLS connection that presents a leaf for the host. The caller closes both sides.
   * @throws BrokerError `validation_failed` when no certificate can name the host, `unavailable` once the
   * acceptor is closed.
   */
  async open(hostname: string): Promise<AcceptedTls> {
    if (this.#closed) throw closedError();
    const key = hostname.toLowerCase();
    let listener = await this.#listeners.get(key);
    // Other hosts may have pushed it out between its creation and this line.
    if (listener.retired) listener = await this.#listeners.get(key);
    return await listener.open();
  }

  /** Closes every listener; connections that were handed out stay open. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    const listeners = [...this.#open];
    for (const listener of listeners) listener.close();
    await Promise.all(listeners.map((listener) => listener.done));
    this.#sockets.close();
  }

  #listen(leaf: Leaf): LoopbackListener {
    if (this.#closed) throw closedError();
    const listener = new LoopbackListener(leaf, this.#sockets);
    this.#open.add(listener);
    listener.done.then(() => this.#open.delete(listener));
    return listener;
  }
}
