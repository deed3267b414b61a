import type { Leaf } from "./issuer.ts";
import { ExpiringCache } from "./expiring_cache.ts";

/** Leaves kept when nothing else is said; one takes about 2 KB. */
const DEFAULT_CAPACITY = 1_024;

/** A leaf with less than this left is issued anew, in milliseconds: a tunnel may stay open for hours. */
export const RENEW_BEFORE = 86_400_000;

/** Issues leaves; an Authority does. */
export interface LeafIssuer {
  issueLeaf(hostname: string): Promise<Leaf>;
}

/** Settings of a {@link LeafCache}. */
export interface LeafCacheOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Most leaves kept at once. */
  readonly capacity?: number;
}

/** Leaves by host name: bounded, one issue at a time for each name, renewed before they expire. */
export class LeafCache {
  readonly #now: () => number;
  readonly #leaves: ExpiringCache<Leaf>;

  constructor(issuer: LeafIssuer, { now, capacity = DEFAULT_CAPACITY }: LeafCacheOptions) {
    this.#now = now;
    this.#leaves = new ExpiringCache({
      capacity,
      create: (hostname) => issuer.issueLeaf(hostname),
      isFresh: (leaf) => this.isFresh(leaf),
    });
  }

  /**
   * The leaf of a host, issued when there is none or its end is near.
   * @throws BrokerError as {@link LeafIssuer.issueLeaf}.
   */
  get(hostname: string): Promise<Leaf> {
    return this.#leaves.get(hostname.toLowerCase());
  }

  /** Whether a leaf may still be offered to new connections. */
  isFresh(leaf: Leaf): boolean {
    return leaf.expiresAt - this.#now() > RENEW_BEFORE;
  }
}
