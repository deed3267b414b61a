import type { OperatorSession } from "../model/operator.ts";
import type { RequestLogRow } from "../model/request_log_row.ts";
import type { ApiPorts, TrafficPort, TrafficRows } from "./ports.ts";

/** Milliseconds between two looks: five batches a second are quicker than an eye, and cheap to draw. */
const BEAT_MS = 200;

/** Beats without an event after which a comment keeps the connection alive: 15 s. */
const QUIET_BEATS = 75;

/** Rows that a page begins with; enough to fill its table. */
const FIRST_ROWS = 500;

/** Rows of one event; a beat that brings more shows the newest and counts the rest. */
const EVENT_ROWS = 1000;

/** Milliseconds that a browser waits before it connects again. */
const RETRY_MS = 1000;

/** What the stream is about. */
export interface StreamOptions {
  readonly operator: OperatorSession;
  readonly vault: string;
  /** Leaves the rows out. */
  readonly changesOnly: boolean;
  /** The `Last-Event-ID` of a browser that connects again. */
  readonly lastEventId: string | undefined;
}

type StreamPorts = Pick<ApiPorts, "traffic" | "operators" | "revision" | "stopping">;

/**
 * Follows a vault as server-sent events (HTML, 9.2): `rows` with what the log got, `changed` when
 * services or proposals may be others, `signed_out` before the end of a session. Ends with the session,
 * with the broker, and when the browser leaves.
 */
export function streamTraffic(ports: StreamPorts, options: StreamOptions): Response {
  // Pulled as the browser takes it, so that one which does not keep up gets a larger batch later, and
  // not a longer queue here.
  const stream = ReadableStream.from(follow(ports, options)).pipeThrough(new TextEncoderStream());
  return new Response(stream, { headers: { "Content-Type": "text/event-stream" } });
}

async function* follow(
  { traffic, operators, revision, stopping }: StreamPorts,
  options: StreamOptions,
): AsyncGenerator<string> {
  const takeRows = options.changesOnly ? () => "" : createRowReader(traffic, options);
  let seen = revision();
  yield `retry: ${RETRY_MS}\n\n${takeRows()}`;
  for (let quiet = 1; !stopping.aborted; quiet++) {
    await pause(stopping);
    if (!operators.isCurrent(options.operator.path)) return yield event("signed_out", "");
    let text = takeRows();
    if (revision() !== seen) {
      seen = revision();
      text += event("changed", "");
    }
    if (text === "" && quiet < QUIET_BEATS) continue;
    yield text === "" ? ":\n\n" : text;
    quiet = 0;
  }
}

/** Gives, at each call, an event with the rows that came since the last one; empty when none came. */
function createRowReader(
  traffic: TrafficPort,
  { vault, lastEventId }: StreamOptions,
): () => string {
  let cursor = cursorOf(lastEventId);
  return () => {
    const first = cursor === undefined;
    const page = cursor === undefined
      ? traffic.newest(vault, FIRST_ROWS)
      : traffic.after(vault, { cursor, limit: EVENT_ROWS });
    cursor = page.cursor;
    const isEmpty = page.rows.length === 0 && page.dropped === 0;
    return isEmpty && !first ? "" : rowsEvent(page, first);
  };
}

function rowsEvent({ rows, cursor, dropped }: TrafficRows, first: boolean): string {
  const data = { rows: rows.map(showRow), dropped, first };
  return `id: ${cursor}\n${event("rows", JSON.stringify(data))}`;
}

function event(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}

/** Waits for the next beat or for the end of the broker. */
function pause(stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      stopping.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, BEAT_MS);
    stopping.addEventListener("abort", end);
  });
}

function cursorOf(lastEventId: string | undefined): number | undefined {
  return lastEventId !== undefined && /^\d{1,15}$/.test(lastEventId)
    ? Number(lastEventId)
    : undefined;
}

/** A row as the interface lists its members (interfaces: Log row). */
function showRow(row: RequestLogRow) {
  return {
    id: row.id,
    created_at: new Date(row.createdAt).toISOString(),
    ingress: row.ingress,
    method: row.method,
    host: row.host,
    path: row.path,
    matched_service: row.matchedService ?? null,
    credential_keys: row.credentialKeys,
    status: row.status,
    latency_ms: row.latencyMs,
    request_bytes: row.requestBytes,
    response_bytes: row.responseBytes,
    error_code: row.errorCode ?? null,
    actor_type: row.actorType ?? null,
    actor_name: row.actorName ?? null,
  };
}
