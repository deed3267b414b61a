import { BrokerError } from "../../errors.ts";
import { HttpFault } from "../../http1/fault.ts";
import { parseRequestTarget } from "../../http1/request_target.ts";
import type { Candidate, Outcome } from "../../match/explain.ts";
import { route } from "../../match/route.ts";
import type { MatchTarget } from "../../match/rule.ts";
import { compileServices } from "../../match/select.ts";
import { serviceKeys } from "../../model/credential_refs.ts";
import type { VaultSnapshot } from "../../model/vault_snapshot.ts";
import type { Invocation } from "../command_spec.ts";
import { chooseVault, openHome } from "../home.ts";

/** What becomes of a request: it is forwarded, or answered with an error of the proxy. */
type Answer =
  | "forwarded_with_credentials"
  | "forwarded"
  | "service_disabled"
  | "credential_not_found"
  | "forbidden"
  | "no_services"
  | "bad_request";

/** The verdict on one request, in a word and a sentence. */
interface Verdict {
  readonly answer: Answer;
  readonly service: string | undefined;
  readonly sentence: string;
}

/** Says which service would take a request to a URL, and why each other one would not. */
export async function explainUrl({ context, positionals }: Invocation): Promise<void> {
  const target = parseUrl(positionals[0] ?? "");
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  const snapshot = store.snapshot(vault);
  if (snapshot === undefined) throw new TypeError(`Vault "${vault}" vanished`);
  const { candidates } = compileServices(snapshot.services).explain(target);
  const verdict = judge(snapshot, target);
  const { output } = context;
  output.print({
    vault,
    host: target.hostname,
    port: target.port,
    path: target.path,
    answer: verdict.answer,
    service: verdict.service ?? null,
    message: verdict.sentence,
    candidates: candidates.map(candidateDocument),
  }, () => {
    output.line(verdict.sentence);
    if (candidates.length === 0) return;
    output.line("");
    output.table(
      [{ title: "SERVICE" }, { title: "HOST" }, { title: "OUTCOME" }, { title: "WHY" }],
      candidates.map(({ service, outcome }) => [
        service.name,
        service.host,
        outcomeWord(outcome),
        outcome.reason,
      ]),
    );
  });
}

/** The proxy's own reading of a target, so that both see the same host and path. */
export function parseUrl(text: string): MatchTarget {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  try {
    const parsed = parseRequestTarget("GET", withScheme.replace(/#.*$/s, ""));
    if (parsed.form === "absolute") {
      return { ...parsed.authority, path: parsed.pathAndQuery.replace(/\?.*$/s, "") };
    }
  } catch (error) {
    if (!(error instanceof HttpFault)) throw error;
    throw new BrokerError("validation_failed", `Read the URL: ${error.message}`, {
      hint: "broker vault service explain https://api.github.com/user",
      cause: error,
    });
  }
  throw new TypeError("A URL with a scheme is an absolute form");
}

/** Goes through the same questions as the proxy, in its order. */
export function judge(vault: VaultSnapshot, target: MatchTarget): Verdict {
  if (vault.cleared) {
    return refused("no_services", "All services were cleared: every request gets 403 no_services");
  }
  const found = route(compileServices(vault.services), target);
  if (found.kind === "ambiguous") {
    return refused(
      "bad_request",
      "The path can be read in ways that have different services: the answer is 400 bad_request",
    );
  }
  if (found.kind === "unmatched") {
    return vault.settings.unmatchedHostPolicy === "deny"
      ? refused(
        "forbidden",
        "No service matches, and the vault denies that: the answer is 403 forbidden",
      )
      : refused("forwarded", "No service matches: the request passes through as it is");
  }
  const { service } = found;
  const by = `Service "${service.name}" (${service.host})`;
  const verdict = (answer: Answer, sentence: string): Verdict => ({
    answer,
    service: service.name,
    sentence: `${by} ${sentence}`,
  });
  if (!service.enabled) {
    return verdict("service_disabled", "is disabled: the answer is 403 service_disabled");
  }
  const keys = serviceKeys(service);
  const missing = keys.filter((key) => vault.credential(key) === undefined);
  if (missing.length > 0) {
    const list = missing.join(" ");
    return verdict(
      "credential_not_found",
      `needs ${list}: the answer is 502 credential_not_found until you type ` +
        `"broker vault credential set ${list}"`,
    );
  }
  return keys.length === 0
    ? verdict("forwarded", "takes the request and adds no credential")
    : verdict("forwarded_with_credentials", `takes the request with ${keys.join(", ")}`);
}

function refused(answer: Answer, sentence: string): Verdict {
  return { answer, service: undefined, sentence };
}

function candidateDocument({ service, outcome }: Candidate): Record<string, unknown> {
  const { name, host, enabled } = service;
  return {
    name,
    host,
    enabled,
    outcome: outcome.kind.replaceAll(" ", "_"),
    ...(outcome.kind === "wins" ? {} : { by: outcome.by.replaceAll(" ", "_") }),
    ...(outcome.kind === "loses" ? { to: outcome.to.name } : {}),
    reason: outcome.reason,
  };
}

function outcomeWord(outcome: Outcome): string {
  return outcome.kind === "wins" ? "wins" : `${outcome.kind}: ${outcome.by}`;
}
