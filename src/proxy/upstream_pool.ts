import type { Deadline, Deadlines } from "./deadlines.ts";
import { brokerStopped, type Dialer, type DialTarget } from "./dial.ts";
import type { ProxyLimits } from "./limits.ts";
import type { ParentProxy } from "./ports.ts";
import { type ByteStream, closeQuietly, WireReader, WireWriter } from "./wire.ts";

/** A connection to an upstream, ready for one request at a time. */
export class UpstreamConnection {
  readonly reader: WireReader;
  readonly writer: WireWriter;
  readonly stream: ByteStream;
  readonly key: string;
  /** The parent proxy on the way, when a request has to be addressed to it: plain HTTP only. */
  readonly parent: ParentProxy | undefined;
  readonly deadline: Deadline = { at: Infinity };
  /** True once a request was answered on it: it may have gone stale since. */
  reused = false;
  /** True while it waits in the pool. */
  idle = false;
  /** True once its deadline has passed and closed it. */
  timedOut = false;

  constructor(
    stream: ByteStream,
    options: { key: string; parent: ParentProxy | undefined },
  ) {
    this.stream = stream;
    this.key = options.key;
    this.parent = options.parent;
    this.reader = new WireReader(stream);
    this.writer = new WireWriter(stream);
  }
}

/** What a {@link UpstreamPool} works with. */
export interface UpstreamPoolOptions {
  readonly dialer: Dialer;
  readonly deadlines: Deadlines;
  readonly limits: ProxyLimits;
}

/**
 * Keeps upstream connections for the next request to the same place. Connections are told apart by
 * vault, scheme, host and port, and by what was allowed when they were dialled, so that a connection
 * that one service opened never carries what another service's rules would have refused.
 */
export class UpstreamPool {
  readonly #options: UpstreamPoolOptions;
  readonly #idle = new Map<string, UpstreamConnection[]>();
  readonly #open = new Set<UpstreamConnection>();
  #closed = false;

  constructor(options: UpstreamPoolOptions) {
    this.#options = options;
  }

  /** Number of open connections, waiting or in use. */
  get size(): number {
    return this.#open.size;
  }

  /** A connection that waits, the most recently used first; `undefined` when there is none. */
  take(key: string): UpstreamConnection | undefined {
    while (true) {
      const connection = this.#idle.get(key)?.pop();
      if (connection === undefined) return undefined;
      connection.idle = false;
      // Bytes may have arrived, and the promise that drops the connection not have run yet.
      if (connection.reader.buffered === 0) return connection;
      this.discard(connection);
    }
  }

  /** A new connection. @throws {RefusalError} as {@link Dialer.dial} does. */
  async connect(key: string, target: DialTarget): Promise<UpstreamConnection> {
    const { stream, parent } = await this.#options.dialer.dial(target);
    const connection = new UpstreamConnection(stream, {
      key,
      parent: target.scheme === "http" ? parent : undefined,
    });
    if (this.#closed) {
      closeQuietly(connection.stream);
      throw brokerStopped();
    }
    this.#open.add(connection);
    this.#options.deadlines.watch(connection.deadline, () => {
      connection.timedOut = true;
      this.discard(connection);
    });
    return connection;
  }

  /**
   * Keeps a connection on which request and answer are complete. It is read from while it waits: a
   * close is noticed at once, and bytes that nobody asked for mean that it is out of step; either way
   * it is not used again.
   */
  release(connection: UpstreamConnection): void {
    const waiting = this.#idle.get(connection.key) ?? [];
    if (
      this.#closed || connection.reader.buffered > 0 ||
      waiting.length >= this.#options.limits.pooledPerUpstream
    ) {
      this.discard(connection);
      return;
    }
    connection.reused = true;
    connection.idle = true;
    connection.deadline.at = Date.now() + this.#options.limits.pooledIdleMs;
    waiting.push(connection);
    this.#idle.set(connection.key, waiting);
    const dropWhileIdle = () => {
      if (connection.idle) this.discard(connection);
    };
    connection.reader.fill().then(dropWhileIdle, dropWhileIdle);
  }

  /** Closes a connection for good. */
  discard(connection: UpstreamConnection): void {
    if (!this.#open.delete(connection)) return;
    this.#options.deadlines.forget(connection.deadline);
    closeQuietly(connection.stream);
    if (!connection.idle) return;
    connection.idle = false;
    const waiting = this.#idle.get(connection.key)!;
    waiting.splice(waiting.indexOf(connection), 1);
    if (waiting.length === 0) this.#idle.delete(connection.key);
  }

  /** Closes every connection, those in use included. */
  close(): void {
    this.#closed = true;
    for (const connection of [...this.#open]) this.discard(connection);
  }
}
