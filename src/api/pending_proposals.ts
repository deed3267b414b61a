import type { Proposal } from "../model/proposal.ts";
import type { PendingProposal } from "../web/pending_list.ts";
import { proposalTitle } from "../web/proposal_title.ts";
import type { ApiPorts } from "./ports.ts";

/** Every proposal of every vault that waits for a person, the longest waiting first in each vault. */
export function listPending(
  { vaults, proposals, services }: Pick<ApiPorts, "vaults" | "proposals" | "services">,
  except?: Proposal,
): readonly PendingProposal[] {
  return vaults.list().flatMap(({ name: vault }) => {
    const waiting = proposals.list(vault, { status: "pending" });
    if (waiting.length === 0) return [];
    const existing = services.list(vault);
    return waiting.filter(({ id }) => except?.vault !== vault || except.id !== id)
      .map((one) => ({ id: one.id, vault, title: proposalTitle(one, existing) }))
      .toReversed();
  });
}
