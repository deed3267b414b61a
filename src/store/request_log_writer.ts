import { BrokerError } from "../errors.ts";
import type { RequestLogRow } from "../model/request_log_row.ts";
import { RequestLogDatabase, type Retention } from "./request_log.ts";
import type { LogPage } from "./request_log_search.ts";
import { DamagedFile } from "./store_error.ts";
import type { RequestLogFilter } from "../model/request_log_query.ts";

/** How long rows wait for company, in milliseconds: what a killed process loses at most, and a follower waits. */
const FLUSH_MS = 200;

/** Rows in one change: some milliseconds of work at a time, so that requests are not held up. */
const BATCH_ROWS = 500;

/** Rows that wait at most; about ten seconds of the fastest traffic. */
const QUEUE_ROWS = 200_000;

/** How long a write waits for another process's lock, in milliseconds, because requests wait with it. */
const BUSY_TIMEOUT_MS = 100;

/** How often the retention is looked after, in milliseconds, and how many rows go at once. */
const PRUNE_EVERY_MS = 60_000;
const PRUNE_ROWS = 1_000;

/** What is kept when nobody says otherwise. */
export const DEFAULT_RETENTION: Retention = { days: 30, rows: 1_000_000 };

/**
 * Reads `BROKER_LOG_DAYS` and `BROKER_LOG_ROWS`.
 *
 * @throws {BrokerError} `validation_failed` for what is no whole number from 1 on.
 */
export function parseRetention(environment: Readonly<Record<string, string>>): Retention {
  const read = (name: string, usual: number): number => {
    const text = environment[name];
    if (text === undefined || text === "") return usual;
    if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
    throw new BrokerError("validation_failed", `${name} is no whole number from 1 on`, {
      hint: `export ${name}=${usual}`,
    });
  };
  return {
    days: read("BROKER_LOG_DAYS", DEFAULT_RETENTION.days),
    rows: read("BROKER_LOG_ROWS", DEFAULT_RETENTION.rows),
  };
}

/** What happened to the requests of this process. */
export interface RequestCounts {
  requests: number;
  /** Answered by an upstream, with a service's credential or without one. */
  brokered: number;
  /** Refused by the broker. */
  refused: number;
  /** Failed on the way: 5xx of the broker, or a client that left. */
  failed: number;
  /** Answered by an upstream that no service names. */
  passed: number;
  /** Not written to the log. */
  dropped: number;
}

/** What a {@link RequestLogWriter} works with. */
export interface RequestLogWriterOptions {
  /** The data directory. */
  readonly directory: string;
  readonly now: () => number;
  readonly retention?: Retention;
  /** False: requests are counted and nothing is written. */
  readonly enabled?: boolean;
  /** Told once of each kind of trouble; the requests themselves go on. */
  readonly warn: (message: string) => void;
}

/**
 * Takes the rows of requests as they end, and writes them a moment later, in batches. The file is opened
 * with the first row. Nothing here blocks or fails a request: a log that cannot be written is set aside
 * or done without, and rows that come too fast are counted and dropped.
 */
export class RequestLogWriter {
  readonly counts: RequestCounts = {
    requests: 0,
    brokered: 0,
    refused: 0,
    failed: 0,
    passed: 0,
    dropped: 0,
  };
  readonly #options: RequestLogWriterOptions;
  #queue: RequestLogRow[] = [];
  #droppedUntold = 0;
  #log: RequestLogDatabase | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #prunedAt = -Infinity;
  #pruning = false;
  #unusable = false;
  #warned = new Set<string>();

  constructor(options: RequestLogWriterOptions) {
    this.#options = options;
    this.#unusable = options.enabled === false;
  }

  /** Takes a row; never blocks or throws. */
  record(row: RequestLogRow): void {
    this.#tally(row);
    if (this.#unusable) return;
    if (this.#queue.length >= QUEUE_ROWS) {
      this.#drop(1);
      this.#warnOnce(
        "the request log cannot be written as fast as requests come: some rows are left out",
      );
      return;
    }
    this.#queue.push(row);
    this.#timer ??= setTimeout(this.#onTimer, FLUSH_MS);
  }

  /** Reads the log, rows that wait included; nothing when it cannot be read. */
  page(
    filter: RequestLogFilter,
    options: { limit: number; before?: number; after?: number },
  ): LogPage {
    this.flush();
    return this.#open()?.page(filter, options) ?? { requests: [], next: undefined };
  }

  /** As {@link RequestLogDatabase.follow}, rows that wait here included. */
  follow(filter: RequestLogFilter, options: { after: number; limit: number }) {
    this.flush();
    return this.#open()?.follow(filter, options) ??
      { requests: [], cursor: options.after, dropped: 0 };
  }

