import type { Caller } from "../model/session.ts";
import type { Database } from "./database.ts";
import { hashToken } from "./token.ts";

/** Callers kept in memory; more tokens than this at once only cost a query each. */
const CACHE_LIMIT = 1024;

/** Bearers of tokens, looked up by hash once until something in the database changes. */
export class CallerCache {
  readonly #database: Database;
  readonly #load: (hash: string) => Caller | undefined;
  readonly #callers = new Map<string, Caller>();
  #revision = -1;

  constructor(database: Database, load: (hash: string) => Caller | undefined) {
    this.#database = database;
    this.#load = load;
  }

  /** The bearer of a token, whether or not its time is up; `undefined` when nobody has it. */
  find(token: string): Caller | undefined {
    const revision = this.#database.revision();
    if (revision !== this.#revision) {
      this.#revision = revision;
      this.#callers.clear();
    }
    const hash = hashToken(token);
    const known = this.#callers.get(hash);
    if (known !== undefined) return known;
    const caller = this.#load(hash);
    if (caller === undefined) return undefined;
    if (this.#callers.size >= CACHE_LIMIT) this.#callers.clear();
    this.#callers.set(hash, caller);
    return caller;
  }
}
