import { randomBytes } from "node:crypto";
import type { Secret } from "../model/secret.ts";
import { Database } from "./database.ts";
import type { Home } from "./home.ts";
import { readKeyFile, syncDirectoryOf, writeKeyFile } from "./key_file.ts";
import { type ScryptCost, wrapKey } from "./key_wrap.ts";
import { Protection } from "./protection.ts";
import { migrate } from "./schema.ts";
import { KEY_LENGTH } from "./sealer.ts";
import { damagedHome, toStoreError } from "./store_error.ts";
import { DEFAULT_VAULT, Vaults } from "./vaults.ts";

/** What a new database starts with. */
export interface NewDatabase {
  readonly passphrase: Secret | undefined;
  readonly scryptCost: ScryptCost;
  readonly now: () => number;
}

/**
 * Makes the database and, without a passphrase, the key file; returns the DEK. The database is made
 * under another name and renamed when it is whole, so that a crash leaves no half of it; the key file
 * comes first, so that no database ever lacks its key. Call it under the home's creation lock.
 *
 * @throws {BrokerError} `home_unusable` or `disk_full`
 */
export async function createDatabase(home: Home, options: NewDatabase): Promise<Uint8Array> {
  const { passphrase, scryptCost } = options;
  const dek = passphrase === undefined ? prepareKeyFile(home.keyFile) : newKey();
  const wrapped = passphrase === undefined
    ? undefined
    : await wrapKey(dek, { passphrase, cost: scryptCost });
  try {
    removeDraft(home.draft);
    Deno.openSync(home.draft, { createNew: true, write: true, mode: 0o600 }).close();
  } catch (error) {
    throw toStoreError(error, { action: "Create the database", path: home.draft });
  }
  const database = Database.open(home.draft);
  try {
    migrate(database);
    database.write(() => {
      new Protection(database, home.keyFile).initialize(dek, wrapped);
      new Vaults(database, options.now).create(DEFAULT_VAULT);
    });
    database.checkpoint();
  } finally {
    database.close();
  }
  try {
    Deno.renameSync(home.draft, home.database);
  } catch (error) {
    throw toStoreError(error, { action: "Create the database", path: home.database });
  }
  syncDirectoryOf(home.database);
  return dek;
}

/**
 * The key of the key file. One that is there already is used: it is what a crash left of an earlier
 * attempt, or belongs to a database that its owner may yet put back.
 */
function prepareKeyFile(path: string): Uint8Array {
  const file = readKeyFile(path);
  switch (file.kind) {
    case "key":
      return file.dek;
    case "malformed":
      throw damagedHome(`"${path}" is in the way: it is not a key file of broker`, path);
    case "missing": {
      const dek = newKey();
      writeKeyFile(path, dek);
      return dek;
    }
  }
}

function newKey(): Uint8Array {
  return Uint8Array.from(randomBytes(KEY_LENGTH));
}

function removeDraft(draft: string): void {
  for (const path of [draft, `${draft}-wal`, `${draft}-shm`, `${draft}-journal`]) {
    try {
      Deno.removeSync(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}
