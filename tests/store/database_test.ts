import assert from "node:assert/strict";
import { Database } from "../../src/store/database.ts";
import { checkSchema, migrate, SCHEMA_VERSION } from "../../src/store/schema.ts";
import { toStoreError } from "../../src/store/store_error.ts";
import { assertThrowsCode, temporaryHome } from "./temporary_home.ts";

function openTemporary(path: string): Database {
  Deno.mkdirSync(path, { recursive: true });
  return Database.open(`${path}/test.db`);
}

Deno.test("a defect is not dressed up as a broken home", () => {
  const defect = new TypeError("x is not a function");
  assert.equal(toStoreError(defect, { action: "Open", path: "p" }), defect);
  assert.equal(toStoreError("text", { action: "Open", path: "p" }), "text");
});

Deno.test("a connection has the pragmas that durability and erasure rest on", () => {
  using home = temporaryHome();
  const database = openTemporary(home.path);
  const expected = {
    journal_mode: "wal",
    synchronous: 2,
    secure_delete: 1,
    foreign_keys: 1,
    trusted_schema: 0,
  };
  for (const [name, value] of Object.entries(expected)) {
    assert.equal(Object.values(database.get<object>(`PRAGMA ${name}`)!)[0], value, name);
  }
  assert.equal(Object.values(database.get<object>("PRAGMA busy_timeout")!)[0], 5000);
  database.close();
});

Deno.test("all tables are STRICT and all of the schema is consistent", () => {
  using home = temporaryHome();
  const database = openTemporary(home.path);
  migrate(database);
  const tables = database.all<{ name: string; strict: number }>(
    "SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  assert.deepEqual(tables.map(({ name }) => name).sort(), [
    "agent_grants",
    "agents",
    "authority",
    "credentials",
    "meta",
    "proposal_values",
    "proposals",
    "protection",
    "services",
    "sessions",
    "vaults",
  ]);
  assert.deepEqual(tables.filter(({ strict }) => strict !== 1), []);
  assert.deepEqual(database.all("PRAGMA foreign_key_check"), []);
  database.close();
});

Deno.test("migrating twice, and from two connections, does it once", () => {
  using home = temporaryHome();
  const one = openTemporary(home.path);
  const two = openTemporary(home.path);
  migrate(one);
  migrate(two);
  migrate(one);
  checkSchema(two);
  assert.equal(Object.values(two.get<object>("PRAGMA user_version")!)[0], SCHEMA_VERSION);
  one.close();
  two.close();
});

Deno.test("an error inside a nested write undoes the whole outer one", () => {
  using home = temporaryHome();
  const database = openTemporary(home.path);
  database.script("CREATE TABLE t (a)");
  assert.throws(() =>
    database.write(() => {
      database.run("INSERT INTO t VALUES (1)");
      database.write(() => database.run("INSERT INTO t VALUES (2)"));
      throw new Error("later");
    }), /later/);
  assert.deepEqual(database.all("SELECT * FROM t"), []);
  database.write(() => database.run("INSERT INTO t VALUES (3)"));
  assert.equal(database.all("SELECT * FROM t").length, 1);
  database.close();
});

Deno.test("a database opened for reading refuses writes", () => {
  using home = temporaryHome();
  const database = openTemporary(home.path);
  database.script("CREATE TABLE t (a)");
  const reader = Database.open(database.path, { readOnly: true });
  assertThrowsCode(() => reader.run("INSERT INTO t VALUES (1)"), "home_unusable");
  reader.close();
  database.close();
});

Deno.test("closing twice is closing once", () => {
  using home = temporaryHome();
  const database = openTemporary(home.path);
  database.close();
  database.close();
});

Deno.test("recentRevision() counts this connection's own writes at once and others' a moment later", async () => {
  using home = temporaryHome();
  const database = openTemporary(home.path);
  migrate(database);
  const other = Database.open(`${home.path}/test.db`);
  const insert = "INSERT INTO meta (key, value) VALUES (?, 'x')";
  const first = database.recentRevision();
  assert.equal(database.recentRevision(), first);
  database.write(() => database.run(insert, ["own"]));
  const own = database.recentRevision();
  assert.notEqual(own, first);
  other.write(() => other.run(insert, ["other"]));
  while (database.recentRevision() === own) await new Promise((resolve) => setTimeout(resolve, 1));
  other.close();
  database.close();
});
