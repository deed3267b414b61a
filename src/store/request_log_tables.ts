import { BrokerError } from "../errors.ts";
import type { Database } from "./database.ts";
import { damagedHome } from "./store_error.ts";

/** `PRAGMA application_id`: "BRKL" in ASCII. */
const APPLICATION_ID = 0x42524b4c;

/** Version of the tables below; a file of a version that is not known is set aside. */
const VERSION = 2;

/** From how many milliseconds on a request is among the long ones, which an index tells. */
export const LONG_MS = 60_000;

const LONG_REQUESTS =
  `CREATE INDEX requests_long ON requests (seq) WHERE latency_ms >= ${LONG_MS};`;

const TABLES = `
  CREATE TABLE shapes (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    vault TEXT,
    ingress TEXT NOT NULL,
    method TEXT NOT NULL,
    host TEXT NOT NULL,
    service TEXT,
    credential_keys TEXT NOT NULL,
    status INTEGER NOT NULL,
    error_code TEXT,
    actor_type TEXT,
    actor_name TEXT
  ) STRICT;

  CREATE TABLE requests (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    shape INTEGER NOT NULL REFERENCES shapes (id),
    path TEXT NOT NULL,
    latency_ms REAL NOT NULL,
    request_bytes INTEGER NOT NULL,
    response_bytes INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX requests_shape ON requests (shape);
  ${LONG_REQUESTS}

  CREATE TABLE drops (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    after_request INTEGER NOT NULL,
    count INTEGER NOT NULL
  ) STRICT;
`;

/**
 * Creates the tables in a new file, and what an older one lacks.
 *
 * @throws {BrokerError} `home_unusable` for a file that is no request log of this version
 */
export function prepareTables(database: Database): void {
  const version = () => database.get<{ user_version: number }>("PRAGMA user_version")?.user_version;
  const id = () =>
    database.get<{ application_id: number }>("PRAGMA application_id")?.application_id;
  const migrate = (from: number, script: string) => {
    if (version() !== from) return;
    database.write(() => {
      // Read again under the lock: another process may have been faster.
      if (version() !== from) return;
      database.script(script);
      database.run(`PRAGMA application_id = ${APPLICATION_ID}`);
      database.run(`PRAGMA user_version = ${VERSION}`);
    });
  };
  migrate(0, TABLES);
  if (id() === APPLICATION_ID) migrate(1, LONG_REQUESTS);
  if (id() === APPLICATION_ID && version() === VERSION) return;
  throw damagedHome(`"${database.path}" is no request log of this version`, database.path);
}

/** Creates the file where there is none: SQLite would, with the rights that the user's mask leaves. */
export function createPrivate(path: string): void {
  try {
    Deno.openSync(path, { createNew: true, write: true, mode: 0o600 }).close();
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return;
    throw new BrokerError("home_unusable", `"${path}" cannot be created`, { cause: error });
  }
}
