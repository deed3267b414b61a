import type { RequestLogFilter } from "../../src/model/request_log_query.ts";
import type { RequestLogRow } from "../../src/model/request_log_row.ts";
import { RequestLogDatabase } from "../../src/store/request_log.ts";

/** Milliseconds that one page of the request log takes among a million rows. */
export interface LogPageResult {
  readonly what: string;
  readonly milliseconds: number;
}

const ROWS = 1_000_000;
const BATCH = 10_000;
const PAGE = 50;
const FIRST = 1_700_000_000_000;
const REPEATED = 9;

/** Rare and common, old and new: what people filter by. */
const PAGES: readonly (readonly [what: string, filter: RequestLogFilter, before?: number])[] = [
  ["the newest rows", {}],
  ["rows in the middle", {}, ROWS / 2],
  ["one service of fifty", { service: "service-7" }],
  ["a service seen once, long ago", { service: "rare" }],
  ["refusals, one row in a thousand", { status: { first: 400, last: 499 } }],
  ["server errors, of which there are none", { status: { first: 500, last: 599 } }],
  ["one actor of ten", { actor: "session-3" }],
  ["the last hour", { since: FIRST + ROWS * 100 - 3_600_000 }],
  ["until a moment long ago", { until: FIRST + ROWS * 10 }],
  ["one service until a moment long ago", { service: "service-7", until: FIRST + ROWS * 10 }],
  ["one service's refusals", { service: "service-0", status: { first: 400, last: 499 } }],
];

/** Measures the log alone, in this process. @throws {Error} when a page is not what was written. */
export function measureLogPages(directory: string): LogPageResult[] {
  using log = RequestLogDatabase.open(directory);
  for (let at = 0; at < ROWS; at += BATCH) {
    log.append(Array.from({ length: BATCH }, (_, i) => rowAt(at + i)));
  }
  return PAGES.map(([what, filter, before]) => {
    const options = { limit: PAGE, ...(before !== undefined && { before }) };
    const times = Array.from({ length: REPEATED }, () => {
      const begin = performance.now();
      const { requests } = log.page({ vault: "default", ...filter }, options);
      if (requests.length === 0 && !what.includes("none")) {
        throw new Error(`${what}: an empty page`);
      }
      return performance.now() - begin;
    });
    return { what, milliseconds: times.toSorted((a, b) => a - b)[REPEATED >> 1]! };
  });
}

function rowAt(i: number): RequestLogRow {
  const isRefused = i % 1_000 === 0;
  return {
    id: i.toString(16).padStart(32, "0"),
    createdAt: FIRST + i * 100,
    vault: "default",
    ingress: "connect",
    method: i % 5 === 0 ? "POST" : "GET",
    host: `api-${i % 50}.example.com`,
    path: `/v1/things/${i}`,
    matchedService: i === 5 ? "rare" : `service-${i % 50}`,
    credentialKeys: [`KEY_${i % 50}`],
    status: isRefused ? 403 : 200,
    latencyMs: 12.5,
    requestBytes: 0,
    responseBytes: 1024,
    errorCode: isRefused ? "service_disabled" : undefined,
    actorType: "session",
    actorName: `session-${i % 10}`,
  };
}
