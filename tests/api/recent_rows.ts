import type { RequestLogRow } from "../../src/model/request_log_row.ts";
import type { TrafficPort, TrafficRows } from "../../src/api/ports.ts";

/** Rows that are kept, of all vaults. */
const LIMIT = 5000;

/** The latest rows of this process, in memory. The cursor is the number of rows there have been. */
export class RecentRows implements TrafficPort {
  #rows: RequestLogRow[] = [];
  #count = 0;

  /** Adds a row; never blocks or throws. */
  record(row: RequestLogRow): void {
    this.#count++;
    this.#rows.push(row);
    // Trimmed seldom, so that a row costs next to nothing.
    if (this.#rows.length >= 2 * LIMIT) this.#rows = this.#rows.slice(-LIMIT);
  }

  newest(vault: string, limit: number): TrafficRows {
    const rows = this.#rows.filter((row) => row.vault === vault).slice(-limit);
    return { rows, cursor: this.#count, dropped: 0 };
  }

  after(vault: string, { cursor, limit }: { cursor: number; limit: number }): TrafficRows {
    const missing = Math.max(0, this.#count - cursor);
    const fresh = missing === 0 ? [] : this.#rows.slice(-missing);
    const rows = fresh.filter((row) => row.vault === vault);
    return {
      rows: rows.slice(-limit),
      cursor: this.#count,
      dropped: missing - fresh.length + Math.max(0, rows.length - limit),
    };
  }
}
