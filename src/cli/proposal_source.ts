import type { Proposal, ProposalStatus } from "../model/proposal.ts";
import { serializeProposal } from "../model/proposal_document.ts";
import { askBroker, hasBroker } from "./broker_client.ts";
import type { Context } from "./context.ts";

/** A proposal as every JSON document shows it. */
export type ProposalDocument = ReturnType<typeof serializeProposal>;

/** What is told of a proposal that was just made. */
export interface CreatedDocument {
  readonly id: number;
  readonly status: ProposalStatus;
  readonly vault: string;
  /** Absent where no broker runs that could serve the page. */
  readonly approval_url?: string;
  readonly message: string;
}

/** The proposals of one vault, wherever they are read. */
export interface ProposalSource extends Disposable {
  list(status: ProposalStatus | undefined): Promise<{
    readonly vault: string;
    readonly proposals: readonly ProposalDocument[];
  }>;
  get(id: number): Promise<ProposalDocument>;
  /** The proposal once it is decided, or as it stands after that many milliseconds. */
  wait(id: number, milliseconds: number): Promise<ProposalDocument>;
  create(body: unknown): Promise<CreatedDocument>;
}

/** How often the data directory is looked at, in milliseconds. */
const LOOK_EVERY_MS = 200;

/** Longest wait that one request may ask for, in seconds (interfaces: HTTP API). */
const WAIT_MAX_SECONDS = 60;

/** Opens the proposals: of the broker inside `vault run`, else of the data directory. */
export async function openProposals(context: Context): Promise<ProposalSource> {
  return hasBroker(context) ? brokerProposals(context) : await storedProposals(context);
}

function brokerProposals(context: Context): ProposalSource {
  const get = (id: number, query = "") =>
    askBroker<ProposalDocument>(context, `/v1/proposals/${id}${query}`);
  return {
    list: (status) =>
      askBroker(context, status === undefined ? "/v1/proposals" : `/v1/proposals?status=${status}`),
    get: (id) => get(id),
    async wait(id, milliseconds) {
      const deadline = performance.now() + milliseconds;
      while (true) {
        const left = Math.ceil(Math.max(0, deadline - performance.now()) / 1_000);
        const found = await get(id, `?wait=${Math.min(left, WAIT_MAX_SECONDS)}`);
        if (found.status !== "pending" || performance.now() >= deadline) return found;
      }
    },
    create: (body) => askBroker(context, "/v1/proposals", { method: "POST", json: body }),
    [Symbol.dispose]: () => {},
  };
}

async function storedProposals(context: Context): Promise<ProposalSource> {
  const { chooseVault, openHome } = await import("./home.ts");
  const store = await openHome(context);
  try {
    const vault = chooseVault(context, store);
    const document = (proposal: Proposal) => serializeProposal(proposal);
    return {
      list: (status) =>
        Promise.resolve({
          vault,
          proposals: store.proposals.list(vault, status === undefined ? {} : { status })
            .map(document),
        }),
      // Async, so that "no such proposal" is a rejection here as it is with the broker.
      // deno-lint-ignore require-await -- see above
      get: async (id) => document(store.proposals.get(vault, id)),
      async wait(id, milliseconds) {
        const deadline = performance.now() + milliseconds;
        while (true) {
          const found = store.proposals.get(vault, id);
          const left = deadline - performance.now();
          if (found.status !== "pending" || left <= 0) return document(found);
          await new Promise((resolve) => setTimeout(resolve, Math.min(left, LOOK_EVERY_MS)));
        }
      },
      async create(body) {
        const { parseProposal } = await import("../model/proposal_schema.ts");
        const draft = parseProposal(body, {
          existing: store.services.list(vault),
          keys: store.credentials.keys(vault),
        });
        const by = { type: "operator", name: "operator" } as const;
        const { id, status } = store.proposals.create(vault, draft, by).proposal;
        return { id, status, vault, message: `broker vault proposal approve ${id}` };
      },
      [Symbol.dispose]: () => store.close(),
    };
  } catch (error) {
    store.close();
    throw error;
  }
}
