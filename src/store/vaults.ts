import { BrokerError } from "../errors.ts";
import { nearestWord } from "../model/nearest_word.ts";
import { DEFAULT_SETTINGS, type VaultSettings } from "../model/vault.ts";
import { parseVaultName } from "../model/vault_name.ts";
import type { Database } from "./database.ts";

/** The vault that a new home has, and that is meant when nobody selected another. */
export const DEFAULT_VAULT = "default";

/** One vault as lists show it. */
export interface VaultSummary {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** How many services, disabled ones included. */
  readonly services: number;
  /** How many credentials. */
  readonly credentials: number;
  readonly selected: boolean;
}

/** What the other tables need of a vault. */
export interface VaultRow {
  readonly id: string;
  readonly name: string;
  readonly settings: VaultSettings;
  readonly cleared: boolean;
  /** Moved by triggers whenever settings, services or credentials change. */
  readonly revision: number;
}

interface StoredVault {
  readonly id: string;
  readonly name: string;
  readonly settings: string;
  readonly cleared: number;
  readonly revision: number;
}

interface StoredSummary {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly services: number;
  readonly credentials: number;
}

const SELECTED = "selected_vault";

/** The vaults of a home. Vaults are addressed by name; everywhere inside by an id that never returns. */
export class Vaults {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** All vaults by name. */
  list(): VaultSummary[] {
    return this.#database.read(() => {
      const selected = this.selected();
      const rows = this.#database.all<StoredSummary>(`
        SELECT id, name, created_at,
          (SELECT count(*) FROM services WHERE vault_id = vaults.id) AS services,
          (SELECT count(*) FROM credentials WHERE vault_id = vaults.id) AS credentials
        FROM vaults ORDER BY name`);
      return rows.map((row) => ({
        name: row.name,
        createdAt: row.created_at,
        services: row.services,
        credentials: row.credentials,
        selected: row.name === selected,
      }));
    });
  }

  /** @throws {BrokerError} `validation_failed` or `already_exists` */
  create(name: string): void {
    parseVaultName(name);
    this.#database.write(() => {
      this.#requireFree(name);
      this.#database.run(
        "INSERT INTO vaults (id, name, settings, created_at) VALUES (?, ?, ?, ?)",
        [crypto.randomUUID(), name, JSON.stringify(DEFAULT_SETTINGS), this.#now()],
      );
    });
  }

  /** @throws {BrokerError} `not_found`, `validation_failed` or `already_exists` */
  rename(oldName: string, newName: string): void {
    parseVaultName(newName);
    this.#database.write(() => {
      const { id } = this.row(oldName);
      if (newName === oldName) return;
      this.#requireFree(newName);
      this.#database.run("UPDATE vaults SET name = ? WHERE id = ?", [newName, id]);
    });
  }

  /**
   * Deletes a vault with its services, credentials and sessions.
   *
   * @throws {BrokerError} `not_found`; `conflict` for the last vault
   */
  delete(name: string): void {
    this.#database.write(() => {
      const { id } = this.row(name);
      if (this.#names().length === 1) {
        throw new BrokerError("conflict", `"${name}" is the only vault`, {
          hint: "broker vault create NAME, and delete this one then",
        });
      }
      this.#database.run("DELETE FROM vaults WHERE id = ?", [id]);
      this.#database.run("DELETE FROM meta WHERE key = ? AND value = ?", [SELECTED, id]);
    });
  }

  /** Makes a vault the one that is meant when none is named. @throws {BrokerError} `not_found` */
  select(name: string): void {
    this.#database.write(() => {
      this.#database.run(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        [SELECTED, this.row(name).id],
      );
    });
  }

  /** The selected vault's name, else `default`, whether or not there is a vault of that name. */
  selected(): string {
    const row = this.#database.get<{ name: string }>(
      "SELECT name FROM vaults JOIN meta ON meta.value = vaults.id WHERE meta.key = ?",
      [SELECTED],
    );
    return row?.name ?? DEFAULT_VAULT;
  }

  /** @throws {BrokerError} `not_found` */
  get(name: string): VaultSummary {
    const { name: found } = this.row(name);
    return this.list().find((vault) => vault.name === found)!;
  }

  /** @throws {BrokerError} `not_found` */
  settings(name: string): VaultSettings {
    return this.row(name).settings;
  }

  /** Changes the settings that are given; returns all of them. @throws {BrokerError} `not_found` */
  updateSettings(name: string, changes: Partial<VaultSettings>): VaultSettings {
    return this.#database.write(() => {
      const { id, settings } = this.row(name);
      const next = { ...settings, ...changes };
      this.#database.run("UPDATE vaults SET settings = ? WHERE id = ?", [JSON.stringify(next), id]);
      return next;
    });
  }

  /** The vault's row. @throws {BrokerError} `not_found` with the names there are */
  row(name: string): VaultRow {
    const row = this.find(name);
    if (row !== undefined) return row;
    const names = this.#names();
    const near = nearestWord(name, names);
    throw new BrokerError("not_found", `There is no vault "${name}"`, {
      hint: near === undefined
        ? `use one of ${names.join(", ")}, or: broker vault create ${name}`
        : `did you mean "${near}"? There are: ${names.join(", ")}`,
      details: { vaults: names },
    });
  }

  /** The vault's row, or `undefined`. */
  find(name: string): VaultRow | undefined {
    const row = this.#database.get<StoredVault>(
      "SELECT id, name, settings, cleared, revision FROM vaults WHERE name = ?",
      [name],
    );
    if (row === undefined) return undefined;
    const { id, revision } = row;
    return {
      id,
      name: row.name,
      revision,
      cleared: row.cleared === 1,
      settings: parseSettings(row.settings),
    };
  }

  #names(): string[] {
    return this.#database.all<{ name: string }>("SELECT name FROM vaults ORDER BY name")
      .map((row) => row.name);
  }

  #requireFree(name: string): void {
    if (this.find(name) === undefined) return;
    throw new BrokerError("already_exists", `There is a vault "${name}" already`, {
      hint: `broker vault use ${name}`,
    });
  }
}

/** A value that this program does not know is read as the stricter one. */
function parseSettings(json: string): VaultSettings {
  const stored = JSON.parse(json) as Partial<Record<keyof VaultSettings, unknown>>;
  const { unmatchedHostPolicy, plaintextCredentials, notifications } = {
    ...DEFAULT_SETTINGS,
    ...stored,
  };
  return {
    unmatchedHostPolicy: unmatchedHostPolicy === "passthrough" ? "passthrough" : "deny",
    plaintextCredentials: plaintextCredentials === "always" ? "always" : "local",
    notifications: notifications === "on" ? "on" : "off",
  };
}
