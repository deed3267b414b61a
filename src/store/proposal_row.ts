import { BrokerError } from "../errors.ts";
import type { Proposal, ProposalContent, ProposalStatus, Proposer } from "../model/proposal.ts";

/** A row of `proposals`. */
export interface ProposalRow {
  readonly id: number;
  /** As stored; an expired proposal is still `pending` here. */
  readonly status: "pending" | "applied" | "rejected";
  readonly content: string;
  readonly proposer_type: string;
  readonly proposer_name: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly reviewed_at: number | null;
  readonly reject_reason: string | null;
}

/** The columns of a {@link ProposalRow}. */
export const PROPOSAL_COLUMNS =
  "id, status, content, proposer_type, proposer_name, created_at, expires_at, reviewed_at, reject_reason";

/** Reads a row; a pending one whose time is up is `expired`. @throws {BrokerError} `home_unusable` */
export function parseProposalRow(
  row: ProposalRow,
  { vault, now }: { readonly vault: string; readonly now: number },
): Proposal {
  return {
    ...parseContent(row),
    id: row.id,
    vault,
    status: statusOf(row, now),
    proposer: { type: row.proposer_type as Proposer["type"], name: row.proposer_name },
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    reviewedAt: row.reviewed_at ?? undefined,
    rejectReason: row.reject_reason ?? undefined,
  };
}

/** Where a row stands at that moment. */
export function statusOf(
  row: Pick<ProposalRow, "status" | "expires_at">,
  now: number,
): ProposalStatus {
  return row.status === "pending" && row.expires_at <= now ? "expired" : row.status;
}

/** The error for a proposal that can no longer be decided; `undefined` for a pending one. */
export function decidedFault(id: number, status: ProposalStatus): BrokerError | undefined {
  switch (status) {
    case "pending":
      return undefined;
    case "applied":
      return new BrokerError("proposal_applied", `Proposal ${id} is applied already`, {
        hint: "broker vault service list shows what holds now",
      });
    case "rejected":
      return new BrokerError("proposal_rejected", `Proposal ${id} is rejected already`, {
        hint: "the agent can make a new proposal",
      });
    case "expired":
      return new BrokerError("proposal_expired", `Proposal ${id} is older than 7 days`, {
        hint: "the agent can make a new proposal",
      });
  }
}

function parseContent(row: ProposalRow): ProposalContent {
  try {
    return JSON.parse(row.content) as ProposalContent;
  } catch (cause) {
    throw new BrokerError("home_unusable", `The stored proposal ${row.id} cannot be read`, {
      hint: "put a backup of the data directory back, or set BROKER_HOME to a new one",
      cause,
    });
  }
}
