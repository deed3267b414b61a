/**
 * One SQLite connection: pragmas, prepared statements, transactions, and the count that tells whether
 * anything may have changed. Policy: WAL, so that readers never wait for a writer; synchronous=FULL, so
 * that what a command confirmed survives a crash; secure_delete, so that replaced sealed values do not
 * linger in free pages; every write runs in BEGIN IMMEDIATE, so that a lock is waited for before and
 * never in the middle of a change.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { toStoreError } from "./store_error.ts";

/** A value that SQLite stores in a STRICT table. */
export type SqlValue = string | number | null | Uint8Array;

/** How {@link Database.open} opens the file. */
export interface DatabaseOptions {
  /** Refuse every write, checkpoints at closing time included. */
  readonly readOnly?: boolean;
  /** How long to wait for another process's lock, in milliseconds. */
  readonly busyTimeout?: number;
  /**
   * `log`: what a crash of the system may take is no loss, and what is deleted was never secret, so that
   * writing waits neither for the disk nor for overwriting. A killed process loses nothing either way.
   */
  readonly kind?: "store" | "log";
}

/** Writes take milliseconds, so five seconds mean that another process is stuck. */
const BUSY_TIMEOUT_MS = 5000;

const PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON;
  PRAGMA checkpoint_fullfsync = ON;
  PRAGMA secure_delete = ON;
  PRAGMA trusted_schema = OFF;
`;

const LOG_PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = OFF;
  PRAGMA trusted_schema = OFF;
`;

/**
 * Files with a connection in this process. Reading such a file directly and closing it again would
 * drop SQLite's own locks on it (https://sqlite.org/howtocorrupt.html, 2.2), so whoever wants to look
 * at the bytes asks {@link isOpenHere} first.
 */
const openFiles = new Map<string, number>();

/** True when this process has a connection to that file. */
export function isOpenHere(path: string): boolean {
  return openFiles.has(fileIdentity(path));
}

/** How long an answer to "has anything changed" holds, in milliseconds: asking costs file locks. */
const REVISION_LIFE_MS = 1;

/** A connection to an existing SQLite file. Statements are prepared once and kept. */
export class Database {
  readonly path: string;
  readonly readOnly: boolean;
  readonly #connection: DatabaseSync;
  readonly #identity: string;
  readonly #statements = new Map<string, StatementSync>();
  #inTransaction = false;
  #seenDataVersion = -1;
  #revision = 0;
  #revisionAskedAt = -Infinity;

  private constructor(path: string, connection: DatabaseSync, readOnly: boolean) {
    this.path = path;
    this.readOnly = readOnly;
    this.#connection = connection;
    this.#identity = fileIdentity(path);
    openFiles.set(this.#identity, (openFiles.get(this.#identity) ?? 0) + 1);
  }

  /**
   * Opens a file that exists; an empty file becomes an empty database.
   *
   * @throws {BrokerError} `home_unusable`, `store_busy` or `disk_full`
   */
  static open(path: string, options: DatabaseOptions = {}): Database {
    const readOnly = options.readOnly ?? false;
    let connection: DatabaseSync | undefined;
    try {
      connection = new DatabaseSync(path, {
        readOnly,
        enableForeignKeyConstraints: true,
        timeout: options.busyTimeout ?? BUSY_TIMEOUT_MS,
      });
      if (!readOnly) connection.exec(options.kind === "log" ? LOG_PRAGMAS : PRAGMAS);
      return new Database(path, connection, readOnly);
    } catch (error) {
      connection?.close();
      throw toStoreError(error, { action: "Open the database", path });
    }
  }

  /** All rows. Rows have a null prototype: map them before they leave the store. */
  all<Row>(sql: string, values: readonly SqlValue[] = []): Row[] {
    return this.#guard(() => this.#prepare(sql).all(...values) as Row[]);
  }

  /** The first row, or `undefined`. */
  get<Row>(sql: string, values: readonly SqlValue[] = []): Row | undefined {
    return this.#guard(() => this.#prepare(sql).get(...values) as Row | undefined);
  }

  /** Runs one statement; returns the number of rows it changed. */
  run(sql: string, values: readonly SqlValue[] = []): number {
    return this.#guard(() => Number(this.#prepare(sql).run(...values).changes));
  }

  /** Runs several statements that take no values, such as a migration. */
  script(sql: string): void {
    this.#guard(() => this.#connection.exec(sql));
  }

  /** Runs `work` on one consistent state of the database. */
  read<T>(work: () => T): T {
    return this.#transact("BEGIN", work);
  }

  /**
   * Runs `work` as one change: everything it wrote is durable when this returns, or nothing is. Inside
   * another `write`, `work` joins the outer change; an error must then be let through to it.
   */
  write<T>(work: () => T): T {
    try {
      return this.#transact("BEGIN IMMEDIATE", work);
    } finally {
      // PRAGMA data_version does not move for this connection's own writes.
      this.#revision++;
    }
  }

  /** A number that differs from the last one when any connection, this one included, may have written. */
  revision(): number {
    const row = this.get<{ data_version: number }>("PRAGMA data_version");
    const dataVersion = row?.data_version ?? 0;
    if (dataVersion !== this.#seenDataVersion) {
      this.#seenDataVersion = dataVersion;
      this.#revision++;
    }
    return this.#revision;
  }

  /**
   * As {@link Database.revision}, asking the file at most once a millisecond; this connection's own
   * writes count at once. Another process's command has not even ended within a millisecond of its commit.
   */
  recentRevision(): number {
    const now = performance.now();
    if (now - this.#revisionAskedAt < REVISION_LIFE_MS) return this.#revision;
    this.#revisionAskedAt = now;
    return this.revision();
  }

  /** Moves the WAL into the database and empties it, as far as other processes allow. */
  checkpoint(): void {
    this.get("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  close(): void {
    if (!this.#connection.isOpen) return;
    this.#statements.clear();
    this.#connection.close();
    const left = (openFiles.get(this.#identity) ?? 1) - 1;
    if (left === 0) openFiles.delete(this.#identity);
    else openFiles.set(this.#identity, left);
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #transact<T>(begin: string, work: () => T): T {
    if (this.#inTransaction) return work();
    this.run(begin);
    this.#inTransaction = true;
    try {
      const result = work();
      this.run("COMMIT");
      return result;
    } catch (error) {
      // A full disk may have rolled the transaction back already.
      if (this.#connection.isTransaction) this.#rollback();
      throw error;
    } finally {
      this.#inTransaction = false;
    }
  }

  #rollback(): void {
    try {
      this.run("ROLLBACK");
    } catch {
      // The error that led here is the one to report.
    }
  }

  #guard<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      throw toStoreError(error, { action: "Use the database", path: this.path });
    }
  }
}

function fileIdentity(path: string): string {
  try {
    const { dev, ino } = Deno.statSync(path);
    return ino === null ? path : `${dev}:${ino}`;
  } catch {
    return path;
  }
}
