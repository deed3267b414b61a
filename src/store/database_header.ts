import { APPLICATION_ID, foreignDatabase, refuseNewerSchema } from "./schema.ts";
import { damagedHome, toStoreError } from "./store_error.ts";

/** The database header's length in bytes (https://sqlite.org/fileformat2.html, 1.3). */
const HEADER_LENGTH = 100;

const MAGIC = "SQLite format 3\0";

/** Byte offsets within the header, from the same page. */
const OFFSET = {
  pageSize: 16,
  changeCounter: 24,
  pageCount: 28,
  userVersion: 60,
  applicationId: 68,
  versionValidFor: 92,
} as const;

/**
 * Looks at a database file's first 100 bytes and its length before SQLite opens it, because opening a
 * foreign or damaged file may already write beside it.
 *
 * @throws {BrokerError} `home_unusable` for a foreign, empty or truncated file, `schema_too_new`
 */
export function checkDatabaseFile(path: string, options: { readonly walInUse: boolean }): void {
  const { header, size } = readHeader(path);
  if (size === 0) throw damagedHome(`"${path}" is empty`, path);
  const magic = new TextDecoder("latin1").decode(header.subarray(0, MAGIC.length));
  if (magic !== MAGIC.slice(0, magic.length)) throw foreignDatabase(path);
  if (header.length < HEADER_LENGTH) throw truncated(path);
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  if (view.getUint32(OFFSET.applicationId) !== APPLICATION_ID) throw foreignDatabase(path);
  refuseNewerSchema(view.getUint32(OFFSET.userVersion), path);
  // A crash in the middle of a checkpoint leaves a header that is ahead of the file; the WAL heals it.
  if (options.walInUse) return;
  if (view.getUint32(OFFSET.changeCounter) !== view.getUint32(OFFSET.versionValidFor)) return;
  // A page size of 65,536 does not fit two bytes and is written as 1.
  const storedPageSize = view.getUint16(OFFSET.pageSize);
  const pageSize = storedPageSize === 1 ? 65_536 : storedPageSize;
  if (view.getUint32(OFFSET.pageCount) * pageSize > size) throw truncated(path);
}

function readHeader(path: string): { header: Uint8Array; size: number } {
  try {
    using file = Deno.openSync(path, { read: true });
    const { size } = file.statSync();
    const buffer = new Uint8Array(HEADER_LENGTH);
    let length = 0;
    while (length < HEADER_LENGTH) {
      const count = file.readSync(buffer.subarray(length));
      if (count === null) break;
      length += count;
    }
    return { header: buffer.subarray(0, length), size };
  } catch (error) {
    throw toStoreError(error, { action: "Read the database", path });
  }
}

function truncated(path: string): Error {
  return damagedHome(`"${path}" is cut short`, path);
}
