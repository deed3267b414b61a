import { BrokerError } from "../errors.ts";
import { checkCredentialValue } from "../model/credential_value.ts";
import type { Proposal } from "../model/proposal.ts";
import { serializeProposal } from "../model/proposal_document.ts";
import { keysToProvide } from "../model/proposal_review.ts";
import type { Secret } from "../model/secret.ts";
import { visibleText } from "../model/visible_text.ts";
import type { ReviewedProposal } from "../store/proposals.ts";
import type { Context } from "./context.ts";
import { formatProposal } from "./proposal_text.ts";

/** Longest part of a slot's description that its prompt repeats, in characters. */
const DESCRIPTION_IN_PROMPT = 60;

/** Shows on stderr what the person decides about. */
export function showReview({ output }: Context, { proposal, review }: ReviewedProposal): void {
  const lines = formatProposal(serializeProposal(proposal), review, {
    width: output.columns,
    now: Date.now(),
    mark: (mark, text) => output.markTalk(mark, text),
  });
  output.talk(`\n${lines.join("\n")}\n\n`);
}

/** Asks for each value that is missing, again until it can be stored. */
export async function askValues(
  context: Context,
  proposal: Proposal,
  given: ReadonlyMap<string, Secret>,
): Promise<Map<string, Secret>> {
  const values = new Map(given);
  for (const key of keysToProvide(proposal)) {
    if (!values.has(key)) values.set(key, await askValue(context, proposal, key));
  }
  return values;
}

/** What was applied, in a sentence. */
export function appliedText({ id, services, credentials }: Proposal): string {
  const parts = [
    ...services.map((change) =>
      change.action === "set"
        ? `service ${change.service.name} (${change.service.host})`
        : `without service ${change.name}`
    ),
    ...credentials.map(({ key }) => `credential ${key}`),
  ];
  return `applied proposal ${id}: ${parts.join(", ")}; it holds from the agent's next request on`;
}

async function askValue(context: Context, proposal: Proposal, key: string): Promise<Secret> {
  const description = proposal.credentials.find((slot) => slot.key === key)?.description ?? "";
  const shown = visibleText(description).slice(0, DESCRIPTION_IN_PROMPT);
  while (true) {
    const answer = await context.prompts.hidden({
      message: `Value of ${key}${shown === "" ? "" : ` (${shown})`}`,
      instead: `pipe KEY=VALUE lines into: broker vault proposal approve ${proposal.id} --yes`,
    });
    try {
      checkCredentialValue(key, answer.reveal());
      return answer;
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
      context.output.note(`${error.message}; once more, or Ctrl-C to leave everything as it is`);
    }
  }
}
