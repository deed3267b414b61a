import { BrokerError } from "../../errors.ts";
import type { Invocation } from "../command_spec.ts";
import { hasBroker } from "../broker_client.ts";
import { inputName, readInput } from "../input.ts";
import { hasProposalFlags, proposalFromFlags } from "../proposal_flags.ts";
import { openProposals } from "../proposal_source.ts";

/** Makes a proposal and says how a person decides about it. */
export async function createProposal({ context, options }: Invocation): Promise<void> {
  const { file, ...flags } = options;
  const fromFile = typeof file === "string";
  if (fromFile === hasProposalFlags(flags)) {
    throw new BrokerError(
      "usage",
      fromFile ? "Both a file and flags are given" : "Nothing says what to ask for",
      {
        hint: fromFile
          ? "give one of them"
          : "broker vault proposal create --service-name NAME --host HOST --token-key KEY --slot KEY",
      },
    );
  }
  const body = fromFile
    ? parseJson(await readInput(file, context.output), inputName(file))
    : proposalFromFlags(flags);
  using source = await openProposals(context);
  const created = await withHint(() => source.create(body), fromFile);
  const { output } = context;
  output.print(created, () => {
    const { id, vault, approval_url: url } = created;
    const approve = `broker vault proposal approve ${id} --vault ${vault}`;
    output.line(`Proposal ${id} waits for a person's decision.`);
    if (url === undefined) output.line(`To decide: ${approve}`);
    else {
      output.line(`Show the person this link: ${url}`);
      output.line(`or ask them to type in another terminal: ${approve}`);
    }
    if (hasBroker(context)) {
      output.line(`Then wait for the decision: broker vault proposal wait ${id}`);
    }
  });
}

/** The reader of a fault in flags never wrote a list. */
async function withHint<T>(create: () => Promise<T>, fromFile: boolean): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (fromFile || !(error instanceof BrokerError) || error.code !== "validation_failed") {
      throw error;
    }
    throw new BrokerError(error.code, error.message, {
      hint:
        "add --slot KEY for a key that the vault lacks; else: broker vault proposal create --help",
      issues: error.issues.map((issue) => ({
        path: issue.path[0] === "services" ? issue.path.slice(2) : issue.path,
        message: issue.message,
      })),
      cause: error,
    });
  }
}

/** The parser's own message may repeat a part of the text, and with it a value; only its place is told. */
function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const place = /line [0-9]+ column [0-9]+/.exec(cause instanceof Error ? cause.message : "")
      ?.[0];
    throw new BrokerError(
      "validation_failed",
      `Read "${file}": it is not JSON${place === undefined ? "" : ` at ${place}`}`,
      { hint: "write one object with services, credentials, message and user_message" },
    );
  }
}
