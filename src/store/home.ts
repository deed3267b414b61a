/**
 * The directory that holds everything: `broker.db` with its WAL, `key` while there is no passphrase, and
 * `lock`, which is held while a home is being created. Directory 0700, files 0600. A directory that held
 * something before this program came is not chmodded, because it may be anything, `/tmp` included.
 */
import { BrokerError } from "../errors.ts";
import { isOpenHere } from "./database.ts";
import { checkDatabaseFile } from "./database_header.ts";
import { damagedHome, toStoreError } from "./store_error.ts";

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

/** Permission bits of everybody but the owner. */
const OTHERS = 0o077;

/** Paths within one home. */
export class Home {
  readonly directory: string;
  readonly database: string;
  readonly wal: string;
  /** A database that is being made; renamed to `database` once it is whole. */
  readonly draft: string;
  readonly keyFile: string;
  readonly lock: string;

  constructor(directory: string) {
    this.directory = directory;
    this.database = `${directory}/broker.db`;
    this.wal = `${this.database}-wal`;
    this.draft = `${this.database}.new`;
    this.keyFile = `${directory}/key`;
    this.lock = `${directory}/lock`;
  }

  /**
   * True when there is a database, checked as far as its first bytes tell; false when there is none.
   *
   * @throws {BrokerError} `home_unusable` or `schema_too_new`
   */
  isPresent(): boolean {
    const size = this.#size(this.database);
    if (size !== undefined) {
      if (!isOpenHere(this.database)) {
        checkDatabaseFile(this.database, { walInUse: this.isWalInUse() });
      }
      return true;
    }
    if (!this.isWalInUse()) return false;
    // SQLite would delete this WAL with a new database, and with it the last changes of the lost one.
    throw damagedHome(`"${this.database}" is missing, but "${this.wal}" is there`, this.database);
  }

  /** True when changes lie in the WAL that the database file itself does not hold yet. */
  isWalInUse(): boolean {
    return (this.#size(this.wal) ?? 0) > 0;
  }

  /**
   * Makes the directory, 0700, or takes an empty one over; returns what its owner should know.
   *
   * @throws {BrokerError} `home_unusable` or `disk_full`
   */
  prepareDirectory(): string[] {
    try {
      Deno.mkdirSync(this.directory, { recursive: true, mode: DIRECTORY_MODE });
      if (Deno.readDirSync(this.directory)[Symbol.iterator]().next().done === true) {
        chmod(this.directory, DIRECTORY_MODE);
      }
    } catch (error) {
      throw toStoreError(error, { action: "Create the home", path: this.directory });
    }
    return this.tighten();
  }

  /** Takes others' rights off the home's files; returns what it changed or could not change. */
  tighten(): string[] {
    if (Deno.build.os === "windows") return [];
    const warnings: string[] = [];
    if ((mode(this.directory) & OTHERS) !== 0) {
      warnings.push(
        `Other users can list "${this.directory}": chmod 700 ${this.directory}`,
      );
    }
    const log = `${this.directory}/requests.db`;
    const files = [this.database, log].flatMap((path) => [path, `${path}-wal`, `${path}-shm`]);
    for (const path of [...files, this.keyFile]) {
      const found = mode(path);
      if ((found & OTHERS) === 0) continue;
      const shown = found.toString(8);
      try {
        chmod(path, FILE_MODE);
        warnings.push(`"${path}" had mode ${shown} and was open to other users: now 600`);
      } catch {
        warnings.push(`"${path}" has mode ${shown} and is open to other users: chmod 600 ${path}`);
      }
    }
    return warnings;
  }

  /**
   * Runs `work` while no other process creates this home. The lock goes with the process, so that a
   * crash leaves none behind; the file stays, because removing a lock file is a race of its own.
   */
  async withCreationLock<T>(work: () => Promise<T>): Promise<T> {
    let file: Deno.FsFile;
    try {
      file = Deno.openSync(this.lock, { create: true, write: true, mode: FILE_MODE });
    } catch (error) {
      throw toStoreError(error, { action: "Create the home", path: this.directory });
    }
    try {
      await file.lock(true).catch(() => {
        // A file system without locks: first use by two processes at once is then not guarded.
      });
      return await work();
    } finally {
      file.close();
    }
  }

  #size(path: string): number | undefined {
    try {
      const { isFile, size } = Deno.statSync(path);
      if (isFile) return size;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw toStoreError(error, { action: "Look into the home", path: this.directory });
    }
    throw new BrokerError("home_unusable", `"${path}" is not a file`, {
      hint: "set BROKER_HOME to a directory of its own",
    });
  }
}

function mode(path: string): number {
  try {
    return (Deno.statSync(path).mode ?? 0) & 0o777;
  } catch {
    return 0;
  }
}

function chmod(path: string, bits: number): void {
  if (Deno.build.os !== "windows") Deno.chmodSync(path, bits);
}
