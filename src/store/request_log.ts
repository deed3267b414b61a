/**
 * The request log in a file of its own, `requests.db`: losing it costs no credential, so that it is
 * written without waiting for the disk, and a broken one is set aside. What rows have in common (who,
 * where, which service, which outcome) is stored once, as a shape, and a row names it: rows stay small,
 * one index serves every filter, and whatever is rare is found as fast as what is common.
 */
import { BrokerError } from "../errors.ts";
import type { RequestLogFilter } from "../model/request_log_query.ts";
import type { Ingress, RequestLogRow } from "../model/request_log_row.ts";
import type { ActorType } from "../model/session.ts";
import { Database } from "./database.ts";
import { conditions, splitConditions } from "./request_log_filter.ts";
import { RequestLogShapes } from "./request_log_shapes.ts";
import { createPrivate, prepareTables } from "./request_log_tables.ts";

const COLUMNS =
  "seq, requests.id, created_at, path, latency_ms, request_bytes, response_bytes, vault, ingress, " +
  "method, host, service, credential_keys, status, error_code, actor_type, actor_name";
const FROM = "FROM requests JOIN shapes ON shapes.id = shape";

/** Rows in one statement, because each call into SQLite costs as much as a row does. */
const INSERT_ROWS = 50;
const FULL_INSERT = placeholders(INSERT_ROWS);

/** Newest rows that are simply looked through before rare rows are looked up by their shapes. */
const SCAN_ROWS = 20_000;

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
  /** What {@link RequestLogDatabase.page} takes as `before` for the next older part; none at the end. */
  readonly next: number | undefined;
}

/** How much of the log is kept. */
export interface Retention {
  readonly days: number;
  readonly rows: number;
}

/** A connection to the request log. */
export class RequestLogDatabase implements Disposable {
  readonly #database: Database;
  readonly #shapes: RequestLogShapes;

  private constructor(database: Database) {
    this.#database = database;
    this.#shapes = new RequestLogShapes(database);
  }

  /** Path of the log in a data directory. */
  static pathIn(directory: string): string {
    return `${directory}/requests.db`;
  }

