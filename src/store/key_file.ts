import { decodeBase64Url, encodeBase64Url } from "./base64url.ts";
import { KEY_LENGTH } from "./sealer.ts";
import { type FailureContext, toStoreError } from "./store_error.ts";

/** First word of a key file: tells it from a file of another program that is called `key` too. */
const PREFIX = "broker-key-1 ";

/** A key file holds one short line; more than this is not one. */
const MAX_LENGTH = 1024;

/** What lies at the key file's path. */
export type KeyFileContent =
  | { readonly kind: "missing" }
  | { readonly kind: "malformed" }
  | { readonly kind: "key"; readonly dek: Uint8Array };

/** Reads the key file. @throws {BrokerError} `home_unusable` when it cannot be read */
export function readKeyFile(path: string): KeyFileContent {
  let text: string;
  try {
    if (Deno.statSync(path).size > MAX_LENGTH) return { kind: "malformed" };
    text = Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { kind: "missing" };
    throw toStoreError(error, { action: "Read the key file", path });
  }
  if (!text.startsWith(PREFIX)) return { kind: "malformed" };
  const dek = decodeBase64Url(text.slice(PREFIX.length).trimEnd());
  return dek?.length === KEY_LENGTH ? { kind: "key", dek } : { kind: "malformed" };
}

/**
 * Writes the DEK beside the database, 0600. When this returns, file and name are on the disk; a crash
 * before leaves the earlier file, or none.
 *
 * @throws {BrokerError} `home_unusable` or `disk_full`
 */
export function writeKeyFile(path: string, dek: Uint8Array): void {
  const draft = `${path}.new`;
  attempt({ action: "Write the key file", path }, () => {
    removeIfPresent(draft);
    writeDurably(draft, new TextEncoder().encode(`${PREFIX}${encodeBase64Url(dek)}\n`));
    Deno.renameSync(draft, path);
    syncDirectoryOf(path);
  });
}

/**
 * Removes the key file, overwriting it first, and the draft that a crash may have left. On disks that
 * write elsewhere instead of in place, the overwritten blocks may outlive this.
 *
 * @throws {BrokerError} `home_unusable`
 */
export function eraseKeyFile(path: string): void {
  attempt({ action: "Remove the key file", path }, () => {
    for (const file of [path, `${path}.new`]) {
      if (!exists(file)) continue;
      overwrite(file);
      Deno.removeSync(file);
    }
    syncDirectoryOf(path);
  });
}

/** True when the key file, or the draft of one, is there. */
export function hasKeyFile(path: string): boolean {
  return exists(path) || exists(`${path}.new`);
}

/** Makes a rename or removal in that file's directory durable, where the system can. */
export function syncDirectoryOf(path: string): void {
  try {
    using directory = Deno.openSync(path.slice(0, path.search(/[/\\][^/\\]*$/) + 1), {
      read: true,
    });
    directory.syncSync();
  } catch {
    // Windows cannot open a directory; its file system journals names itself.
  }
}

function writeDurably(path: string, bytes: Uint8Array): void {
  using file = Deno.openSync(path, { createNew: true, write: true, mode: 0o600 });
  let written = 0;
  while (written < bytes.length) written += file.writeSync(bytes.subarray(written));
  file.syncSync();
}

function overwrite(path: string): void {
  using file = Deno.openSync(path, { write: true });
  const zeros = new Uint8Array(file.statSync().size);
  let written = 0;
  while (written < zeros.length) written += file.writeSync(zeros.subarray(written));
  file.syncSync();
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function removeIfPresent(path: string): void {
  if (exists(path)) Deno.removeSync(path);
}

function attempt(context: FailureContext, action: () => void): void {
  try {
    action();
  } catch (error) {
    throw toStoreError(error, context);
  }
}
