import { isAbsolute, resolve } from "node:path";
import { BrokerError } from "../errors.ts";
import type { Secret } from "../model/secret.ts";
import type { Caller } from "../model/session.ts";
import type { VaultSnapshot } from "../model/vault_snapshot.ts";
import { Agents } from "./agents.ts";
import { AuthorityTable } from "./authority_table.ts";
import { Credentials } from "./credentials.ts";
import { createDatabase } from "./create_database.ts";
import { Database } from "./database.ts";
import { Home } from "./home.ts";
import { DEFAULT_SCRYPT_COST, type ScryptCost } from "./key_wrap.ts";
import { type PassphraseSource, Protection, type ProtectionKind } from "./protection.ts";
import { Proposals } from "./proposals.ts";
import { checkSchema, migrate } from "./schema.ts";
import { Sealer } from "./sealer.ts";
import { Services } from "./services.ts";
import { Sessions } from "./sessions.ts";
import { Snapshots } from "./snapshots.ts";
import { Vaults } from "./vaults.ts";

/** What {@link Store.inspect} finds. */
export type HomeState =
  | { readonly kind: "absent" }
  | { readonly kind: "present"; readonly protection: ProtectionKind };

/** What may be given when a home is opened or created. */
export interface StoreOptions {
  /** Used only when the home has a passphrase. */
  readonly passphrase?: PassphraseSource;
  /** Milliseconds since the epoch; `Date.now` when absent. */
  readonly now?: () => number;
  /** Cost of the next passphrase that is set; tests choose a low one. */
  readonly scryptCost?: ScryptCost;
}

/** As {@link StoreOptions}, with a passphrase that is known: a new home gets it. */
export interface CreateOptions extends Omit<StoreOptions, "passphrase"> {
  /** None, or an empty one, puts the key into a file beside the database. */
  readonly passphrase?: Secret;
}

/**
 * Everything that a home keeps, unlocked. All methods but those that derive a key from a passphrase are
 * synchronous; what they confirmed is on the disk.
 */
export class Store implements Disposable {
  readonly directory: string;
  readonly vaults: Vaults;
  readonly services: Services;
  readonly credentials: Credentials;
  readonly sessions: Sessions;
  readonly proposals: Proposals;
  readonly agents: Agents;
  readonly authority: AuthorityTable;
  /** What the home's owner should be told, one sentence each: files that were open to other users. */
  readonly warnings: readonly string[];
  /** Whether the call that opened it made the home. */
  readonly created: boolean;
  readonly #database: Database;
  readonly #protection: Protection;
  readonly #sealer: Sealer;
  readonly #snapshots: Snapshots;
  readonly #scryptCost: ScryptCost;

  private constructor(home: Home, parts: {
    readonly database: Database;
    readonly protection: Protection;
    readonly sealer: Sealer;
    readonly warnings: readonly string[];
    readonly created: boolean;
    readonly options: StoreOptions;
  }) {
    const { database, sealer, options } = parts;
    const now = options.now ?? Date.now;
    this.directory = home.directory;
    this.warnings = parts.warnings;
    this.created = parts.created;
    this.#database = database;
    this.#protection = parts.protection;
    this.#sealer = sealer;
    this.#scryptCost = options.scryptCost ?? DEFAULT_SCRYPT_COST;
    const vaults = new Vaults(database, now);
    this.vaults = vaults;
    this.services = new Services(database, vaults);
    this.credentials = new Credentials(database, { vaults, sealer, now });
    this.sessions = new Sessions(database, { vaults, now });
    this.proposals = new Proposals(database, {
      vaults,
      services: this.services,
      credentials: this.credentials,
      sealer,
      now,
    });
    this.agents = new Agents(database, { vaults, now });
    this.authority = new AuthorityTable(database, sealer);
    this.#snapshots = new Snapshots(database, this);
  }

  /**
   * Tells whether there is a home, without a passphrase and without a change to it.
   *
   * @throws {BrokerError} `home_unusable`, `schema_too_new`, `store_busy`
   */
  static inspect(directory: string): HomeState {
    const home = homeAt(directory);
    if (!home.isPresent()) return { kind: "absent" };
    const database = openChecked(home);
    try {
      const protection = new Protection(database, home.keyFile).kind();
      return { kind: "present", protection };
    } finally {
      database.close();
    }
  }

