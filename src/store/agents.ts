import { randomBytes } from "node:crypto";
import { BrokerError } from "../errors.ts";
import type { GrantRole, VaultGrant } from "../model/agent_grant.ts";
import { parseAgentName } from "../model/agent_name.ts";
import { nearestWord } from "../model/nearest_word.ts";
import type { Secret } from "../model/secret.ts";
import type { Caller } from "../model/session.ts";
import { CallerCache } from "./caller_cache.ts";
import type { Database } from "./database.ts";
import { createToken, hashToken } from "./token.ts";
import type { Vaults } from "./vaults.ts";

/** Prefix of instance-level agent tokens (interfaces: Tokens). */
export const AGENT_TOKEN_PREFIX = "brk_agt_";

const ID_BYTES = 16;

/** One agent as lists show it. Times are milliseconds since the epoch. */
export interface AgentSummary {
  readonly name: string;
  readonly createdAt: number;
  /** When its present token was made. */
  readonly rotatedAt: number;
  /** Set once its token was taken back. */
  readonly revokedAt: number | undefined;
  /** By the vault's name. */
  readonly grants: readonly VaultGrant[];
}

interface AgentRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly rotated_at: number;
  readonly revoked_at: number | null;
}

/**
 * Agents and their instance-level tokens (spec: Authentication). A token is shown when it is made and
 * never again. Whatever takes a right away ends the sessions that were minted by it, in one change.
 */
export class Agents {
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