  /** Writes all that waits. */
  flush(): void {
    while (this.#queue.length > 0 && this.#writeBatch() === "written");
  }

  /** Writes all that waits and closes the file; what comes later is dropped. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.flush();
    this.#unusable = true;
    this.#dropQueued(this.#queue.length);
    this.#closeFile();
  }

  readonly #onTimer = (): void => {
    this.#timer = undefined;
    const outcome = this.#queue.length > 0 ? this.#writeBatch() : this.#prune();
    if (this.#queue.length > 0) {
      // Between two batches requests have their turn; another process's lock gets more time.
      this.#timer = setTimeout(this.#onTimer, outcome === "written" ? 0 : FLUSH_MS);
    } else if (this.#pruning || this.#options.now() - this.#prunedAt > PRUNE_EVERY_MS) {
      this.#timer = setTimeout(this.#onTimer, FLUSH_MS);
      Deno.unrefTimer(this.#timer);
    }
  };

  #writeBatch(): "written" | "later" {
    const log = this.#open();
    if (log === undefined) {
      if (this.#unusable) this.#dropQueued(this.#queue.length);
      return "later";
    }
    const batch = this.#queue.slice(0, BATCH_ROWS);
    try {
      log.append(batch, this.#droppedUntold);
    } catch (error) {
      this.#warn(error);
      if (error instanceof DamagedFile) this.#setAside();
      // A defect: the same rows would fail again.
      else if (!(error instanceof BrokerError)) this.#dropQueued(batch.length);
      // Its disk may have gone and come back.
      else if (!isPassing(error)) this.#closeFile();
      return "later";
    }
    this.#droppedUntold = 0;
    this.#queue = this.#queue.slice(batch.length);
    return "written";
  }

  #prune(): "written" | "later" {
    try {
      const { now, retention = DEFAULT_RETENTION } = this.#options;
      this.#pruning = this.#open()?.prune(retention, { now: now(), limit: PRUNE_ROWS }) ?? false;
      if (!this.#pruning) this.#prunedAt = now();
      return "written";
    } catch (error) {
      this.#pruning = false;
      this.#prunedAt = this.#options.now();
      this.#warn(error);
      return "later";
    }
  }

  #open(): RequestLogDatabase | undefined {
    if (this.#log !== undefined || this.#unusable) return this.#log;
    const { directory } = this.#options;
    const open = () => RequestLogDatabase.open(directory, { busyTimeout: BUSY_TIMEOUT_MS });
    try {
      return this.#log = open();
    } catch (error) {
      this.#warn(error);
      // Too many open files, a directory that is read-only for now: the rows wait.
      if (!(error instanceof DamagedFile)) return undefined;
    }
    this.#setAside();
    try {
      return this.#log = this.#unusable ? undefined : open();
    } catch (error) {
      this.#warn(error);
      return undefined;
    }
  }

  #closeFile(): void {
    this.#log?.close();
    this.#log = undefined;
  }

  /** A broken log is kept for whoever wants to look, and a new one begun. */
  #setAside(): void {
    this.#closeFile();
    const path = RequestLogDatabase.pathIn(this.#options.directory);
    try {
      Deno.renameSync(path, `${path}.damaged`);
      for (const suffix of ["-wal", "-shm"]) removeIfPresent(path + suffix);
      this.#warnOnce(
        `the request log was damaged: it is now ${path}.damaged, and a new one is begun`,
      );
    } catch (error) {
      this.#warn(error);
      this.#unusable = true;
    }
  }

  #tally({ status, errorCode, matchedService }: RequestLogRow): void {
    const { counts } = this;
    // A client that answers a challenge on the same connection has not been refused anything.
    if (errorCode === "proxy_auth_required") return;
    counts.requests++;
    if (errorCode === undefined && status !== 0) {
      if (matchedService === undefined) counts.passed++;
      else counts.brokered++;
    } else if (status >= 500 || status === 0) counts.failed++;
    else counts.refused++;
  }

  #dropQueued(count: number): void {
    this.#queue = this.#queue.slice(count);
    this.#drop(count);
  }

  #drop(count: number): void {
    this.counts.dropped += count;
    this.#droppedUntold += count;
  }

  #warn(error: unknown): void {
    const message = error instanceof BrokerError ? error.message : "it failed unexpectedly";
    this.#warnOnce(`the request log: ${message}`);
  }

  #warnOnce(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.#options.warn(message);
  }
}

/** Trouble that goes away: another process's lock, a full disk. */
function isPassing(error: unknown): boolean {
  return error instanceof BrokerError &&
    (error.code === "store_busy" || error.code === "disk_full");
}

function removeIfPresent(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
