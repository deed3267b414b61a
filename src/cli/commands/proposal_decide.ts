import { BrokerError } from "../../errors.ts";
import { REJECT_REASON_MAX } from "../../model/proposal.ts";
import { serializeProposal } from "../../model/proposal_document.ts";
import type { Secret } from "../../model/secret.ts";
import { decidedFault } from "../../store/proposal_row.ts";
import type { ReviewedProposal } from "../../store/proposals.ts";
import type { Invocation } from "../command_spec.ts";
import type { Context } from "../context.ts";
import { parseDotenv } from "../dotenv.ts";
import { chooseVault, openHome } from "../home.ts";
import { inputName, readInput, STANDARD_INPUT } from "../input.ts";
import { appliedText, askValues, showReview } from "../proposal_decision.ts";
import { parseProposalId } from "../proposal_id.ts";

/** Applies a proposal after the person saw what it does, gave the values and said yes. */
export async function approveProposal(
  { context, positionals, options }: Invocation,
): Promise<number | void> {
  const id = parseProposalId(positionals[0]);
  const isAgreed = options["yes"] === true;
  if (context.output.json && !isAgreed) {
    throw new BrokerError("usage", "With --json nothing is shown to decide about", {
      hint: `look at it with "broker vault proposal show ${id}", and add --yes`,
    });
  }
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  const found = store.proposals.review(vault, id);
  const fault = decidedFault(id, found.proposal.status);
  if (fault !== undefined) throw fault;
  if (!context.output.json) showReview(context, found);
  requireApplicable(found);
  const piped = await readPipedValues(context, found);
  const values = await askValues(context, found.proposal, piped);
  const agreed = isAgreed || await context.prompts.confirm({
    message: questionOf(found),
    instead: `broker vault proposal approve ${id} --yes`,
  });
  if (!agreed) {
    context.output.note("nothing was changed; the proposal still waits");
    return 1;
  }
  // What was shown is what is applied: the digest stands for it.
  const applied = store.proposals.approve(vault, id, { values, digest: found.digest });
  context.output.print(
    serializeProposal(applied),
    () => context.output.note(appliedText(applied)),
  );
}

/** Rejects a proposal; the agent reads the reason. */
export async function rejectProposal(
  { context, positionals, options }: Invocation,
): Promise<void> {
  const id = parseProposalId(positionals[0]);
  const reason = options["reason"];
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  const rejected = store.proposals.reject(vault, id, parseReason(reason));
  context.output.print(
    serializeProposal(rejected),
    () => context.output.note(`rejected proposal ${id}; the agent is told`),
  );
}

/** The question after a review; a danger is named in it once more. */
export function questionOf({ proposal, review }: ReviewedProposal): string {
  const dangers = review.warnings.filter((warning) => warning.isDanger).length;
  if (dangers === 0) return `Approve proposal ${proposal.id}?`;
  return `Approve proposal ${proposal.id} in spite of ${
    dangers === 1 ? "the warning" : `the ${dangers} warnings`
  } above?`;
}

/** @throws {BrokerError} `vault_changed` before any value is typed for a proposal that cannot be applied. */
export function requireApplicable({ proposal, review }: ReviewedProposal): void {
  const [conflict] = review.conflicts;
  if (conflict === undefined) return;
  throw new BrokerError("vault_changed", `Apply proposal ${proposal.id}: ${conflict}`, {
    hint: `broker vault proposal reject ${proposal.id}, and let the agent make a new one`,
  });
}

function parseReason(reason: unknown): string {
  const text = typeof reason === "string" ? reason : "";
  if (text.length <= REJECT_REASON_MAX) return text;
  throw new BrokerError("usage", `The reason has ${text.length} characters`, {
    hint: `write at most ${REJECT_REASON_MAX}`,
  });
}

/** KEY=VALUE lines of a pipe; a terminal is asked instead, and a pipe is not read for no value. */
async function readPipedValues(
  context: Context,
  { proposal }: ReviewedProposal,
): Promise<Map<string, Secret>> {
  const isPipe = !context.prompts.interactive && !Deno.stdin.isTerminal();
  if (proposal.credentials.length === 0 || !isPipe) return new Map();
  const text = await readInput(STANDARD_INPUT, context.output);
  const entries = parseDotenv(text, inputName(STANDARD_INPUT));
  return new Map(entries.map(({ key, value }) => [key, value]));
}
