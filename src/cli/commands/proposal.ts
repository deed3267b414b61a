import { BrokerError } from "../../errors.ts";
import { parseDuration } from "../../model/duration.ts";
import { PROPOSAL_STATUSES, type ProposalStatus } from "../../model/proposal.ts";
import { serializeProposal, serializeReview } from "../../model/proposal_document.ts";
import { visibleText } from "../../model/visible_text.ts";
import { hasBroker } from "../broker_client.ts";
import type { Invocation } from "../command_spec.ts";
import type { Context } from "../context.ts";
import { parseProposalId } from "../proposal_id.ts";
import { openProposals, type ProposalDocument } from "../proposal_source.ts";
import { formatProposal, spanText, summarizeProposal } from "../proposal_text.ts";

/** How long `wait` waits when nobody says otherwise: as long as a person may take over a coffee. */
const WAIT_DEFAULT_MS = 600_000;

/** Lists the vault's proposals, newest first. */
export async function listProposals({ context, options }: Invocation): Promise<void> {
  const status = parseStatus(options["status"]);
  using source = await openProposals(context);
  const { vault, proposals } = await source.list(status);
  const { output } = context;
  output.print({ vault, proposals }, () => {
    if (proposals.length === 0) {
      output.note(`vault "${vault}" has no ${status === undefined ? "" : `${status} `}proposals`);
      return;
    }
    output.table(
      [{ title: "ID", align: "right" }, { title: "STATUS" }, { title: "AGE" }, { title: "BY" }, {
        title: "ASKS FOR",
      }],
      proposals.map((proposal) => [
        String(proposal.id),
        proposal.status,
        spanText(Date.now() - Date.parse(proposal.created_at)),
        visibleText(proposal.created_by.name),
        summarizeProposal(proposal),
      ]),
    );
  });
}

/** Shows one proposal; the operator also sees what approving it would do. */
export async function showProposal({ context, positionals }: Invocation): Promise<void> {
  const id = parseProposalId(positionals[0]);
  if (hasBroker(context)) {
    using source = await openProposals(context);
    const proposal = await source.get(id);
    context.output.print(
      proposal,
      () => printLines(context, formatProposal(proposal, undefined, layout(context))),
    );
    return;
  }
  const { chooseVault, openHome } = await import("../home.ts");
  using store = await openHome(context);
  const found = store.proposals.review(chooseVault(context, store), id);
  const proposal = serializeProposal(found.proposal);
  const isPending = proposal.status === "pending";
  context.output.print(
    {
      ...proposal,
      ...(isPending && { review: serializeReview(found.review), digest: found.digest }),
    },
    () => {
      const review = isPending ? found.review : undefined;
      printLines(context, formatProposal(proposal, review, layout(context)));
      if (isPending) {
        context.output.note(
          `to decide: broker vault proposal approve ${id}, or broker vault proposal reject ${id}`,
        );
      }
    },
  );
}

/** Waits until a proposal is decided: exit status 0 when it was applied. */
export async function waitForProposal(
  { context, positionals, options }: Invocation,
): Promise<number> {
  const id = parseProposalId(positionals[0]);
  const timeout = options["timeout"];
  const milliseconds = typeof timeout === "string" ? parseDuration(timeout) : WAIT_DEFAULT_MS;
  using source = await openProposals(context);
  const proposal = await source.wait(id, milliseconds);
  const { output } = context;
  output.print(proposal, () => {
    output.line(proposal.status);
    output.note(outcomeText(proposal, milliseconds));
  });
  return proposal.status === "applied" ? 0 : 1;
}

function outcomeText(proposal: ProposalDocument, waited: number): string {
  const { id, status, reject_reason: reason } = proposal;
  switch (status) {
    case "applied":
      return `proposal ${id} was approved; the same request works now`;
    case "rejected":
      return `proposal ${id} was rejected${reason === null ? "" : `: ${visibleText(reason)}`}`;
    case "expired":
      return `proposal ${id} was not decided within 7 days; make a new one if it is still needed`;
    case "pending":
      return `nobody decided proposal ${id} within ${spanText(waited)}; ` +
        `to go on waiting: broker vault proposal wait ${id}`;
  }
}

function parseStatus(value: unknown): ProposalStatus | undefined {
  if (value === undefined) return undefined;
  const status = PROPOSAL_STATUSES.find((one) => one === value);
  if (status !== undefined) return status;
  throw new BrokerError("usage", `There is no status ${JSON.stringify(value)}`, {
    hint: `--status takes ${PROPOSAL_STATUSES.join(", ")}`,
  });
}

function layout({ output }: Context) {
  return {
    width: output.columns,
    now: Date.now(),
    mark: (...args: Parameters<typeof output.mark>) => output.mark(...args),
  };
}

function printLines({ output }: Context, lines: readonly string[]): void {
  for (const line of lines) output.line(line);
}
