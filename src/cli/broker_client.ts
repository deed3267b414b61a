import { BrokerError, type ErrorCode, type Issue } from "../errors.ts";
import type { Context } from "./context.ts";

/** Codes of the API that mean the same here; every other one is told as `forbidden`. */
const CODES: ReadonlySet<string> = new Set<ErrorCode>([
  "validation_failed",
  "not_found",
  "ambiguous_host",
  "conflict",
  "unauthorized",
  "vault_mismatch",
  "too_many_proposals",
  "store_busy",
  "disk_full",
  "unavailable",
]);

const START_AGAIN = "start the program again with: broker vault run -- COMMAND";

/** What a request to the broker carries. */
export interface BrokerRequest {
  readonly method?: "GET" | "POST";
  /** Sent as JSON. */
  readonly json?: unknown;
}

/** True inside `vault run`, where the broker that started the program answers. */
export function hasBroker(context: Context): boolean {
  return Boolean(context.env["BROKER_TOKEN"]);
}

/**
 * Asks the broker that started this program, with the token that it gave.
 *
 * @throws {BrokerError} what the broker answered; `unavailable` when it does not answer.
 */
export async function askBroker<T>(
  context: Context,
  path: string,
  { method = "GET", json }: BrokerRequest = {},
): Promise<T> {
  const address = context.env["BROKER_ADDR"];
  if (!address || !URL.canParse(address)) {
    throw new BrokerError("unavailable", "BROKER_TOKEN is set and BROKER_ADDR is no address", {
      hint: `unset BROKER_TOKEN, or ${START_AGAIN}`,
    });
  }
  // An agent token has to name a vault; a session's own is in BROKER_VAULT.
  const vault = context.vaultOption ?? (context.env["BROKER_VAULT"] || undefined);
  let response: Response;
  try {
    response = await fetch(new URL(path, address), {
      method,
      headers: {
        Authorization: `Bearer ${context.env["BROKER_TOKEN"]}`,
        ...(vault === undefined ? {} : { "X-Vault": vault }),
        ...(json === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  } catch (cause) {
    throw new BrokerError("unavailable", `Ask the broker at ${address}: no answer`, {
      hint: `the broker that started this program has ended; ${START_AGAIN}`,
      cause,
    });
  }
  if (response.ok) return await response.json() as T;
  throw await faultOf(response, address);
}

async function faultOf(response: Response, address: string): Promise<BrokerError> {
  const body = await response.json().catch(() => ({})) as Record<string, unknown>;
  const { error, message, hint, issues, ...details } = body;
  const code = typeof error === "string" && CODES.has(error)
    ? error as ErrorCode
    : response.status === 401
    ? "unauthorized"
    : "forbidden";
  return new BrokerError(
    code,
    typeof message === "string"
      ? message
      : `Ask the broker at ${address}: status ${response.status}`,
    {
      hint: code === "unauthorized" || typeof hint !== "string" ? START_AGAIN : hint,
      ...(Array.isArray(issues) && { issues: issues as Issue[] }),
      details,
    },
  );
}
