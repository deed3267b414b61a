import { BrokerError } from "../errors.ts";
import type { Proposal } from "../model/proposal.ts";

/** Longest time that a request may wait for a decision, in seconds (interfaces: HTTP API). */
export const WAIT_MAX_SECONDS = 60;

/** How often a waiting request looks, in milliseconds: fast for a person, nothing for a processor. */
const LOOK_EVERY_MS = 200;

/** What a waiting request is given. */
export interface WaitOptions {
  /** 0: answer at once. */
  readonly seconds: number;
  /** Moves when anything may have been stored, by this process or another. */
  readonly revision: () => number;
  /** The client's leaving and the server's stopping end the wait. */
  readonly ends: readonly AbortSignal[];
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

/** The proposal once it is no longer pending, or as it stands when the wait ends. */
export async function awaitDecision(
  read: () => Proposal,
  { seconds, revision, ends }: WaitOptions,
): Promise<Proposal> {
  const deadline = performance.now() + seconds * 1_000;
  let seen = revision();
  let proposal = read();
  while (proposal.status === "pending") {
    const left = deadline - performance.now();
    // Asked instead of listened to: a listener that outlives the answer makes the server complain.
    if (left <= 0 || ends.some((signal) => signal.aborted)) break;
    await new Promise((resolve) => setTimeout(resolve, Math.min(left, LOOK_EVERY_MS)));
    const now = revision();
    if (now === seen && proposal.expiresAt > Date.now()) continue;
    seen = now;
    proposal = read();
  }
  return proposal;
}
