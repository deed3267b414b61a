import type { RequestLogFilter } from "../model/request_log_query.ts";
import type { Ingress, RequestLogRow } from "../model/request_log_row.ts";
import type { ActorType } from "../model/session.ts";
import type { Database } from "./database.ts";
import { conditions, splitConditions } from "./request_log_filter.ts";
import { LONG_MS } from "./request_log_tables.ts";

const COLUMNS =
  "seq, requests.id, created_at, path, latency_ms, request_bytes, response_bytes, vault, ingress, " +
  "method, host, service, credential_keys, status, error_code, actor_type, actor_name";
const FROM = "FROM requests JOIN shapes ON shapes.id = shape";

/** Newest rows that are simply looked through before rare rows are looked up by their shapes. */
const SCAN_ROWS = 20_000;

/** As the index of such rows says it; otherwise SQLite would not take it. */
const LONG = `AND latency_ms >= ${LONG_MS}`;

/** How much earlier a row may have ended than the one before it, in milliseconds: processes write in turns. */
const DISORDER_MS = 2_000;

interface StoredRow {
  readonly seq: number;
  readonly id: string;
  readonly created_at: number;
  readonly path: string;
  readonly latency_ms: number;
  readonly request_bytes: number;
  readonly response_bytes: number;
  readonly vault: string | null;
  readonly ingress: Ingress;
  readonly method: string;
  readonly host: string;
  readonly service: string | null;
  readonly credential_keys: string;
  readonly status: number;
  readonly error_code: string | null;
  readonly actor_type: ActorType | null;
  readonly actor_name: string | null;
}

/** A row with its place in the log. */
export interface LoggedRequest {
  /** Grows with each row; never used twice. */
  readonly seq: number;
  readonly row: RequestLogRow;
}

/** A part of the log, newest first. */
export interface LogPage {
  readonly requests: readonly LoggedRequest[];
  /** What {@link RequestLogSearch.page} takes as `before` for the next older part; none at the end. */
  readonly next: number | undefined;
}

/** Which part of what a filter lets through. */
export interface PageOptions {
  /** Rows at most. */
  readonly limit: number;
  /** Only rows older than this place. */
  readonly before?: number;
  /** Only rows newer than this place. */
  readonly after?: number;
}

