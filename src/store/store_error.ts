import { BrokerError } from "../errors.ts";

/** What was being done, and to which file, when a low-level failure appeared. */
export interface FailureContext {
  /** The action as the start of a sentence: `Open the database`. */
  readonly action: string;
  /** The file or directory that the user has to look at. */
  readonly path: string;
}

type Kind = "busy" | "full" | "not_writable" | "no_directory" | "damaged" | "input_output";

/** SQLite primary result codes, see https://sqlite.org/rescode.html. */
const SQLITE_KINDS: Readonly<Record<number, Kind>> = {
  3: "not_writable",
  5: "busy",
  6: "busy",
  8: "not_writable",
  10: "input_output",
  11: "damaged",
  13: "full",
  14: "not_writable",
  15: "busy",
  23: "not_writable",
  24: "damaged",
  26: "damaged",
};

/** SQLITE_IOERR_SHMSIZE: the shared-memory file of the WAL could not grow, which is a full disk. */
const SQLITE_IOERR_SHMSIZE = 4874;

/** The same kinds by text, because opening and preparing raise errors without a result code. */
const SQLITE_MESSAGES: readonly (readonly [text: string, kind: Kind])[] = [
  ["database is locked", "busy"],
  ["database table is locked", "busy"],
  ["database or disk is full", "full"],
  ["readonly database", "not_writable"],
  ["unable to open database file", "not_writable"],
  ["access permission denied", "not_writable"],
  ["disk image is malformed", "damaged"],
  ["file is not a database", "damaged"],
  ["malformed database schema", "damaged"],
  ["no such table", "damaged"],
  ["disk I/O error", "input_output"],
];

const SYSTEM_KINDS: Readonly<Record<string, Kind>> = {
  ENOSPC: "full",
  EDQUOT: "full",
  EACCES: "not_writable",
  EPERM: "not_writable",
  EROFS: "not_writable",
  ENOTDIR: "no_directory",
  EISDIR: "not_writable",
  EEXIST: "not_writable",
  ENOENT: "not_writable",
  ELOOP: "not_writable",
  ENAMETOOLONG: "not_writable",
  EIO: "input_output",
};

/**
 * Turns a failure of SQLite or of the file system into the BrokerError that names the place and the
 * fix. A BrokerError stays itself, and anything that is neither is returned as it came: a defect.
 */
export function toStoreError(cause: unknown, context: FailureContext): unknown {
  if (cause instanceof BrokerError) return cause;
  const kind = kindOf(cause);
  if (kind === undefined) return cause;
  const { action, path } = context;
  switch (kind) {
    case "busy":
      return new BrokerError("store_busy", `${action}: another process is using "${path}"`, {
        hint: "wait for the other broker command to finish, then run this one again",
        cause,
      });
    case "full":
      return new BrokerError("disk_full", `${action}: no space is left for "${path}"`, {
        hint: `free space on the disk that holds "${path}", then run this again`,
        cause,
      });
    case "not_writable":
      return new BrokerError("home_unusable", `${action}: "${path}" cannot be written`, {
        hint: `make "${path}" writable for your user, or set BROKER_HOME to another directory`,
        cause,
      });
    case "no_directory":
      return new BrokerError("home_unusable", `${action}: "${path}" is no directory`, {
        hint: "set BROKER_HOME to a directory, or to the path of one that is to be created",
        cause,
      });
    case "damaged":
      return damagedHome(`${action}: "${path}" is damaged`, path, cause);
    case "input_output":
      return new BrokerError("home_unusable", `${action}: reading or writing "${path}" failed`, {
        hint: `check the disk that holds "${path}", or set BROKER_HOME to another directory`,
        cause,
      });
  }
}

/** A file that cannot be used as it is; trying again will not help. */
export class DamagedFile extends BrokerError {}

/** A home whose database cannot be used as it is. */
export function damagedHome(message: string, path: string, cause?: unknown): DamagedFile {
  return new DamagedFile("home_unusable", message, {
    hint: `put a backup of "${path}" back, or set BROKER_HOME to a new directory and start over`,
    ...(cause === undefined ? {} : { cause }),
  });
}

function kindOf(cause: unknown): Kind | undefined {
  if (!(cause instanceof Error)) return undefined;
  const { code, errcode } = cause as { code?: unknown; errcode?: unknown };
  if (errcode === SQLITE_IOERR_SHMSIZE) return "full";
  if (code === "ERR_SQLITE_ERROR") {
    // The low byte of an extended result code is its primary code.
    const kind = typeof errcode === "number" ? SQLITE_KINDS[errcode & 0xff] : undefined;
    if (kind !== undefined) return kind;
    return SQLITE_MESSAGES.find(([text]) => cause.message.includes(text))?.[1];
  }
  return typeof code === "string" ? SYSTEM_KINDS[code] : undefined;
}