  /** Every agent, by name. */
  list(): readonly AgentSummary[] {
    return this.#database.all<AgentRow>("SELECT * FROM agents ORDER BY name")
      .map((row) => this.#summary(row));
  }

  /** @throws {BrokerError} `not_found` */
  get(name: string): AgentSummary {
    return this.#summary(this.#row(name));
  }

  /**
   * Creates an agent and gives its token.
   *
   * @throws {BrokerError} `validation_failed`; `conflict` for a name that is taken; `not_found` for a vault
   */
  create(name: string, grants: readonly VaultGrant[]): Secret {
    parseAgentName(name);
    const token = createToken(AGENT_TOKEN_PREFIX);
    this.#database.write(() => {
      this.#requireFree(name);
      const now = this.#now();
      const id = randomBytes(ID_BYTES).toString("hex");
      this.#database.run(
        "INSERT INTO agents (id, name, token_hash, created_at, rotated_at) VALUES (?, ?, ?, ?, ?)",
        [id, name, hashToken(token.reveal()), now, now],
      );
      for (const grant of grants) this.#grant(id, grant);
    });
    return token;
  }

  /** Replaces the token; the one before ends at once. A revoked agent is let in again. @throws {BrokerError} `not_found` */
  rotate(name: string): Secret {
    const token = createToken(AGENT_TOKEN_PREFIX);
    this.#database.write(() => {
      const { id } = this.#row(name);
      this.#endSessions(id);
      this.#database.run(
        "UPDATE agents SET token_hash = ?, rotated_at = ?, revoked_at = NULL WHERE id = ?",
        [hashToken(token.reveal()), this.#now(), id],
      );
    });
    return token;
  }

  /** Takes the token back and keeps the name and the grants. @throws {BrokerError} `not_found` */
  revoke(name: string): void {
    this.#database.write(() => {
      const { id, revoked_at: revokedAt } = this.#row(name);
      this.#endSessions(id);
      this.#database.run("UPDATE agents SET token_hash = NULL, revoked_at = ? WHERE id = ?", [
        revokedAt ?? this.#now(),
        id,
      ]);
    });
  }

  /** @throws {BrokerError} `not_found` */
  delete(name: string): void {
    this.#database.write(() => {
      this.#database.run("DELETE FROM agents WHERE id = ?", [this.#row(name).id]);
    });
  }

  /** @throws {BrokerError} `not_found`, `conflict`, `validation_failed` */
  rename(oldName: string, newName: string): void {
    parseAgentName(newName);
    this.#database.write(() => {
      const { id } = this.#row(oldName);
      if (newName === oldName) return;
      this.#requireFree(newName);
      this.#database.run("UPDATE agents SET name = ? WHERE id = ?", [newName, id]);
    });
  }

  /** Lets an agent use a vault, or changes what for. @throws {BrokerError} `not_found` */
  grant(name: string, grant: VaultGrant): void {
    this.#database.write(() => {
      const { id } = this.#row(name);
      // A session holds the rights of its time; the new role begins without them.
      this.#endSessions(id, grant.vault);
      this.#grant(id, grant);
    });
  }

  /** Takes a vault away. @throws {BrokerError} `not_found` for an agent, a vault or a grant that is not there */
  ungrant(name: string, vault: string): void {
    this.#database.write(() => {
      const { id } = this.#row(name);
      const removed = this.#database.run(
        "DELETE FROM agent_grants WHERE agent_id = ? AND vault_id = ?",
        [id, this.#vaults.row(vault).id],
      );
      this.#endSessions(id, vault);
      if (removed > 0) return;
      throw new BrokerError("not_found", `Agent "${name}" has no grant for vault "${vault}"`, {
        hint: `broker agent info ${name}`,
      });
    });
  }

  /** The bearer of a token, or `undefined` when it is unknown or was taken back. */
  find(token: string): Caller | undefined {
    return token.startsWith(AGENT_TOKEN_PREFIX) ? this.#callers.find(token) : undefined;
  }

  #grant(agentId: string, { vault, role }: VaultGrant): void {
    this.#database.run(
      `INSERT INTO agent_grants (agent_id, vault_id, role) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET role = excluded.role`,
      [agentId, this.#vaults.row(vault).id, role],
    );
  }

  #endSessions(agentId: string, vault?: string): void {
    if (vault === undefined) {
      this.#database.run("DELETE FROM sessions WHERE agent_id = ?", [agentId]);
    } else {
      this.#database.run("DELETE FROM sessions WHERE agent_id = ? AND vault_id = ?", [
        agentId,
        this.#vaults.row(vault).id,
      ]);
    }
  }

  #load(hash: string): Caller | undefined {
    const row = this.#database.get<AgentRow>("SELECT * FROM agents WHERE token_hash = ?", [hash]);
    if (row === undefined) return undefined;
    return {
      actorType: "agent",
      actorName: row.name,
      vaultName: undefined,
      grants: this.#grants(row.id),
      expiresAt: Infinity,
    };
  }

  #summary(row: AgentRow): AgentSummary {
    return {
      name: row.name,
      createdAt: row.created_at,
      rotatedAt: row.rotated_at,
      revokedAt: row.revoked_at ?? undefined,
      grants: this.#grants(row.id),
    };
  }

  #grants(agentId: string): VaultGrant[] {
    return this.#database.all<{ vault: string; role: GrantRole }>(
      `SELECT vaults.name AS vault, role FROM agent_grants
        JOIN vaults ON vaults.id = vault_id WHERE agent_id = ? ORDER BY vaults.name`,
      [agentId],
    ).map(({ vault, role }) => ({ vault, role }));
  }

  #row(name: string): AgentRow {
    const row = this.#database.get<AgentRow>("SELECT * FROM agents WHERE name = ?", [name]);
    if (row !== undefined) return row;
    const names = this.#database.all<{ name: string }>("SELECT name FROM agents")
      .map((agent) => agent.name);
    const near = nearestWord(name, names);
    throw new BrokerError("not_found", `There is no agent "${name}"`, {
      hint: near !== undefined
        ? `did you mean "${near}"?`
        : names.length === 0
        ? "broker agent create NAME"
        : `the agents are: ${names.sort().join(", ")}`,
    });
  }

  #requireFree(name: string): void {
    const taken = this.#database.get("SELECT 1 FROM agents WHERE name = ?", [name]);
    if (taken === undefined) return;
    throw new BrokerError("conflict", `There is an agent "${name}" already`, {
      hint: `choose another name, or: broker agent rotate ${name}`,
    });
  }
}
