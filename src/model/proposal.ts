import type { Secret } from "./secret.ts";
import type { Service } from "./service.ts";

/** Where a proposal stands; only a pending one can still be decided. */
export type ProposalStatus = "pending" | "applied" | "rejected" | "expired";

/** Every status, in the order of a proposal's life. */
export const PROPOSAL_STATUSES: readonly ProposalStatus[] = [
  "pending",
  "applied",
  "rejected",
  "expired",
];

/** Services and slots that one proposal may hold: what a person can still read (interfaces: Limits). */
export const PROPOSAL_SERVICES_MAX = 10;
export const PROPOSAL_CREDENTIALS_MAX = 10;

/** Proposals of one vault that may wait for a decision (interfaces: Limits). */
export const PENDING_PROPOSALS_MAX = 20;

/** How long a proposal can be approved, in milliseconds: 7 days (interfaces: Limits). */
export const PROPOSAL_LIFE_MS = 7 * 86_400_000;

/** How long the link to a proposal's page reads it, in milliseconds: 24 hours (interfaces: Tokens). */
export const APPROVAL_LINK_LIFE_MS = 86_400_000;

/** Longest reason for a rejection, in characters: as long as a proposal's own message. */
export const REJECT_REASON_MAX = 2_000;

/** One change of the vault's services (spec: Proposal). */
export type ServiceChange =
  | { readonly action: "set"; readonly service: Service }
  | {
    readonly action: "delete";
    /** Canonical name, found when the proposal was made. */
    readonly name: string;
    /** The pattern that the service had then. */
    readonly host: string;
  };

/** A credential that the vault gets when the proposal is approved. */
export interface CredentialSlot {
  readonly key: string;
  readonly description: string;
  /** An http or https URL where a person gets the value; empty when none was named. */
  readonly obtain: string;
  readonly obtainInstructions: string;
  /** True when the agent gave a value, which is kept sealed; a person gives it otherwise. */
  readonly supplied: boolean;
}

/** What a proposal asks for. Holds no value. */
export interface ProposalContent {
  readonly services: readonly ServiceChange[];
  readonly credentials: readonly CredentialSlot[];
  /** Why, for a developer. */
  readonly message: string;
  /** Why, for the person who decides. */
  readonly userMessage: string;
}

/** A proposal as it was read from a request: its content, and the values that came with it. */
export interface ProposalDraft {
  readonly content: ProposalContent;
  /** By key; only of slots that have `supplied`. */
  readonly values: ReadonlyMap<string, Secret>;
}

/** Who made a proposal. */
export interface Proposer {
  readonly type: "session" | "agent" | "operator";
  readonly name: string;
}

/** A proposal of a vault. Holds no value. */
export interface Proposal extends ProposalContent {
  /** Counts up in each vault; a number never returns. */
  readonly id: number;
  readonly vault: string;
  readonly status: ProposalStatus;
  readonly proposer: Proposer;
  /** Milliseconds since the epoch, like the two below. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly reviewedAt: number | undefined;
  readonly rejectReason: string | undefined;
}
