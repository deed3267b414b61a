import { BrokerError } from "../errors.ts";
import { parseCredentialKey } from "../model/credential_key.ts";
import { checkCredentialValue } from "../model/credential_value.ts";
import { nearestWord } from "../model/nearest_word.ts";
import type { Secret } from "../model/secret.ts";
import type { Database } from "./database.ts";
import { SealBrokenError, type SealedPlace, type Sealer } from "./sealer.ts";
import type { Vaults } from "./vaults.ts";

/** A credential to store. */
export interface CredentialEntry {
  readonly key: string;
  readonly value: Secret;
}

interface CredentialRow {
  readonly key: string;
  readonly sealed: Uint8Array;
}

/** The credentials of each vault, sealed one by one. */
export class Credentials {
  readonly #database: Database;
  readonly #vaults: Vaults;
  readonly #sealer: Sealer;
  readonly #now: () => number;

  constructor(
    database: Database,
    options: {
      readonly vaults: Vaults;
      readonly sealer: Sealer;
      readonly now: () => number;
    },
  ) {
    this.#database = database;
    this.#vaults = options.vaults;
    this.#sealer = options.sealer;
    this.#now = options.now;
  }

  /** All keys in alphabetical order. @throws {BrokerError} `not_found` for the vault */
  keys(vault: string): string[] {
    return this.#database.read(() => this.#keysOf(this.#vaults.row(vault).id));
  }

  has(vault: string, key: string): boolean {
    return this.#sealed(this.#vaults.row(vault).id, key) !== undefined;
  }

  /** @throws {BrokerError} `not_found`; `home_unusable` when the stored value does not open */
  get(vault: string, key: string): Secret {
    return this.#database.read(() => {
      const { id } = this.#vaults.row(vault);
      const sealed = this.#sealed(id, key);
      if (sealed === undefined) throw noSuchCredentials([key], this.#keysOf(id));
      return this.open(sealed, { vaultId: id, key });
    });
  }

  /**
   * Stores all entries or none; an existing key gets the new value.
   *
   * @throws {BrokerError} `not_found` for the vault; `validation_failed` for a key or value
   */
  set(vault: string, entries: readonly CredentialEntry[]): void {
    for (const { key, value } of entries) {
      parseCredentialKey(key);
      checkCredentialValue(key, value.reveal());
    }
    if (entries.length === 0) return;
    this.#database.write(() => {
      const { id } = this.#vaults.row(vault);
      const now = this.#now();
      for (const { key, value } of entries) {
        this.#database.run(
          `INSERT INTO credentials (vault_id, key, sealed, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at`,
          [id, key, this.#sealer.seal(value, place(id, key)), now, now],
        );
      }
    });
  }

  /** Deletes all of the keys or none. @throws {BrokerError} `not_found` when one is not there */
  delete(vault: string, keys: readonly string[]): void {
    this.#database.write(() => {
      const { id } = this.#vaults.row(vault);
      const stored = new Set(this.#keysOf(id));
      const missing = keys.filter((key) => !stored.has(key));
      if (missing.length > 0) throw noSuchCredentials(missing, [...stored]);
      for (const key of keys) {
        this.#database.run("DELETE FROM credentials WHERE vault_id = ? AND key = ?", [id, key]);
      }
    });
  }

  /** The sealed values of a vault, for a snapshot that opens them when it has to. */
  sealedOf(vaultId: string): Map<string, Uint8Array> {
    const rows = this.#database.all<CredentialRow>(
      "SELECT key, sealed FROM credentials WHERE vault_id = ?",
      [vaultId],
    );
    return new Map(rows.map((row) => [row.key, row.sealed]));
  }

  /** Opens a sealed value of that row. @throws {BrokerError} `home_unusable` */
  open(sealed: Uint8Array, row: { readonly vaultId: string; readonly key: string }): Secret {
    try {
      return this.#sealer.open(sealed, place(row.vaultId, row.key));
    } catch (cause) {
      if (!(cause instanceof SealBrokenError)) throw cause;
      throw new BrokerError(
        "home_unusable",
        `The stored value of "${row.key}" does not open: it was changed or moved outside of broker`,
        { hint: `broker vault credential set ${row.key}`, cause },
      );
    }
  }

  #keysOf(vaultId: string): string[] {
    return this.#database.all<{ key: string }>(
      "SELECT key FROM credentials WHERE vault_id = ? ORDER BY key",
      [vaultId],
    ).map((row) => row.key);
  }

  #sealed(vaultId: string, key: string): Uint8Array | undefined {
    return this.#database.get<{ sealed: Uint8Array }>(
      "SELECT sealed FROM credentials WHERE vault_id = ? AND key = ?",
      [vaultId, key],
    )?.sealed;
  }
}

function place(vaultId: string, key: string): SealedPlace {
  return { table: "credentials", vault: vaultId, key };
}

function noSuchCredentials(missing: readonly string[], keys: readonly string[]): BrokerError {
  const [first = ""] = missing;
  const near = nearestWord(first, keys);
  const names = missing.map((key) => `"${key}"`).join(", ");
  return new BrokerError("not_found", `There is no credential ${names}`, {
    hint: near === undefined ? `broker vault credential set ${first}` : `did you mean "${near}"?`,
    details: { missing },
  });
}