  /**
   * Opens the log of a data directory, and creates it the first time.
   *
   * @throws {BrokerError} `home_unusable` for a file that is none; `store_busy`, `disk_full`
   */
  static open(
    directory: string,
    options: { readonly busyTimeout?: number } = {},
  ): RequestLogDatabase {
    const path = RequestLogDatabase.pathIn(directory);
    createPrivate(path);
    const database = Database.open(path, { ...options, kind: "log" });
    try {
      prepareTables(database);
      return new RequestLogDatabase(database);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Appends rows in one change; `dropped` tells how many were lost before them. */
  append(rows: readonly RequestLogRow[], dropped = 0): void {
    try {
      this.#append(rows, dropped);
    } catch (error) {
      // A change that was undone took its shapes along.
      this.#shapes.forget();
      if (error instanceof BrokerError) throw error;
      // Another process may have deleted a shape that had no rows left.
      this.#append(rows, dropped);
    }
  }

  #append(rows: readonly RequestLogRow[], dropped: number): void {
    this.#database.write(() => {
      if (dropped > 0) {
        this.#database.run(
          "INSERT INTO drops (after_request, count) VALUES ((SELECT coalesce(max(seq), 0) FROM requests), ?)",
          [dropped],
        );
      }
      for (let at = 0; at < rows.length; at += INSERT_ROWS) {
        const part = rows.slice(at, at + INSERT_ROWS);
        this.#database.run(
          `INSERT INTO requests
            (id, created_at, shape, path, latency_ms, request_bytes, response_bytes)
            VALUES ${part.length === INSERT_ROWS ? FULL_INSERT : placeholders(part.length)}`,
          part.flatMap((row) => [
            row.id,
            row.createdAt,
            this.#shapes.of(row),
            row.path,
            row.latencyMs,
            row.requestBytes,
            row.responseBytes,
          ]),
        );
      }
    });
  }

  /** Rows that the filter lets through, newest first, older than `before` and newer than `after`. */
  page(
    filter: RequestLogFilter,
    options: { readonly limit: number; readonly before?: number; readonly after?: number },
  ): LogPage {
    const { limit } = options;
    return this.#database.read(() => {
      const before = options.before ?? this.#newest() + 1;
      const after = Math.max(options.after ?? 0, this.#seqEndedAfter(filter.since));
      let found = this.#scan(filter, { before, after: Math.max(after, before - SCAN_ROWS), limit });
      if (found.length <= limit && before - SCAN_ROWS > after) {
        found = this.#lookUp(filter, { before, after, limit });
      }
      const requests = found.slice(0, limit).map(toLogged);
      const last = requests.at(-1);
      return {
        requests,
        next: found.length > limit && last !== undefined ? last.seq : undefined,
      };
    });
  }

  /** Rows after a place, oldest first; when there are more than `limit`, the newest of them. */
  follow(
    filter: RequestLogFilter,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): {
    readonly requests: readonly LoggedRequest[];
    readonly cursor: number;
    readonly dropped: number;
  } {
    return this.#database.read(() => {
      const cursor = this.#newest();
      const { requests, next } = this.page(filter, { limit, before: cursor + 1, after });
      const beyond = next === undefined ? 0 : this.#count(filter, { before: next, after });
      return {
        requests: requests.toReversed(),
        cursor,
        dropped: beyond + this.droppedAfter(after),
      };
    });
  }

  /** Rows that were lost after a place, because they came faster than they could be written. */
  droppedAfter(seq: number): number {
    const sum = this.#database.get<{ count: number | null }>(
      "SELECT sum(count) AS count FROM drops WHERE after_request >= ?",
      [seq],
    );
    return sum?.count ?? 0;
  }

  /** The rows whose request id begins so, newest first, two at most. */
  find(idStart: string, vault: string): readonly LoggedRequest[] {
    return this.#database.all<StoredRow>(
      `SELECT ${COLUMNS} ${FROM} WHERE requests.id >= ? AND requests.id < ? AND (vault = ? OR vault IS NULL)
        ORDER BY seq DESC LIMIT 2`,
      [idStart, `${idStart}g`, vault],
    ).map(toLogged);
  }

  /** The place of the newest row; 0 in an empty log. */
  newest(): number {
    return this.#newest();
  }

  /** A number that differs when any process may have written. */
  revision(): number {
    return this.#database.revision();
  }

  /** Deletes what is beyond the retention, at most `limit` rows; false when there was nothing left. */
  prune({ days, rows }: Retention, { now, limit }: { now: number; limit: number }): boolean {
    return this.#database.write(() => {
      const newest = this.#newest();
      // The newest row stays in any case: its number may not be given again.
      const keepFrom = Math.min(
        newest,
        Math.max(
          newest - rows + 1,
          this.#seqEndedAfter(now - days * 86_400_000) + 1,
        ),
      );
      const removed = this.#database.run(
        "DELETE FROM requests WHERE seq IN (SELECT seq FROM requests WHERE seq < ? ORDER BY seq LIMIT ?)",
        [keepFrom, limit],
      );
      if (removed > 0) return true;
      this.#database.run("DELETE FROM drops WHERE after_request < ?", [keepFrom - 1]);
      this.#database.run(
        "DELETE FROM shapes WHERE NOT EXISTS (SELECT 1 FROM requests WHERE shape = shapes.id)",
      );
      this.#shapes.forget();
      return false;
    });
  }

  close(): void {
    this.#database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** One look through the newest rows, in order. Gives up to one row more than the limit. */
  #scan(filter: RequestLogFilter, range: Range): StoredRow[] {
    const { sql, values } = conditions(filter);
    return this.#database.all<StoredRow>(
      // The plus keeps SQLite from taking the shapes' index, which would sort all rows.
      `SELECT ${COLUMNS} ${FROM.replace("= shape", "= +shape")} WHERE seq < ? AND seq > ? ${sql}
        ORDER BY seq DESC LIMIT ?`,
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

  #count(filter: RequestLogFilter, range: { before: number; after: number }): number {
    const { sql, values } = conditions(filter);
    const row = this.#database.get<{ count: number }>(
      `SELECT count(*) AS count ${FROM} WHERE seq < ? AND seq > ? ${sql}`,
      [range.before, range.after, ...values],
    );
    return row?.count ?? 0;
  }

  #newest(): number {
    return this.#database.get<{ seq: number | null }>("SELECT max(seq) AS seq FROM requests")
      ?.seq ?? 0;
  }

  /** A place before every row that ended at a moment or later, found by halving: rows are in that order. */
  #seqEndedAfter(moment: number | undefined): number {
    if (moment === undefined) return 0;
    const oldest = this.#database.get<{ seq: number | null }>(
      "SELECT min(seq) AS seq FROM requests",
    );
    let low = (oldest?.seq ?? 1) - 1;
    let high = this.#newest();
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
}

interface Range {
  readonly before: number;
  readonly after: number;
  readonly limit: number;
}

function placeholders(rows: number): string {
  return Array.from({ length: rows }, () => "(?, ?, ?, ?, ?, ?, ?)").join(", ");
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
