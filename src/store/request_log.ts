/**
 * The request log in a file of its own, `requests.db`: losing it costs no credential, so that it is
 * written without waiting for the disk, and a broken one is set aside. What rows have in common (who,
 * where, which service, which outcome) is stored once, as a shape, and a row names it: rows stay small,
 * one index serves every filter, and whatever is rare is found as fast as what is common.
 */
import { BrokerError } from "../errors.ts";
import type { RequestLogFilter } from "../model/request_log_query.ts";
import type { RequestLogRow } from "../model/request_log_row.ts";
import { Database } from "./database.ts";
import {
  type LoggedRequest,
  type LogPage,
  type PageOptions,
  RequestLogSearch,
} from "./request_log_search.ts";
import { RequestLogShapes } from "./request_log_shapes.ts";
import { createPrivate, prepareTables } from "./request_log_tables.ts";

/** Rows in one statement, because each call into SQLite costs as much as a row does. */
const INSERT_ROWS = 50;
const FULL_INSERT = placeholders(INSERT_ROWS);

/** How much of the log is kept. */
export interface Retention {
  readonly days: number;
  readonly rows: number;
}

/** A connection to the request log. */
export class RequestLogDatabase implements Disposable {
  readonly #database: Database;
  readonly #shapes: RequestLogShapes;
  readonly #search: RequestLogSearch;

  private constructor(database: Database) {
    this.#database = database;
    this.#shapes = new RequestLogShapes(database);
    this.#search = new RequestLogSearch(database);
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
  page(filter: RequestLogFilter, options: PageOptions): LogPage {
    return this.#search.page(filter, options);
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
      const cursor = this.newest();
      const { requests, next } = this.page(filter, { limit, before: cursor + 1, after });
      const beyond = next === undefined ? 0 : this.#search.count(filter, { before: next, after });
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
    return this.#search.withId(idStart, vault);
  }

  /** The place of the newest row; 0 in an empty log. */
  newest(): number {
    return this.#search.newest();
  }

  /** A number that differs when any process may have written. */
  revision(): number {
    return this.#database.revision();
  }

  /** Deletes what is beyond the retention, at most `limit` rows; false when there was nothing left. */
  prune({ days, rows }: Retention, { now, limit }: { now: number; limit: number }): boolean {
    return this.#database.write(() => {
      const newest = this.newest();
      // The newest row stays in any case: its number may not be given again.
      const keepFrom = Math.min(
        newest,
        Math.max(
          newest - rows + 1,
          this.#search.seqEndedAfter(now - days * 86_400_000) + 1,
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
}

function placeholders(rows: number): string {
  return Array.from({ length: rows }, () => "(?, ?, ?, ?, ?, ?, ?)").join(", ");
}