  /**
   * Creates a home with the vault `default` and opens it. When another process created it in the same
   * moment, that one is opened.
   *
   * @throws {BrokerError} `home_unusable`, `disk_full`, and what {@link Store.open} throws
   */
  static async create(directory: string, options: CreateOptions = {}): Promise<Store> {
    const home = homeAt(directory);
    const warnings = home.prepareDirectory();
    const passphrase = options.passphrase?.reveal() === "" ? undefined : options.passphrase;
    const dek = await home.withCreationLock(async () => {
      if (home.isPresent()) return undefined;
      return await createDatabase(home, {
        passphrase,
        scryptCost: options.scryptCost ?? DEFAULT_SCRYPT_COST,
        now: options.now ?? Date.now,
      });
    });
    return await Store.#open(home, options, { dek, warnings });
  }

  /**
   * Opens a home; asks for a passphrase only when it has one.
   *
   * @throws {BrokerError} `not_found` without a home, `wrong_passphrase`, `passphrase_required`,
   * `key_file_missing`, `home_unusable`, `schema_too_new`, `store_busy`
   */
  static async open(directory: string, options: StoreOptions = {}): Promise<Store> {
    const home = homeAt(directory);
    if (!home.isPresent()) {
      throw new BrokerError("not_found", `There is no home in "${home.directory}"`, {
        hint: "broker init",
      });
    }
    return await Store.#open(home, options, { dek: undefined, warnings: [] });
  }

  /** Where the DEK comes from now. */
  get protection(): ProtectionKind {
    return this.#protection.kind();
  }

  /**
   * A number that differs from last time when something may have changed, by this process or another.
   * Costs one `PRAGMA data_version`.
   */
  revision(): number {
    return this.#database.revision();
  }

  /** As {@link Store.revision}, up to a millisecond old; what the data plane asks on every request. */
  recentRevision(): number {
    return this.#database.recentRevision();
  }

  /** The vault as it stands, the same object until it changes; `undefined` when there is none. */
  snapshot(vaultName: string): VaultSnapshot | undefined {
    return this.#snapshots.find(vaultName);
  }

  /** The bearer of a session's or an agent's token; `undefined` when it does not hold. */
  findCaller(token: string): Caller | undefined {
    return this.sessions.find(token) ?? this.agents.find(token);
  }

  /** Runs `work` as one change: all that it stores through this store is kept, or nothing is. */
  transaction<T>(work: () => T): T {
    return this.#database.write(work);
  }

  /** Protects a home that has no passphrase. @throws {BrokerError} `conflict`, `validation_failed` */
  async setPassphrase(passphrase: Secret): Promise<void> {
    const dek = this.#sealer.copyKey();
    try {
      await this.#protection.set(passphrase, { dek, cost: this.#scryptCost });
    } finally {
      dek.fill(0);
    }
  }

  /** @throws {BrokerError} `wrong_passphrase`, `conflict`, `validation_failed` */
  async changePassphrase(current: Secret, next: Secret): Promise<void> {
    await this.#protection.change(current, { next, cost: this.#scryptCost });
  }

  /** Whether this is the passphrase that protects the home now; takes as long as opening it. */
  async isPassphrase(typed: Secret): Promise<boolean> {
    return await this.#protection.matches(typed);
  }

  /** Goes back to a key file. @throws {BrokerError} `wrong_passphrase`, `conflict` */
  async removePassphrase(current: Secret): Promise<void> {
    await this.#protection.remove(current);
  }

  /** Closes the database and forgets the key. */
  close(): void {
    this.#database.close();
    this.#sealer.wipe();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  static async #open(home: Home, options: StoreOptions, created: {
    readonly dek: Uint8Array | undefined;
    readonly warnings: readonly string[];
  }): Promise<Store> {
    let database = openChecked(home);
    try {
      const dek = created.dek ??
        await new Protection(database, home.keyFile).unlock(options.passphrase);
      if (database.readOnly) {
        database.close();
        database = Database.open(home.database);
      }
      migrate(database);
      const protection = new Protection(database, home.keyFile);
      const warnings = [...created.warnings, ...home.tighten()];
      try {
        protection.removeStaleKeyFile(dek);
      } catch (error) {
        if (!(error instanceof BrokerError)) throw error;
        warnings.push(`${error.message}: delete "${home.keyFile}", it opens this home`);
      }
      const sealer = new Sealer(dek);
      dek.fill(0);
      return new Store(home, {
        database,
        protection,
        sealer,
        warnings: [...new Set(warnings)],
        created: created.dek !== undefined,
        options,
      });
    } catch (error) {
      database.close();
      throw error;
    }
  }
}

function homeAt(directory: string): Home {
  return new Home(isAbsolute(directory) ? directory : resolve(directory));
}

/**
 * Opens the database as far as the checks before unlocking need it. Where changes wait in the WAL, the
 * connection only reads, because closing a writing one would move them into the database.
 */
function openChecked(home: Home): Database {
  const database = Database.open(home.database, { readOnly: home.isWalInUse() });
  try {
    checkSchema(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
