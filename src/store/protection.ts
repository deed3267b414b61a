/**
 * How the DEK is kept: wrapped by a passphrase in the database, or plain in the key file. The row in
 * `protection` alone decides which. The order of steps keeps row and key file in agreement whatever
 * happens in between:
 * - towards a passphrase: the row is durable first, the key file goes after it;
 * - away from it: the key file is durable first, the row changes after it;
 * - the key file is written or removed only under the database's write lock, after the row was read
 *   again, so that two processes with opposite wishes never leave a row without its key.
 * A key file that a crash left behind beside a wrapped DEK is removed at the next opening.
 */
import { BrokerError } from "../errors.ts";
import type { Secret } from "../model/secret.ts";
import type { Database } from "./database.ts";
import { eraseKeyFile, hasKeyFile, readKeyFile, writeKeyFile } from "./key_file.ts";
import { isEqual, type ScryptCost, unwrapKey, wrapKey, type WrappedKey } from "./key_wrap.ts";
import { SealBrokenError, Sealer } from "./sealer.ts";
import { damagedHome } from "./store_error.ts";

/** Where the DEK comes from. */
export type ProtectionKind = "passphrase" | "key_file";

/** A passphrase, or how to ask for one; `undefined` when there is none to be had. */
export type PassphraseSource = Secret | (() => Promise<Secret | undefined>);

interface ProtectionRow {
  readonly kind: ProtectionKind;
  /** Counts changes, so that a change made meanwhile by another process is noticed. */
  readonly generation: number;
  readonly key_check: Uint8Array;
  readonly kdf_cost: number | null;
  readonly kdf_block_size: number | null;
  readonly kdf_parallelization: number | null;
  readonly kdf_salt: Uint8Array | null;
  readonly passphrase_check: Uint8Array | null;
  readonly wrapped_key: Uint8Array | null;
}

const SET_PASSPHRASE = `UPDATE protection SET kind = 'passphrase', generation = generation + 1,
  kdf_cost = ?, kdf_block_size = ?, kdf_parallelization = ?, kdf_salt = ?, passphrase_check = ?,
  wrapped_key = ?`;

const SET_KEY_FILE = `UPDATE protection SET kind = 'key_file', generation = generation + 1,
  kdf_cost = NULL, kdf_block_size = NULL, kdf_parallelization = NULL, kdf_salt = NULL,
  passphrase_check = NULL, wrapped_key = NULL`;

/** The one row of `protection` and the key file that belongs to it. */
export class Protection {
  readonly #database: Database;
  readonly #keyFile: string;

  constructor(database: Database, keyFile: string) {
    this.#database = database;
    this.#keyFile = keyFile;
  }

  kind(): ProtectionKind {
    return this.#row().kind;
  }

