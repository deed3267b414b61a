import type { Secret } from "../model/secret.ts";
import type { VaultSnapshot } from "../model/vault_snapshot.ts";
import type { Credentials } from "./credentials.ts";
import type { Database } from "./database.ts";
import type { Services } from "./services.ts";
import type { VaultRow, Vaults } from "./vaults.ts";

interface CacheEntry {
  readonly snapshot: VaultSnapshot;
  /** The vault's own revision, which triggers move. */
  readonly vaultRevision: number;
  /** The database's revision at which the entry was last seen to hold. */
  checkedAt: number;
}

/** Vaults whose snapshots are kept. */
const CACHE_LIMIT = 64;

/**
 * Snapshots of vaults for the data plane. While nothing in the database moved, a snapshot costs one
 * `PRAGMA data_version`; while only other vaults or sessions moved, one more row.
 */
export class Snapshots {
  readonly #database: Database;
  readonly #vaults: Vaults;
  readonly #services: Services;
  readonly #credentials: Credentials;
  readonly #cache = new Map<string, CacheEntry>();

  constructor(
    database: Database,
    tables: {
      readonly vaults: Vaults;
      readonly services: Services;
      readonly credentials: Credentials;
    },
  ) {
    this.#database = database;
    this.#vaults = tables.vaults;
    this.#services = tables.services;
    this.#credentials = tables.credentials;
  }

  /** The vault as it stands, the same object while it does not change; `undefined` without one. */
  find(vaultName: string): VaultSnapshot | undefined {
    // Asked before the rows are read: a change that falls between is then seen the next time.
    const revision = this.#database.revision();
    const cached = this.#cache.get(vaultName);
    if (cached?.checkedAt === revision) return cached.snapshot;
    return this.#database.read(() => {
      const vault = this.#vaults.find(vaultName);
      if (vault === undefined) {
        this.#cache.delete(vaultName);
        return undefined;
      }
      if (cached?.vaultRevision === vault.revision && cached.snapshot.id === vault.id) {
        cached.checkedAt = revision;
        return cached.snapshot;
      }
      const snapshot = this.#create(vault);
      if (this.#cache.size >= CACHE_LIMIT) this.#cache.clear();
      this.#cache.set(vaultName, {
        snapshot,
        vaultRevision: vault.revision,
        checkedAt: revision,
      });
      return snapshot;
    });
  }

  #create(vault: VaultRow): VaultSnapshot {
    const sealed = this.#credentials.sealedOf(vault.id);
    const opened = new Map<string, Secret>();
    const credential = (key: string): Secret | undefined => {
      const known = opened.get(key);
      if (known !== undefined) return known;
      const value = sealed.get(key);
      if (value === undefined) return undefined;
      const secret = this.#credentials.open(value, { vaultId: vault.id, key });
      opened.set(key, secret);
      return secret;
    };
    return {
      id: vault.id,
      name: vault.name,
      settings: vault.settings,
      services: this.#services.ofVault(vault.id),
      cleared: vault.cleared,
      credential,
    };
  }
}
