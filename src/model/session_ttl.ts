import { BrokerError } from "../errors.ts";
import { serializeDuration } from "./duration.ts";

/** Shortest life of a session, in seconds (interfaces: HTTP API). */
export const SESSION_TTL_MIN_SECONDS = 300;

/** Longest life of a session, in seconds: 7 days. */
export const SESSION_TTL_MAX_SECONDS = 604_800;

/** Life of a session when nobody says otherwise, in seconds: 24 hours. */
export const SESSION_TTL_DEFAULT_SECONDS = 86_400;

/** What is wrong with a session's life in seconds, or `undefined` when nothing is. */
export function sessionTtlIssue(seconds: number): string | undefined {
  if (!Number.isInteger(seconds)) return "The session's life must be a whole number of seconds";
  if (seconds >= SESSION_TTL_MIN_SECONDS && seconds <= SESSION_TTL_MAX_SECONDS) return undefined;
  const span = seconds > 0 && seconds < 1e10 ? ` ${serializeDuration(seconds * 1_000)}` : "";
  const which = seconds < SESSION_TTL_MIN_SECONDS ? "short" : "long";
  return `The session's life${span} is too ${which}: choose between 5m ` +
    `(${SESSION_TTL_MIN_SECONDS} s) and 7d (${SESSION_TTL_MAX_SECONDS} s)`;
}

/**
 * Reads a session's life in seconds; absent means 24 hours.
 *
 * @throws BrokerError `validation_failed` outside 300 to 604,800 whole seconds.
 */
export function parseSessionTtl(input: unknown): number {
  if (input === undefined) return SESSION_TTL_DEFAULT_SECONDS;
  const issue = sessionTtlIssue(typeof input === "number" ? input : NaN);
  if (issue === undefined) return input as number;
  throw new BrokerError("validation_failed", issue, {
    hint: "--ttl 24h",
    issues: [{ path: ["ttl_seconds"], message: issue }],
  });
}
