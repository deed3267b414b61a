import type { RequestLogRow } from "../model/request_log_row.ts";
import type { Database } from "./database.ts";

/** Shapes whose number this process remembers; a row of another one costs a query. */
const SHAPES_KEPT = 10_000;

/** What rows have in common, numbered. */
export class RequestLogShapes {
  readonly #database: Database;
  readonly #numbers = new Map<string, number>();
  /** The latest row's shape, which most often is the next one's too. */
  #last: { readonly row: RequestLogRow; readonly id: number } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The number of the row's shape, which is stored when it is new. */
  of(row: RequestLogRow): number {
    const last = this.#last;
    if (last !== undefined && isAlike(row, last.row)) return last.id;
    const id = this.#find(row);
    this.#last = { row, id };
    return id;
  }

  /** Forgets what is remembered, because shapes may have been deleted or undone. */
  forget(): void {
    this.#numbers.clear();
    this.#last = undefined;
  }

  #find(row: RequestLogRow): number {
    const fields: readonly (string | number | null)[] = [
      row.vault ?? null,
      row.ingress,
      row.method,
      row.host,
      row.matchedService ?? null,
      row.credentialKeys.join(" "),
      row.status,
      row.errorCode ?? null,
      row.actorType ?? null,
      row.actorName ?? null,
    ];
    const identity = fields.join("\n");
    let id = this.#numbers.get(identity);
    if (id !== undefined) return id;
    this.#database.run(
      `INSERT INTO shapes (identity, vault, ingress, method, host, service, credential_keys, status,
        error_code, actor_type, actor_name) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING`,
      [identity, ...fields],
    );
    id = this.#database.get<{ id: number }>("SELECT id FROM shapes WHERE identity = ?", [identity])!
      .id;
    if (this.#numbers.size >= SHAPES_KEPT) this.#numbers.clear();
    this.#numbers.set(identity, id);
    return id;
  }
}

function isAlike(a: RequestLogRow, b: RequestLogRow): boolean {
  return a.host === b.host && a.status === b.status && a.method === b.method &&
    a.actorName === b.actorName && a.matchedService === b.matchedService && a.vault === b.vault &&
    a.ingress === b.ingress && a.errorCode === b.errorCode && a.actorType === b.actorType &&
    a.credentialKeys.length === b.credentialKeys.length &&
    a.credentialKeys.every((key, index) => key === b.credentialKeys[index]);
}
