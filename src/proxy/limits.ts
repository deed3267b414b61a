/** Every time limit of the data plane, in milliseconds, and its size limits, in bytes. */
export interface ProxyLimits {
  /** For one TCP connection to an upstream address. */
  readonly connectMs: number;
  /** Longest silence of an upstream. A model that thinks before its first byte may take ten minutes. */
  readonly upstreamIdleMs: number;
  /** Longest wait for a client's next request or next piece of a body. */
  readonly clientIdleMs: number;
  /** Longest silence of an upstream once the client has closed its sending side: most such clients are gone. */
  readonly halfClosedIdleMs: number;
  /** Longest silence of both sides of a tunnel or WebSocket. */
  readonly tunnelIdleMs: number;
  /** How long an unused upstream connection is kept; below the 60 to 75 s after which common servers close. */
  readonly pooledIdleMs: number;
  /** Most unused upstream connections per vault, scheme, host and port. */
  readonly pooledPerUpstream: number;
  /** How long the broker reads on after it answered a request early, so that the answer is not lost. */
  readonly lingerMs: number;
  /** Most bytes of a refused request's body that are read to keep the connection. */
  readonly drainBytes: number;
  /** Largest body that is held for substitution (interfaces: Limits). */
  readonly substitutedBodyBytes: number;
}

/** What the program runs with; tests shorten the times. */
export const DEFAULT_LIMITS: ProxyLimits = {
  connectMs: 10_000,
  upstreamIdleMs: 15 * 60_000,
  clientIdleMs: 15 * 60_000,
  halfClosedIdleMs: 10_000,
  tunnelIdleMs: 2 * 60 * 60_000,
  pooledIdleMs: 50_000,
  pooledPerUpstream: 64,
  lingerMs: 2_000,
  drainBytes: 256 * 1024,
  substitutedBodyBytes: 16 * 1024 * 1024,
};
