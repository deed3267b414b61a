import { BrokerError, type Issue } from "../errors.ts";
import { serializeLogRow } from "../model/request_log_document.ts";
import { parseStatusRange, type RequestLogFilter } from "../model/request_log_query.ts";
import type { ApiPorts } from "./ports.ts";
import type { Route } from "./route.ts";
import { vaultOfPath } from "./vault_choice.ts";

/** Rows in an answer when nobody says how many, and at most (interfaces: HTTP API). */
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

const PARAMETERS = ["service", "status", "actor", "host", "before", "after", "limit", "vault"];

/** What the query asks for. */
interface Wanted {
  readonly filter: RequestLogFilter;
  readonly options: { limit: number; before?: number; after?: number };
}

/**
 * `/v1/vaults/:vault/logs`: the request log, newest first. `next` goes into `before` for older rows, and
 * `latest` into `after` for those that have come since.
 */
export function logRoutes({ requestLog }: Pick<ApiPorts, "requestLog">): readonly Route[] {
  return [{
    method: "GET",
    path: "/v1/vaults/:vault/logs",
    access: "authenticated",
    handle(c, by) {
      const vault = vaultOfPath(c, by);
      const { filter, options } = parseQuery(new URL(c.req.url).searchParams);
      const { requests, next } = requestLog.page({ ...filter, vault }, options);
      return c.json({
        logs: requests.map(({ row }) => serializeLogRow(row)),
        next: next === undefined ? null : String(next),
        latest: String(requests[0]?.seq ?? options.after ?? 0),
      });
    },
  }];
}

/** @throws BrokerError `validation_failed` with every fault of the query. */
function parseQuery(query: URLSearchParams): Wanted {
  const issues: Issue[] = [];
  const read = <T>(name: string, parse: (text: string) => T): T | undefined => {
    const [text, more] = query.getAll(name);
    if (text === undefined) return undefined;
    try {
      if (more !== undefined) throw new BrokerError("validation_failed", "Give it once");
      return parse(text);
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
      issues.push({ path: [name], message: error.message });
      return undefined;
    }
  };
  for (const name of new Set(query.keys())) {
    if (PARAMETERS.includes(name)) continue;
    issues.push({ path: [name], message: `There is no such parameter: ${PARAMETERS.join(", ")}` });
  }
  const before = read("before", parsePlace);
  const after = read("after", parsePlace);
  const service = read("service", String);
  const status = read("status", parseStatusRange);
  const actor = read("actor", String);
  const host = read("host", String);
  const limit = read("limit", parseLimit) ?? DEFAULT_LIMIT;
  if (issues.length > 0) {
    throw new BrokerError("validation_failed", "The query of the log is not usable", { issues });
  }
  return {
    filter: {
      ...(service !== undefined && { service }),
      ...(status !== undefined && { status }),
      ...(actor !== undefined && { actor }),
      ...(host !== undefined && { host }),
      ...(before?.kind === "moment" && { until: before.at }),
      ...(after?.kind === "moment" && { since: after.at + 1 }),
    },
    options: {
      limit,
      ...(before?.kind === "cursor" && { before: before.at }),
      ...(after?.kind === "cursor" && { after: after.at }),
    },
  };
}

/** A cursor of an answer before, or a moment. */
type Place = { readonly kind: "cursor" | "moment"; readonly at: number };

function parsePlace(text: string): Place {
  if (/^[0-9]{1,15}$/.test(text)) return { kind: "cursor", at: Number(text) };
  const at = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(at)) return { kind: "moment", at };
  throw new BrokerError(
    "validation_failed",
    'Write "next" of an answer before, or a moment such as 2026-01-31T12:00:00Z',
  );
}

function parseLimit(text: string): number {
  const limit = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new BrokerError("validation_failed", `Write a number from 1 to ${MAX_LIMIT}`);
}
