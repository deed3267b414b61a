import { BrokerError } from "../errors.ts";
import type { Proposal } from "../model/proposal.ts";

/** Longest time that a request may wait for a decision, in seconds (interfaces: HTTP API). */
export const WAIT_MAX_SECONDS = 60;

/** How often a waiting request looks, in milliseconds: fast for a person, nothing for a processor. */
const LOOK_EVERY_MS = 200;

/** What a waiting request is given. */
export interface WaitOptions {
  readonly seconds: number;
  /** Moves when anything may have been stored, by this process or another. */
  readonly revision: () => number;
  /** Aborted when the server stops; the wait ends then. */
  readonly stopping: AbortSignal;
  /** The document that shows a proposal. */
  readonly show: (proposal: Proposal) => unknown;
}

/** Reads `?wait=`; absent means 0. @throws BrokerError `validation_failed` outside 0 to 60 seconds. */
export function parseWait(text: string | undefined): number {
  if (text === undefined) return 0;
  if (/^[0-9]{1,2}$/.test(text) && Number(text) <= WAIT_MAX_SECONDS) return Number(text);
  const message = `Write whole seconds, 0 to ${WAIT_MAX_SECONDS}`;
  throw new BrokerError("validation_failed", `Read the query's wait: ${message}`, {
    hint: `?wait=${WAIT_MAX_SECONDS}, and ask again while the status is "pending"`,
    issues: [{ path: ["wait"], message }],
  });
}

/**
 * Answers with the proposal once it is no longer pending, or as it stands when the time is up or the
 * server stops. Nothing is looked at any more when the client has left.
 */
export function answerDecision(
  first: Proposal,
  read: () => Proposal,
  options: WaitOptions,
): Response {
  const left = new AbortController();
  // A body that is pulled, because its cancelling tells that the client left; the request's own signal
  // makes Deno print an advice of its own, which would land in the child's screen.
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const proposal = await awaitDecision(first, read, { ...options, left: left.signal });
      if (left.signal.aborted) return;
      controller.enqueue(new TextEncoder().encode(JSON.stringify(options.show(proposal))));
      controller.close();
    },
    cancel: () => left.abort(),
  }, { highWaterMark: 0 });
  return new Response(body, { headers: { "Content-Type": "application/json" } });
}

async function awaitDecision(
  first: Proposal,
  read: () => Proposal,
  { seconds, revision, stopping, left }: WaitOptions & { readonly left: AbortSignal },
): Promise<Proposal> {
  const deadline = performance.now() + seconds * 1_000;
  let seen: number | undefined;
  let proposal = first;
  while (proposal.status === "pending" && !stopping.aborted && !left.aborted) {
    const rest = deadline - performance.now();
    if (rest <= 0) break;
    const now = revision();
    if (now !== seen || proposal.expiresAt <= Date.now()) {
      seen = now;
      const found = tryRead(read);
      if (found === undefined) break;
      proposal = found;
      if (proposal.status !== "pending") break;
    }
    await pause(Math.min(rest, LOOK_EVERY_MS), stopping);
  }
  return proposal;
}

/** The vault may be deleted meanwhile; its proposal is then told as it stood. */
function tryRead(read: () => Proposal): Proposal | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof BrokerError) return undefined;
    throw error;
  }
}

function pause(milliseconds: number, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      stopping.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    stopping.addEventListener("abort", end);
  });
}
