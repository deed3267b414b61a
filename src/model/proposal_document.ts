import type { Proposal } from "./proposal.ts";
import type { ProposalReview } from "./proposal_review.ts";

/** A proposal as scripts and agents see it (interfaces: HTTP API); holds no value. */
export function serializeProposal(proposal: Proposal) {
  return {
    id: proposal.id,
    status: proposal.status,
    vault: proposal.vault,
    services: proposal.services.map((change) =>
      change.action === "delete"
        ? { action: change.action, name: change.name, host: change.host }
        : {
          action: change.action,
          name: change.service.name,
          host: change.service.host,
          enabled: change.service.enabled,
          auth: change.service.auth,
          substitutions: change.service.substitutions,
        }
    ),
    credentials: proposal.credentials.map((slot) => ({
      key: slot.key,
      description: slot.description,
      obtain: slot.obtain,
      obtain_instructions: slot.obtainInstructions,
      value_supplied: slot.supplied,
    })),
    message: proposal.message,
    user_message: proposal.userMessage,
    created_by: { type: proposal.proposer.type, name: proposal.proposer.name },
    created_at: isoTime(proposal.createdAt),
    expires_at: isoTime(proposal.expiresAt),
    reviewed_at: proposal.reviewedAt === undefined ? null : isoTime(proposal.reviewedAt),
    reject_reason: proposal.rejectReason ?? null,
  };
}

/** What a person decides about, for scripts of the operator; holds no value. */
export function serializeReview(review: ProposalReview) {
  return {
    services: review.services.map(({ action, name, fields }) => ({
      action,
      name,
      fields: fields.map(({ field, before, after, changed }) => ({
        field,
        before: before ?? null,
        after: after ?? null,
        changed,
      })),
    })),
    credentials: review.credentials.map(({ key, source, replaces, hosts }) => ({
      key,
      source,
      replaces,
      hosts,
    })),
    warnings: review.warnings.map(({ kind, isDanger, service, key, host, message }) => ({
      kind,
      danger: isDanger,
      service: service ?? null,
      key: key ?? null,
      host: host ?? null,
      message,
    })),
    conflicts: review.conflicts,
  };
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
