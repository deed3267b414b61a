import { BrokerError } from "../../errors.ts";
import { parseDuration } from "../../model/duration.ts";
import { serializeLogRow } from "../../model/request_log_document.ts";
import { parseStatusRange, type RequestLogFilter } from "../../model/request_log_query.ts";
import { RequestLogDatabase } from "../../store/request_log.ts";
import { askBroker, hasBroker } from "../broker_client.ts";
import type { Invocation } from "../command_spec.ts";
import type { Context } from "../context.ts";
import { chooseVault, openHome } from "../home.ts";
import { type LogDocument, logLine } from "../log_line.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000_000;

/** Rows that the API gives at once. */
const API_ROWS = 200;

/** How often a follower looks, in milliseconds: with the writer's own wait it makes less than half a second. */
const FOLLOW_MS = 200;

/** Rows of a busy moment that a follower shows at once; the rest is counted. */
const FOLLOW_ROWS = 1_000;

/** Where rows come from: the file, or the broker that started this program. */
interface Source {
  newest(limit: number): Promise<Part>;
  after(cursor: string, limit: number): Promise<Part>;
  close(): void;
}

interface Part {
  /** Oldest first. */
  readonly rows: readonly LogDocument[];
  readonly cursor: string;
  readonly left: number;
}

/** Shows the latest requests, and goes on with new ones when asked. */
export async function listLogs({ context, options }: Invocation): Promise<void> {
  const limit = parseLimit(options["limit"]);
  const source = hasBroker(context)
    ? brokerSource(context, options)
    : await fileSource(context, parseFilter(options));
  try {
    const part = await source.newest(limit);
    const follow = options["follow"] === true;
    if (part.rows.length === 0 && !follow) context.output.note("no request fits");
    show(context, part);
    if (follow) await goOn(context, source, part.cursor);
  } finally {
    source.close();
  }
}

function show({ output }: Context, { rows, left }: Part): void {
  if (left > 0) output.note(`${left} rows are not shown here`);
  for (const row of rows) output.line(output.json ? JSON.stringify(row) : logLine(row, output));
}

async function goOn(context: Context, source: Source, cursor: string): Promise<void> {
  let ended = false;
  const end = () => ended = true;
  const signals: readonly Deno.Signal[] = Deno.build.os === "windows"
    ? ["SIGINT"]
    : ["SIGINT", "SIGTERM"];
  for (const signal of signals) Deno.addSignalListener(signal, end);
  try {
    while (!ended) {
      await new Promise((resolve) => setTimeout(resolve, FOLLOW_MS));
      const part = await source.after(cursor, FOLLOW_ROWS);
      show(context, part);
      cursor = part.cursor;
    }
  } finally {
    for (const signal of signals) Deno.removeSignalListener(signal, end);
  }
}

async function fileSource(
  context: Context,
  filter: Omit<RequestLogFilter, "vault">,
): Promise<Source> {
  using store = await openHome(context);
  const mine = { ...filter, vault: chooseVault(context, store), nobodys: true };
  const log = RequestLogDatabase.open(store.directory);
  let seen = -1;
  return {
    newest(limit) {
      const cursor = log.newest();
      const { requests } = log.page(mine, { limit, before: cursor + 1 });
      const rows = requests.map(({ row }) => serializeLogRow(row)).reverse();
      return Promise.resolve({ rows, cursor: String(cursor), left: 0 });
    },
    after(cursor, limit) {
      const revision = log.revision();
      if (revision === seen) return Promise.resolve({ rows: [], cursor, left: 0 });
      seen = revision;
      const found = log.follow(mine, { after: Number(cursor), limit });
      return Promise.resolve({
        rows: found.requests.map(({ row }) => serializeLogRow(row)),
        cursor: String(found.cursor),
        left: found.dropped,
      });
    },
    close: () => log.close(),
  };
}

function brokerSource(context: Context, options: Invocation["options"]): Source {
  // What the file's source refuses is refused here in the same words.
  const { since, until } = parseFilter(options);
  const vault = context.vaultOption ?? context.env["BROKER_VAULT"] ?? "default";
  const ask = async (place: Record<string, string>, limit: number): Promise<Part> => {
    const query = new URLSearchParams({ ...place, limit: String(Math.min(limit, API_ROWS)) });
    for (const name of ["service", "status", "actor", "host"]) {
      if (typeof options[name] === "string") query.set(name, options[name]);
    }
    const answer = await askBroker<{ logs: LogDocument[]; latest: string }>(
      context,
      `/v1/vaults/${encodeURIComponent(vault)}/logs?${query}`,
    );
    return { rows: answer.logs.reverse(), cursor: answer.latest, left: 0 };
  };
  return {
    newest: (limit) =>
      ask({
        ...(since !== undefined && { after: new Date(since - 1).toISOString() }),
        ...(until !== undefined && { before: new Date(until).toISOString() }),
      }, limit),
    after: (cursor, limit) => ask({ after: cursor }, limit),
    close: () => {},
  };
}

function parseFilter(options: Invocation["options"]): Omit<RequestLogFilter, "vault"> {
  const { service, status, actor, host, since, until } = options;
  return {
    ...(typeof service === "string" && { service }),
    ...(typeof status === "string" && { status: parseStatusRange(status) }),
    ...(typeof actor === "string" && { actor }),
    ...(typeof host === "string" && { host: host.toLowerCase() }),
    ...(typeof since === "string" && { since: parseMoment("--since", since) }),
    ...(typeof until === "string" && { until: parseMoment("--until", until) }),
  };
}

/** A moment, or a duration back from now. */
function parseMoment(flag: string, text: string): number {
  if (/^\d{4}-\d\d-\d\d/.test(text)) {
    const at = Date.parse(text);
    if (!Number.isNaN(at)) return at;
    throw new BrokerError("usage", `Read ${flag}: ${JSON.stringify(text)} is no moment`, {
      hint: `${flag} 2026-01-31T12:00`,
    });
  }
  return Date.now() - parseDuration(text);
}

function parseLimit(value: unknown): number {
  if (value === undefined) return DEFAULT_LIMIT;
  const limit = typeof value === "string" && /^[0-9]{1,7}$/.test(value) ? Number(value) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new BrokerError("usage", "Read --limit: it is no whole number from 1 on", {
    hint: `--limit ${DEFAULT_LIMIT}`,
  });
}
