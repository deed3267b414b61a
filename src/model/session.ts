import type { VaultGrant } from "./agent_grant.ts";

/** Who acts: a vault-scoped session of `vault run`, or an instance-level agent token. */
export type ActorType = "session" | "agent";

/** A bearer of a valid token (spec: Authentication). */
export interface Caller {
  readonly actorType: ActorType;
  /** Shown in the request log: the session's short id, or the agent's name. */
  readonly actorName: string;
  /** The vault of a vault-scoped session; `undefined` for an agent token, which selects one of its grants. */
  readonly vaultName: string | undefined;
  /** Vaults that an agent token may select; empty for a session. */
  readonly grants: readonly VaultGrant[];
  /** Milliseconds since the epoch; `Infinity` when it does not expire. */
  readonly expiresAt: number;
}
