import { BrokerError } from "../../errors.ts";
import { REFUSAL_HELP } from "../../model/refusal_code.ts";
import { serializeLogRow } from "../../model/request_log_document.ts";
import type { RequestLogRow } from "../../model/request_log_row.ts";
import type { VaultSnapshot } from "../../model/vault_snapshot.ts";
import { RequestLogDatabase } from "../../store/request_log.ts";
import type { Invocation } from "../command_spec.ts";
import { chooseVault, openHome } from "../home.ts";
import { judge, parseUrl } from "./service_explain.ts";

/** Says what became of a request, and what would become of it now. */
export async function explainLog({ context, positionals }: Invocation): Promise<void> {
  const id = (positionals[0] ?? "").toLowerCase();
  if (!/^[0-9a-f-]{6,36}$/.test(id)) {
    throw new BrokerError("usage", "Read the id: it is no request's", {
      hint: "write the id of a line of broker vault logs, or its first 6 characters or more",
    });
  }
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  using log = RequestLogDatabase.open(store.directory);
  const [found, other] = log.find(id, vault);
  if (found === undefined) {
    throw new BrokerError("not_found", `The log of vault "${vault}" has no request "${id}"`, {
      hint: "broker vault logs, or name its vault with --vault",
    });
  }
  if (other !== undefined && other.row.id !== found.row.id) {
    throw new BrokerError("conflict", `Several requests have an id that begins with "${id}"`, {
      hint: `write more of it: ${found.row.id} or ${other.row.id}`,
    });
  }
  const { row } = found;
  const then = outcomeOf(row);
  const now = store.snapshot(vault);
  const today = now === undefined ? undefined : verdictToday(row, now);
  const { output } = context;
  output.print({ ...serializeLogRow(row), then, now: today ?? null }, () => {
    output.line(`${new Date(row.createdAt).toISOString()}  ${row.method} ${urlOf(row)}`);
    output.line(
      `${row.actorType ?? "nobody known"}${
        row.actorName === undefined ? "" : ` ${row.actorName}`
      }, ` +
        `${
          row.latencyMs.toFixed(1)
        } ms, ${row.requestBytes} bytes sent, ${row.responseBytes} received`,
    );
    output.line("");
    output.line(`then  ${then}`);
    if (today !== undefined) output.line(`now   ${today}`);
  });
}

function outcomeOf(row: RequestLogRow): string {
  const by = row.matchedService === undefined
    ? "no service took it"
    : `service "${row.matchedService}" took it` +
      (row.credentialKeys.length === 0 ? "" : ` with ${row.credentialKeys.join(", ")}`);
  if (row.errorCode === "client_tls_failed") {
    return "client_tls_failed: the client and the broker could not open TLS, mostly because the client " +
      "does not trust the broker's CA.";
  }
  if (row.errorCode !== undefined) {
    const help = Object.hasOwn(REFUSAL_HELP, row.errorCode)
      ? ` ${REFUSAL_HELP[row.errorCode as keyof typeof REFUSAL_HELP]}`
      : "";
    return `${row.status} ${row.errorCode}, ${by}.${help}`;
  }
  if (row.status === 0) return `the client left before there was an answer; ${by}.`;
  return row.ingress === "tunnel"
    ? "a tunnel that passed unread, because no service could match its host."
    : `${row.status} from the upstream; ${by}.`;
}

/** The services may have changed since; the same question is asked of those of now. */
function verdictToday(row: RequestLogRow, vault: VaultSnapshot): string | undefined {
  if (row.host === "-") return undefined;
  const { sentence, service } = judge(vault, parseUrl(urlOf(row)));
  const changed = service !== row.matchedService ? " (the services have changed since)" : "";
  return `${sentence}.${changed}`;
}

function urlOf(row: RequestLogRow): string {
  const scheme = row.ingress === "forward" ? "http" : "https";
  return `${scheme}://${row.host}${row.path.startsWith("/") ? row.path : `/${row.path}`}`;
}
