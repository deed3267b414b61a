import { createHash, randomBytes } from "node:crypto";
import { Secret } from "../model/secret.ts";
import type { Caller } from "../model/session.ts";
import { encodeBase64Url } from "./base64url.ts";
import type { Database } from "./database.ts";
import type { Vaults } from "./vaults.ts";

/** Prefix of vault-scoped session tokens (interfaces: Tokens). */
export const SESSION_TOKEN_PREFIX = "brk_sess_";

const TOKEN_BYTES = 32;

/** Short enough for a log column; not a secret. */
const ID_BYTES = 6;

/** Callers kept in memory; more tokens than this at once only cost a query each. */
const CACHE_LIMIT = 1024;

/** A new session. The token is shown here and never again. */
export interface CreatedSession {
  readonly id: string;
  readonly token: Secret;
  readonly caller: Caller;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

interface SessionRow {
  readonly id: string;
  readonly vault_name: string;
  readonly expires_at: number;
}

/**
 * Vault-scoped sessions. Only a token's SHA-256 is stored and looked up, so that neither the database
 * nor the time of a lookup tells anything about a token.
 */
export class Sessions {
  readonly #database: Database;
  readonly #vaults: Vaults;
  readonly #now: () => number;
  readonly #callers = new Map<string, Caller>();
  #revision = -1;

  constructor(
    database: Database,
    options: { readonly vaults: Vaults; readonly now: () => number },
  ) {
    this.#database = database;
    this.#vaults = options.vaults;
    this.#now = options.now;
  }

  /** Creates a session of a vault and drops expired ones. @throws {BrokerError} `not_found` */
  create(options: { readonly vault: string; readonly ttlSeconds: number }): CreatedSession {
    const token = SESSION_TOKEN_PREFIX + encodeBase64Url(randomBytes(TOKEN_BYTES));
    const id = randomBytes(ID_BYTES).toString("hex");
    return this.#database.write(() => {
      const vault = this.#vaults.row(options.vault);
      const now = this.#now();
      const expiresAt = now + options.ttlSeconds * 1000;
      this.#database.run("DELETE FROM sessions WHERE expires_at <= ?", [now]);
      this.#database.run(
        `INSERT INTO sessions (id, token_hash, vault_id, created_at, expires_at)
          VALUES (?, ?, ?, ?, ?)`,
        [id, hashToken(token), vault.id, now, expiresAt],
      );
      const caller = toCaller({ id, vault_name: vault.name, expires_at: expiresAt });
      return { id, token: new Secret(token), caller, expiresAt };
    });
  }

  /** The bearer of a token, or `undefined` when it is unknown, revoked or expired. */
  find(token: string): Caller | undefined {
    if (!token.startsWith(SESSION_TOKEN_PREFIX)) return undefined;
    this.#forgetIfChanged();
    const hash = hashToken(token);
    const caller = this.#callers.get(hash) ?? this.#load(hash);
    if (caller === undefined || caller.expiresAt > this.#now()) return caller;
    this.#callers.delete(hash);
    return undefined;
  }

  /** Ends a session; false when there was none of that id. */
  revoke(id: string): boolean {
    return this.#database.write(() =>
      this.#database.run("DELETE FROM sessions WHERE id = ?", [id]) > 0
    );
  }

  /** Ends the session of a token; false when there was none. */
  revokeToken(token: string): boolean {
    return this.#database.write(() =>
      this.#database.run("DELETE FROM sessions WHERE token_hash = ?", [hashToken(token)]) > 0
    );
  }

  #forgetIfChanged(): void {
    const revision = this.#database.revision();
    if (revision === this.#revision) return;
    this.#revision = revision;
    this.#callers.clear();
  }

  #load(hash: string): Caller | undefined {
    const row = this.#database.get<SessionRow>(
      `SELECT sessions.id, vaults.name AS vault_name, expires_at
        FROM sessions JOIN vaults ON vaults.id = vault_id WHERE token_hash = ?`,
      [hash],
    );
    if (row === undefined) return undefined;
    const caller = toCaller(row);
    if (this.#callers.size >= CACHE_LIMIT) this.#callers.clear();
    this.#callers.set(hash, caller);
    return caller;
  }
}

function toCaller(row: SessionRow): Caller {
  return {
    actorType: "session",
    actorName: row.id,
    vaultName: row.vault_name,
    grants: [],
    expiresAt: row.expires_at,
  };
}

function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
