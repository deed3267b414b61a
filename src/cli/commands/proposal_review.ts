import { BrokerError } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import type { Invocation } from "../command_spec.ts";
import type { Context } from "../context.ts";
import { counted } from "../counted.ts";
import { chooseVault, openHome } from "../home.ts";
import { appliedText, askValues, showReview } from "../proposal_decision.ts";
import { questionOf, requireApplicable } from "./proposal_decide.ts";

/** What a person may do with the proposal on the screen. */
type Decision = "approve" | "reject" | "skip" | "quit";

const INSTEAD = "broker vault proposal list, approve ID and reject ID";

/** Walks through the proposals that wait, oldest first, those that arrive meanwhile included. */
export async function reviewProposals({ context }: Invocation): Promise<void> {
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  const skipped = new Set<number>();
  let decided = 0;
  while (true) {
    const [next] = pendingIds(store, vault).filter((id) => !skipped.has(id));
    if (next === undefined) break;
    const outcome = await decideOrTell(context, { store, vault, id: next, decided });
    if (outcome === "quit") break;
    if (outcome === "skip") skipped.add(next);
    else decided++;
  }
  report(context, store, { vault, decided });
}

/** Ctrl-C leaves this proposal as it is; what was decided before holds, and is told. */
async function decideOrTell(context: Context, at: {
  readonly store: Store;
  readonly vault: string;
  readonly id: number;
  readonly decided: number;
}): Promise<Decision> {
  try {
    return await decide(context, at);
  } catch (error) {
    if (!(error instanceof BrokerError) || error.code !== "cancelled" || at.decided === 0) {
      throw error;
    }
    const before = `${counted(at.decided, "decision")} before it ${
      at.decided === 1 ? "holds" : "hold"
    }`;
    throw new BrokerError("cancelled", `Cancelled, proposal ${at.id} still waits; ${before}`, {
      cause: error,
    });
  }
}

async function decide(context: Context, { store, vault, id }: {
  readonly store: Store;
  readonly vault: string;
  readonly id: number;
}): Promise<Decision> {
  const found = store.proposals.review(vault, id);
  const isApplicable = found.review.conflicts.length === 0;
  showReview(context, found);
  const choice = await context.prompts.choose<Decision>(
    { message: `Proposal ${id}`, instead: INSTEAD },
    [
      // First, because Return alone must decide nothing.
      { name: "skip", value: "skip" },
      ...isApplicable ? [{ name: "approve", value: "approve" as const }] : [],
      { name: "reject", value: "reject" },
      { name: "quit", value: "quit" },
    ],
  );
  try {
    switch (choice) {
      case "approve": {
        requireApplicable(found);
        const values = await askValues(context, found.proposal, new Map());
        const isSafe = !found.review.warnings.some((warning) => warning.isDanger);
        const agreed = isSafe ||
          await context.prompts.confirm({ message: questionOf(found), instead: INSTEAD });
        if (!agreed) return await decide(context, { store, vault, id });
        const options = { values, digest: found.digest };
        context.output.note(appliedText(store.proposals.approve(vault, id, options)));
        return choice;
      }
      case "reject": {
        const reason = await context.prompts.text({
          message: "Reason, which the agent reads (Return alone for none)",
          instead: INSTEAD,
        });
        store.proposals.reject(vault, id, reason);
        context.output.note(`rejected proposal ${id}`);
        return choice;
      }
      case "skip":
      case "quit":
        return choice;
    }
  } catch (error) {
    // Another terminal may decide, or change the vault, while this one is being read.
    if (!(error instanceof BrokerError) || error.code === "cancelled") throw error;
    context.output.warn(`${error.message}${error.hint === undefined ? "" : `; ${error.hint}`}`);
    return store.proposals.get(vault, id).status === "pending"
      ? await decide(context, { store, vault, id })
      : choice;
  }
}

function report(
  { output }: Context,
  store: Store,
  { vault, decided }: { readonly vault: string; readonly decided: number },
): void {
  const left = pendingIds(store, vault).length;
  const done = decided === 0 && left === 0 ? "nothing waits" : `${counted(decided, "decision")}`;
  output.note(
    `vault "${vault}": ${done}${left === 0 ? "" : `, ${counted(left, "proposal")} still waiting`}`,
  );
  for (const { name } of store.vaults.list()) {
    const count = name === vault ? 0 : store.proposals.pendingCount(name);
    if (count === 0) continue;
    output.note(
      `vault "${name}": ${counted(count, "proposal")} waiting ` +
        `(broker vault proposal review --vault ${name})`,
    );
  }
}

function pendingIds(store: Store, vault: string): number[] {
  return store.proposals.list(vault, { status: "pending" }).map(({ id }) => id).reverse();
}