/** Finds rows of the request log, whatever the filter, without reading all of them. */
export class RequestLogSearch {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Rows that the filter lets through, newest first, older than `before` and newer than `after`. */
  page(filter: RequestLogFilter, options: PageOptions): LogPage {
    const { limit } = options;
    return this.#database.read(() => {
      const before = options.before ?? this.newest() + 1;
      const after = Math.max(options.after ?? 0, this.seqEndedAfter(filter.since));
      const found = this.#find(filter, { before, after, limit });
      const requests = found.slice(0, limit).map(toLogged);
      const last = requests.at(-1);
      return {
        requests,
        next: found.length > limit && last !== undefined ? last.seq : undefined,
      };
    });
  }

  /** The rows whose request id begins so, newest first, two at most. */
  withId(idStart: string, vault: string): readonly LoggedRequest[] {
    return this.#database.all<StoredRow>(
      `SELECT ${COLUMNS} ${FROM} WHERE requests.id >= ? AND requests.id < ? AND (vault = ? OR vault IS NULL)
        ORDER BY seq DESC LIMIT 2`,
      [idStart, `${idStart}g`, vault],
    ).map(toLogged);
  }

  /** The place of the newest row; 0 in an empty log. */
  newest(): number {
    return this.#database.get<{ seq: number | null }>("SELECT max(seq) AS seq FROM requests")
      ?.seq ?? 0;
  }

  /** How many rows the filter lets through between two places. */
  count(filter: RequestLogFilter, range: { before: number; after: number }): number {
    const { sql, values } = conditions(filter);
    const row = this.#database.get<{ count: number }>(
      `SELECT count(*) AS count ${FROM} WHERE seq < ? AND seq > ? ${sql}`,
      [range.before, range.after, ...values],
    );
    return row?.count ?? 0;
  }

  /** A place before every row that ended at a moment or later, found by halving: rows are in that order. */
  seqEndedAfter(moment: number | undefined): number {
    if (moment === undefined) return 0;
    const oldest = this.#database.get<{ seq: number | null }>(
      "SELECT min(seq) AS seq FROM requests",
    );
    let low = (oldest?.seq ?? 1) - 1;
    let high = this.newest();
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const row = this.#database.get<{ seq: number; ended: number }>(
        "SELECT seq, created_at + latency_ms AS ended FROM requests WHERE seq <= ? ORDER BY seq DESC LIMIT 1",
        [middle],
      );
      if (row === undefined || row.ended < moment - DISORDER_MS) low = middle;
      else high = row.seq - 1;
    }
    return low;
  }

  /** Gives up to one row more than the limit. */
  #find(filter: RequestLogFilter, range: Range): StoredRow[] {
    const { before, after, limit } = range;
    if (filter.until === undefined) return this.#findAmong(filter, range);
    // Rows are in the order in which they ended: what began before a moment and ended long after it lies
    // among rows that all began later.
    const split = this.seqEndedAfter(filter.until + LONG_MS + 2 * DISORDER_MS) + 1;
    const long = split < before
      ? this.#scan(filter, { before, after: Math.max(after, split - 1), limit }, LONG)
      : [];
    if (long.length > limit) return long;
    const rest = { before: Math.min(before, split), after, limit: limit - long.length };
    return [...long, ...this.#findAmong(filter, rest)];
  }

  #findAmong(filter: RequestLogFilter, { before, after, limit }: Range): StoredRow[] {
    const newest = this.#scan(filter, {
      before,
      after: Math.max(after, before - SCAN_ROWS),
      limit,
    });
    return newest.length <= limit && before - SCAN_ROWS > after
      ? this.#lookUp(filter, { before, after, limit })
      : newest;
  }

  /** One look through rows, in order. */
  #scan(filter: RequestLogFilter, range: Range, among = ""): StoredRow[] {
    const { sql, values } = conditions(filter);
    return this.#database.all<StoredRow>(
      // The plus keeps SQLite from taking the shapes' index, which would sort all rows.
      `SELECT ${COLUMNS} ${FROM.replace("= shape", "= +shape")}
        WHERE seq < ? AND seq > ? ${among} ${sql} ORDER BY seq DESC LIMIT ?`,
      [range.before, range.after, ...values, range.limit + 1],
    );
  }

  /** The newest rows of each shape that fits, and the newest of those. */
  #lookUp(filter: RequestLogFilter, range: Range): StoredRow[] {
    const { shapes, times } = splitConditions(filter);
    const found: number[] = [];
    const fitting = this.#database.all<{ id: number }>(
      `SELECT id FROM shapes WHERE TRUE ${shapes.sql}`,
      shapes.values,
    );
    for (const { id } of fitting) {
      const rows = this.#database.all<{ seq: number }>(
        `SELECT seq FROM requests WHERE shape = ? AND seq < ? AND seq > ? ${times.sql}
          ORDER BY seq DESC LIMIT ?`,
        [id, range.before, range.after, ...times.values, range.limit + 1],
      );
      for (const { seq } of rows) found.push(seq);
    }
    return found.sort((a, b) => b - a).slice(0, range.limit + 1).map((seq) =>
      this.#database.get<StoredRow>(`SELECT ${COLUMNS} ${FROM} WHERE seq = ?`, [seq])!
    );
  }
}

interface Range {
  readonly before: number;
  readonly after: number;
  readonly limit: number;
}

function toLogged(stored: StoredRow): LoggedRequest {
  return {
    seq: stored.seq,
    row: {
      id: stored.id,
      createdAt: stored.created_at,
      vault: stored.vault ?? undefined,
      ingress: stored.ingress,
      method: stored.method,
      host: stored.host,
      path: stored.path,
      matchedService: stored.service ?? undefined,
      credentialKeys: stored.credential_keys === "" ? [] : stored.credential_keys.split(" "),
      status: stored.status,
      latencyMs: stored.latency_ms,
      requestBytes: stored.request_bytes,
      responseBytes: stored.response_bytes,
      errorCode: stored.error_code ?? undefined,
      actorType: stored.actor_type ?? undefined,
      actorName: stored.actor_name ?? undefined,
    },
  };
}