  /** Writes the first row of a new database. */
  initialize(dek: Uint8Array, wrapped: WrappedKey | undefined): void {
    this.#database.run(
      "INSERT INTO protection (id, kind, generation, key_check) VALUES (1, 'key_file', 1, ?)",
      [keyCheck(dek)],
    );
    if (wrapped !== undefined) this.#storeWrapped(wrapped);
  }

  /**
   * The DEK. Asks for a passphrase only when the home has one, and at most once.
   *
   * @throws {BrokerError} `wrong_passphrase`, `passphrase_required`, `key_file_missing`, `home_unusable`
   */
  async unlock(source: PassphraseSource | undefined): Promise<Uint8Array> {
    let passphrase: Secret | undefined;
    for (;;) {
      const row = this.#row();
      if (row.kind === "passphrase") passphrase ??= await ask(source);
      const result = row.kind === "passphrase"
        ? await this.#unwrap(row, passphrase)
        : this.#fromKeyFile(row);
      if (!(result instanceof BrokerError)) return result;
      // Another process may have changed the protection between our two looks.
      if (this.#row().generation === row.generation) throw result;
    }
  }

  /** Wraps the DEK under a passphrase and removes the key file. */
  async set(passphrase: Secret, options: { dek: Uint8Array; cost: ScryptCost }): Promise<void> {
    requireText(passphrase);
    this.#requireKind(this.#row(), "key_file");
    const wrapped = await wrapKey(options.dek, { passphrase, cost: options.cost });
    this.#database.write(() => {
      this.#requireKind(this.#row(), "key_file");
      this.#storeWrapped(wrapped);
    });
    this.removeStaleKeyFile(options.dek);
    this.#database.checkpoint();
  }

  /** Wraps the DEK under another passphrase. */
  async change(current: Secret, options: { next: Secret; cost: ScryptCost }): Promise<void> {
    requireText(options.next);
    const { row, dek } = await this.#prove(current);
    const wrapped = await wrapKey(dek, { passphrase: options.next, cost: options.cost });
    dek.fill(0);
    this.#database.write(() => {
      this.#requireGeneration(row);
      this.#storeWrapped(wrapped);
    });
    this.#database.checkpoint();
  }

  /** Whether this is the passphrase that protects the home now; false when it has none. */
  async matches(passphrase: Secret): Promise<boolean> {
    const row = this.#row();
    if (row.kind !== "passphrase" || passphrase.reveal() === "") return false;
    const dek = await this.#unwrap(row, passphrase);
    if (dek instanceof BrokerError) {
      if (dek.code === "wrong_passphrase") return false;
      throw dek;
    }
    dek.fill(0);
    return true;
  }

  /** Puts the DEK into the key file and forgets the passphrase. */
  async remove(current: Secret): Promise<void> {
    const { row, dek } = await this.#prove(current);
    try {
      this.#database.write(() => {
        this.#requireGeneration(row);
        writeKeyFile(this.#keyFile, dek);
        this.#database.run(SET_KEY_FILE);
      });
    } catch (error) {
      this.#tryRemoveStaleKeyFile(dek);
      throw error;
    } finally {
      dek.fill(0);
    }
    this.#database.checkpoint();
  }

  /**
   * Removes a key file that holds this home's DEK although a passphrase protects it.
   *
   * @throws {BrokerError} `home_unusable` when the file cannot be removed
   */
  removeStaleKeyFile(dek: Uint8Array): void {
    if (!hasKeyFile(this.#keyFile)) return;
    this.#database.write(() => {
      const row = this.#row();
      if (row.kind !== "passphrase") return;
      const file = readKeyFile(this.#keyFile);
      // The key of another home is not ours to destroy.
      if (file.kind === "key" && !isEqual(file.dek, dek)) return;
      eraseKeyFile(this.#keyFile);
    });
  }

  #tryRemoveStaleKeyFile(dek: Uint8Array): void {
    try {
      this.removeStaleKeyFile(dek);
    } catch {
      // The error that led here is the one to report, and the next opening tries again.
    }
  }

  #row(): ProtectionRow {
    const row = this.#database.get<ProtectionRow>("SELECT * FROM protection");
    if (row === undefined) throw this.#damaged("holds no key");
    return row;
  }

  #storeWrapped(key: WrappedKey): void {
    this.#database.run(SET_PASSPHRASE, [
      key.cost,
      key.blockSize,
      key.parallelization,
      key.salt,
      key.passphraseCheck,
      key.wrapped,
    ]);
  }

  async #prove(current: Secret): Promise<{ row: ProtectionRow; dek: Uint8Array }> {
    const row = this.#row();
    this.#requireKind(row, "passphrase");
    const dek = await this.#unwrap(row, current);
    if (dek instanceof BrokerError) throw dek;
    return { row, dek };
  }

  async #unwrap(
    row: ProtectionRow,
    passphrase: Secret | undefined,
  ): Promise<Uint8Array | BrokerError> {
    if (passphrase === undefined || passphrase.reveal() === "") {
      return new BrokerError("passphrase_required", "This home is protected by a passphrase", {
        hint: "run this on a terminal, or set BROKER_PASSPHRASE",
      });
    }
    let dek: Uint8Array | undefined;
    try {
      dek = await unwrapKey(wrappedKey(row), passphrase);
    } catch (error) {
      if (!(error instanceof SealBrokenError) && !(error instanceof RangeError)) throw error;
      return this.#damaged("holds a damaged key", error);
    }
    if (dek === undefined) {
      return new BrokerError("wrong_passphrase", "The passphrase is wrong", {
        hint: "type it again; BROKER_PASSPHRASE, if set, is used instead of asking",
      });
    }
    return isEqual(keyCheck(dek), row.key_check) ? dek : this.#damaged("holds a damaged key");
  }

  #fromKeyFile(row: ProtectionRow): Uint8Array | BrokerError {
    const path = this.#keyFile;
    const file = readKeyFile(path);
    switch (file.kind) {
      case "missing":
        return new BrokerError("key_file_missing", `The key file "${path}" is missing`, {
          hint: `put "${path}" back from a backup: without it the credentials cannot be opened`,
        });
      case "malformed":
        return damagedHome(`"${path}" is not a key file of broker, or is damaged`, path);
      case "key":
        if (isEqual(keyCheck(file.dek), row.key_check)) return file.dek;
        return new BrokerError(
          "home_unusable",
          `The key file "${path}" belongs to another home than "${this.#database.path}"`,
          { hint: `put the key file back that lay beside this database, at "${path}"` },
        );
    }
  }

  #requireKind(row: ProtectionRow, kind: ProtectionKind): void {
    if (row.kind === kind) return;
    if (kind === "key_file") {
      throw new BrokerError("conflict", "This home has a passphrase already", {
        hint: "broker passphrase change",
      });
    }
    throw new BrokerError("conflict", "This home has no passphrase", {
      hint: "broker passphrase set",
    });
  }

  #requireGeneration(row: ProtectionRow): void {
    if (this.#row().generation === row.generation) return;
    throw new BrokerError("conflict", "Another process has just changed the passphrase", {
      hint: "run this again with the passphrase that holds now",
    });
  }

  #damaged(what: string, cause?: unknown): BrokerError {
    return damagedHome(`"${this.#database.path}" ${what}`, this.#database.path, cause);
  }
}

/** An empty passphrase means none, so it cannot be set. */
function requireText(passphrase: Secret): void {
  if (passphrase.reveal() !== "") return;
  throw new BrokerError("validation_failed", "The new passphrase is empty", {
    hint: "broker passphrase remove, to have none",
  });
}

async function ask(source: PassphraseSource | undefined): Promise<Secret | undefined> {
  return typeof source === "function" ? await source() : source;
}

function keyCheck(dek: Uint8Array): Uint8Array {
  const sealer = new Sealer(dek);
  try {
    return sealer.keyCheck();
  } finally {
    sealer.wipe();
  }
}

function wrappedKey(row: ProtectionRow): WrappedKey {
  const none = new Uint8Array();
  return {
    cost: row.kdf_cost ?? 0,
    blockSize: row.kdf_block_size ?? 0,
    parallelization: row.kdf_parallelization ?? 0,
    salt: row.kdf_salt ?? none,
    passphraseCheck: row.passphrase_check ?? none,
    wrapped: row.wrapped_key ?? none,
  };
}
