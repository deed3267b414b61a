import { randomBytes } from "node:crypto";
import type { Secret } from "../model/secret.ts";
import type { Caller } from "../model/session.ts";
import { CallerCache } from "./caller_cache.ts";
import type { Database } from "./database.ts";
import { createToken, hashToken } from "./token.ts";
import type { Vaults } from "./vaults.ts";

/** Prefix of vault-scoped session tokens (interfaces: Tokens). */
export const SESSION_TOKEN_PREFIX = "brk_sess_";

/** Short enough for a log column; not a secret. */
const ID_BYTES = 6;

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
  readonly agent_name: string | null;
  readonly expires_at: number;
}

/** Vault-scoped sessions. Only a token's hash is stored and looked up. */
export class Sessions {
  readonly #database: Database;
  readonly #vaults: Vaults;
  readonly #now: () => number;
  readonly #callers: CallerCache;

  constructor(
    database: Database,
    options: { readonly vaults: Vaults; readonly now: () => number },
  ) {
    this.#database = database;
    this.#vaults = options.vaults;
    this.#now = options.now;
    this.#callers = new CallerCache(database, (hash) => this.#load(hash));
  }

  /**
   * Creates a session of a vault and drops expired ones. A session that an agent minted acts under the
   * agent's name and ends with its token and with its grant for the vault.
   *
   * @throws {BrokerError} `not_found`
   */
  create(
    options: { readonly vault: string; readonly ttlSeconds: number; readonly agent?: string },
  ): CreatedSession {
    const token = createToken(SESSION_TOKEN_PREFIX);
    const id = randomBytes(ID_BYTES).toString("hex");
    return this.#database.write(() => {
      const vault = this.#vaults.row(options.vault);
      const now = this.#now();
      const expiresAt = now + options.ttlSeconds * 1000;
      this.#database.run("DELETE FROM sessions WHERE expires_at <= ?", [now]);
      this.#database.run(
        `INSERT INTO sessions (id, token_hash, vault_id, agent_id, created_at, expires_at)
          VALUES (?, ?, ?, (SELECT id FROM agents WHERE name = ?), ?, ?)`,
        [id, hashToken(token.reveal()), vault.id, options.agent ?? null, now, expiresAt],
      );
      const caller = toCaller({
        id,
        vault_name: vault.name,
        agent_name: options.agent ?? null,
        expires_at: expiresAt,
      });
      return { id, token, caller, expiresAt };
    });
  }

  /** The bearer of a token, or `undefined` when it is unknown, revoked or expired. */
  find(token: string): Caller | undefined {
    if (!token.startsWith(SESSION_TOKEN_PREFIX)) return undefined;
    const caller = this.#callers.find(token);
    return caller !== undefined && caller.expiresAt > this.#now() ? caller : undefined;
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

  #load(hash: string): Caller | undefined {
    const row = this.#database.get<SessionRow>(
      `SELECT sessions.id, vaults.name AS vault_name, agents.name AS agent_name, expires_at
        FROM sessions JOIN vaults ON vaults.id = vault_id
        LEFT JOIN agents ON agents.id = agent_id WHERE sessions.token_hash = ?`,
      [hash],
    );
    return row === undefined ? undefined : toCaller(row);
  }
}

function toCaller(row: SessionRow): Caller {
  return {
    actorType: row.agent_name === null ? "session" : "agent",
    actorName: row.agent_name ?? row.id,
    vaultName: row.vault_name,
    grants: [],
    expiresAt: row.expires_at,
  };
}
