/**
 * The database's shape, as an ordered list of migrations. Rules: a migration that was released is never
 * edited, a new one is appended; all pending ones run in one transaction; the tables `protection` and
 * `meta` keep their columns for ever, because they are read before the home is unlocked and therefore
 * before any migration may run; changes are additive, because a process of the older version may still
 * have the file open.
 */
import { BrokerError } from "../errors.ts";
import type { Database } from "./database.ts";
import { damagedHome } from "./store_error.ts";

/** `PRAGMA application_id` of this program's databases: "BRKR" in ASCII. */
export const APPLICATION_ID = 0x42524b52;

const BUMP = "UPDATE vaults SET revision = revision + 1 WHERE id =";

/** Everything that the data plane of a vault depends on moves the vault's own revision. */
function revisionTriggers(table: string): string {
  return `
    CREATE TRIGGER ${table}_inserted AFTER INSERT ON ${table} BEGIN ${BUMP} new.vault_id; END;
    CREATE TRIGGER ${table}_updated AFTER UPDATE ON ${table} BEGIN ${BUMP} new.vault_id; END;
    CREATE TRIGGER ${table}_deleted AFTER DELETE ON ${table} BEGIN ${BUMP} old.vault_id; END;
  `;
}

const FIRST = `
  CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE protection (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    kind TEXT NOT NULL CHECK (kind IN ('key_file', 'passphrase')),
    generation INTEGER NOT NULL,
    key_check BLOB NOT NULL,
    kdf_cost INTEGER,
    kdf_block_size INTEGER,
    kdf_parallelization INTEGER,
    kdf_salt BLOB,
    passphrase_check BLOB,
    wrapped_key BLOB,
    CHECK ((kind = 'passphrase') = (wrapped_key IS NOT NULL))
  ) STRICT;

  CREATE TABLE vaults (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    settings TEXT NOT NULL,
    cleared INTEGER NOT NULL DEFAULT 0 CHECK (cleared IN (0, 1)),
    revision INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TRIGGER vaults_updated AFTER UPDATE OF name, settings, cleared ON vaults
    BEGIN ${BUMP} new.id; END;

  CREATE TABLE services (
    id INTEGER PRIMARY KEY,
    vault_id TEXT NOT NULL REFERENCES vaults (id) ON DELETE CASCADE,
    name TEXT,
    host TEXT NOT NULL,
    auth TEXT NOT NULL,
    substitutions TEXT NOT NULL,
    enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
    position INTEGER NOT NULL,
    UNIQUE (vault_id, name)
  ) STRICT;
  CREATE INDEX services_order ON services (vault_id, position, id);

  CREATE TABLE credentials (
    vault_id TEXT NOT NULL REFERENCES vaults (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    sealed BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (vault_id, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    vault_id TEXT NOT NULL REFERENCES vaults (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sessions_expiry ON sessions (expires_at);
  CREATE INDEX sessions_vault ON sessions (vault_id);

  CREATE TABLE authority (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    certificate TEXT NOT NULL,
    sealed_private_key BLOB NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;

  ${revisionTriggers("services")}
  ${revisionTriggers("credentials")}
`;

/** Rows stay after their decision, so that a number never returns; a value goes with it. */
const PROPOSALS = `
  CREATE TABLE proposals (
    vault_id TEXT NOT NULL REFERENCES vaults (id) ON DELETE CASCADE,
    id INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'applied', 'rejected')),
    content TEXT NOT NULL,
    proposer_type TEXT NOT NULL,
    proposer_name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    reviewed_at INTEGER,
    reject_reason TEXT,
    token_hash TEXT NOT NULL UNIQUE,
    token_expires_at INTEGER NOT NULL,
    PRIMARY KEY (vault_id, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX proposals_pending ON proposals (vault_id, expires_at) WHERE status = 'pending';

  CREATE TABLE proposal_values (
    vault_id TEXT NOT NULL,
    proposal_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    sealed BLOB NOT NULL,
    PRIMARY KEY (vault_id, proposal_id, key),
    FOREIGN KEY (vault_id, proposal_id) REFERENCES proposals (vault_id, id) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;
`;

const AGENTS = `
  CREATE TABLE agents (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    token_hash TEXT UNIQUE,
    created_at INTEGER NOT NULL,
    rotated_at INTEGER NOT NULL,
    revoked_at INTEGER,
    CHECK ((token_hash IS NULL) = (revoked_at IS NOT NULL))
  ) STRICT;

  CREATE TABLE agent_grants (
    agent_id TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    vault_id TEXT NOT NULL REFERENCES vaults (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('proxy', 'read')),
    PRIMARY KEY (agent_id, vault_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX agent_grants_vault ON agent_grants (vault_id);

  ALTER TABLE sessions ADD COLUMN agent_id TEXT REFERENCES agents (id) ON DELETE CASCADE;
  CREATE INDEX sessions_agent ON sessions (agent_id);
`;

const MIGRATIONS: readonly string[] = [FIRST, PROPOSALS, AGENTS];

/** The schema version that this program writes: the number of its migrations. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Brings the database to {@link SCHEMA_VERSION}; an empty one gets all tables and our application id.
 *
 * @throws {BrokerError} `schema_too_new`
 */
export function migrate(database: Database): void {
  if (userVersion(database) === SCHEMA_VERSION) return;
  database.write(() => {
    // Read again under the lock: another process may have migrated meanwhile.
    const version = userVersion(database);
    refuseNewerSchema(version, database.path);
    for (const migration of MIGRATIONS.slice(version)) database.script(migration);
    database.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.run(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

/**
 * Checks that an open database is ours and not from a newer program; reads only.
 *
 * @throws {BrokerError} `home_unusable` or `schema_too_new`
 */
export function checkSchema(database: Database): void {
  const id = database.get<{ application_id: number }>("PRAGMA application_id")?.application_id;
  if (id !== APPLICATION_ID) throw foreignDatabase(database.path);
  const version = userVersion(database);
  if (version < 1) throw damagedHome(`"${database.path}" has no schema version`, database.path);
  refuseNewerSchema(version, database.path);
}

/** @throws {BrokerError} `schema_too_new` */
export function refuseNewerSchema(version: number, path: string): void {
  if (version <= SCHEMA_VERSION) return;
  throw new BrokerError(
    "schema_too_new",
    `"${path}" was written by a newer broker: its schema is ${version}, this program knows ${SCHEMA_VERSION}`,
    { hint: "update broker to the newest version, or set BROKER_HOME to another directory" },
  );
}

/** A file in our place that another program made. */
export function foreignDatabase(path: string): BrokerError {
  return new BrokerError("home_unusable", `"${path}" is not a database of broker`, {
    hint: "set BROKER_HOME to a directory of its own, or move that file away",
  });
}

function userVersion(database: Database): number {
  return database.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
}
