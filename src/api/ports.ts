import type { OperatorSession, SignInMethod, SignInOutcome } from "../model/operator.ts";
import type { Proposal, ProposalDraft, ProposalStatus, Proposer } from "../model/proposal.ts";
import type { ProposalReview } from "../model/proposal_review.ts";
import type { RequestLogFilter } from "../model/request_log_query.ts";
import type { RequestLogRow } from "../model/request_log_row.ts";
import type { Secret } from "../model/secret.ts";
import type { Service } from "../model/service.ts";
import type { Caller } from "../model/session.ts";
import type { VaultSettings } from "../model/vault.ts";

/**
 * What the HTTP API needs of the rest of the program. The store's classes satisfy these interfaces as
 * they stand, and a test passes literal objects. Every method that takes a vault's name throws
 * BrokerError `not_found` when there is no such vault.
 */

/** Looks up the bearer of an agent's token. */
export interface CallerPort {
  /** The caller whose token this is, or `undefined` for a wrong, revoked or expired one. */
  find(token: string): Caller | undefined;
}

/** Signs people in and knows who is (interfaces: Operator in a browser). */
export interface OperatorPort {
  /** True for a token (`brk_op_`) that acts as the operator without a browser. */
  has(token: string): boolean;
  /** Compares what a program sent for its person, and gives it such a token. */
  signInProgram(
    sent: Secret,
  ): Promise<SignInOutcome<{ readonly token: Secret; readonly expiresAt: number }>>;
  endToken(token: string): void;
  /** How a person signs in to the pages now. */
  method(): SignInMethod;
  /** Compares what was typed; the token goes into a cookie and is not kept anywhere. */
  signIn(typed: Secret): Promise<SignInOutcome<OperatorSession & { readonly token: Secret }>>;
  /** The session of that path and token; its idle time starts anew where a person used it. */
  find(path: string, token: string, options: { use: boolean }): OperatorSession | undefined;
  /** Whether the session of that path still holds; does not count as use. */
  isCurrent(path: string): boolean;
  signOut(path: string): void;
}

/** The vaults' settings. */
export interface VaultPort {
  list(): readonly { readonly name: string }[];
  /** The vault that is meant when nobody names one. */
  selected(): string;
  settings(vault: string): VaultSettings;
  updateSettings(vault: string, change: Partial<VaultSettings>): void;
}

/** The services of each vault, in declaration order. */
export interface ServicePort {
  list(vault: string): readonly Service[];
  /**
   * The one service that a canonical name or a bare host means.
   *
   * @throws BrokerError `not_found`, or `ambiguous_host` with `candidates`.
   */
  resolve(vault: string, nameOrHost: string): Service;
  replaceAll(vault: string, services: readonly Service[]): void;
  upsert(vault: string, services: readonly Service[]): void;
  remove(vault: string, name: string): void;
  setEnabled(vault: string, name: string, enabled: boolean): void;
  clear(vault: string): void;
}

/** The credentials of each vault. There is no way here to read a value. */
export interface CredentialPort {
  keys(vault: string): readonly string[];
  /** Stores all entries or none. */
  set(vault: string, entries: readonly { key: string; value: Secret }[]): void;
  /** Deletes all keys or none. */
  delete(vault: string, keys: readonly string[]): void;
}

/** Rows of the request log, oldest first. */
export interface TrafficRows {
  readonly rows: readonly RequestLogRow[];
  /** Behind the last row, of whatever vault. */
  readonly cursor: number;
  /** Rows that came since the cursor asked for and are not among these. */
  readonly dropped: number;
}

/** The request log of this data directory, whichever process wrote it. */
export interface RequestLogPort {
  /** Rows newest first, older than `before` and newer than `after`; `next` is the `before` of the next part. */
  page(
    filter: RequestLogFilter,
    options: { limit: number; before?: number; after?: number },
  ): {
    readonly requests: readonly { readonly seq: number; readonly row: RequestLogRow }[];
    readonly next: number | undefined;
  };
}

/** What the request log got, for a page that follows it. */
export interface TrafficPort {
  /** The newest rows, at most `limit`. */
  newest(vault: string, limit: number): TrafficRows;
  /** The rows after a cursor; when there are more than `limit`, the newest. */
  after(vault: string, options: { cursor: number; limit: number }): TrafficRows;
}

/** Mints vault-scoped sessions. */
export interface SessionPort {
  /** @param options.agent Name of the agent that mints it, and with whose token it ends. */
  create(options: { vault: string; ttlSeconds: number; agent?: string }): {
    readonly token: Secret;
    /** Milliseconds since the epoch. */
    readonly expiresAt: number;
  };
}

/** The proposals of each vault. There is no way here to read a value. */
export interface ProposalPort {
  /** @throws BrokerError `too_many_proposals`. */
  create(vault: string, draft: ProposalDraft, proposer: Proposer): {
    readonly proposal: Proposal;
    /** Reads this one proposal for a day. */
    readonly token: Secret;
  };
  list(vault: string, options: { readonly status?: ProposalStatus }): readonly Proposal[];
  /** @throws BrokerError `not_found`. */
  get(vault: string, id: number): Proposal;
  /** The proposal with what approving it would do now, and a digest of that. */
  review(vault: string, id: number): {
    readonly proposal: Proposal;
    readonly review: ProposalReview;
    readonly digest: string;
  };
  /** The proposal that an approval link's token reads. */
  findByToken(token: string): { readonly vault: string; readonly id: number } | undefined;
  /**
   * Applies all of it or nothing.
   *
   * @throws BrokerError `proposal_applied`, `proposal_rejected`, `proposal_expired`, `vault_changed`,
   * `values_missing`, `validation_failed`.
   */
  approve(vault: string, id: number, approval: {
    readonly values: ReadonlyMap<string, Secret>;
    readonly digest?: string | undefined;
  }): Proposal;
  /** @throws BrokerError `proposal_applied`, `proposal_rejected`, `proposal_expired`. */
  reject(vault: string, id: number, reason: string): Proposal;
}

/** A failure that nobody foresaw, for the log: the client gets the request id only. */
export interface Defect {
  readonly requestId: string;
  readonly method: string;
  /** Path without query. */
  readonly path: string;
  readonly error: Error;
}

/** All that {@link createApi} is built from. */
export interface ApiPorts {
  /** The program's version, shown by `/healthz`. */
  readonly version: string;
  /** The authorities that this listener answers to, such as `127.0.0.1:14321`, `[::1]:14321`. */
  readonly hosts: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly reportDefect: (defect: Defect) => void;
  /** The CA's certificate. */
  readonly certificatePem: string;
  readonly callers: CallerPort;
  readonly operators: OperatorPort;
  readonly vaults: VaultPort;
  readonly services: ServicePort;
  readonly credentials: CredentialPort;
  readonly sessions: SessionPort;
  readonly requestLog: RequestLogPort;
  readonly traffic: TrafficPort;
  /** A number that differs when something that the store keeps may have changed. */
  readonly revision: () => number;
  /** Aborted when the broker stops: answers that last have to end. */
  readonly stopping: AbortSignal;
  readonly proposals: ProposalPort;
  /** Tells the person that a proposal waits. */
  readonly announce: (proposal: Proposal) => void;
}
