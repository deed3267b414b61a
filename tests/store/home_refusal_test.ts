import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { BrokerError, type ErrorCode } from "../../src/errors.ts";
import { SCHEMA_VERSION } from "../../src/store/schema.ts";
import { Store, type StoreOptions } from "../../src/store/store.ts";
import {
  assertRejectsCode,
  assertThrowsCode,
  listBytes,
  LOW_COST,
  readLines,
  secret,
  startChild,
  temporaryHome,
} from "./temporary_home.ts";

/** A home that must be refused: how it came to be, what is said, and how it is opened. */
interface Refusal {
  readonly name: string;
  readonly passphrase?: string;
  readonly damage: (home: string) => void;
  readonly options?: StoreOptions;
  readonly code: ErrorCode;
  readonly message: RegExp;
  /** `inspect` does not look at the key, so it has nothing to refuse there. */
  readonly isKeyFault?: boolean;
}

const REFUSALS: readonly Refusal[] = [
  {
    name: "a database of a newer schema",
    damage: (home) => execute(home, `PRAGMA user_version = ${SCHEMA_VERSION + 1}`),
    code: "schema_too_new",
    message: /newer broker/,
  },
  {
    name: "a database cut in the middle",
    damage: (home) => Deno.truncateSync(`${home}/broker.db`, 5000),
    code: "home_unusable",
    message: /cut short/,
  },
  {
    name: "a database cut inside its header",
    damage: (home) => Deno.truncateSync(`${home}/broker.db`, 40),
    code: "home_unusable",
    message: /cut short/,
  },
  {
    name: "an empty database file",
    damage: (home) => Deno.truncateSync(`${home}/broker.db`, 0),
    code: "home_unusable",
    message: /is empty/,
  },
  {
    name: "a text file in the database's place",
    damage: (home) => Deno.writeTextFileSync(`${home}/broker.db`, "shopping list\n".repeat(20)),
    code: "home_unusable",
    message: /not a database of broker/,
  },
  {
    name: "another program's SQLite database",
    damage: (home) => {
      Deno.removeSync(`${home}/broker.db`);
      execute(home, "CREATE TABLE bookmarks (url TEXT); PRAGMA user_version = 1");
    },
    code: "home_unusable",
    message: /not a database of broker/,
  },
  {
    name: "a directory in the database's place",
    damage: (home) => {
      Deno.removeSync(`${home}/broker.db`);
      Deno.mkdirSync(`${home}/broker.db`);
    },
    code: "home_unusable",
    message: /not a file/,
  },
  {
    name: "a database whose tables are gone",
    damage: (home) => execute(home, "DROP TABLE protection"),
    code: "home_unusable",
    message: /damaged/,
  },
  {
    name: "a database with pages overwritten",
    damage: (home) => {
      const bytes = Deno.readFileSync(`${home}/broker.db`);
      bytes.fill(0xff, 100, 4096);
      Deno.writeFileSync(`${home}/broker.db`, bytes);
    },
    code: "home_unusable",
    message: /damaged/,
  },
  {
    name: "a WAL whose database is gone",
    damage: (home) => {
      Deno.removeSync(`${home}/broker.db`);
      Deno.writeTextFileSync(`${home}/broker.db-wal`, "frames");
    },
    code: "home_unusable",
    message: /is missing, but/,
  },
  {
    name: "a missing key file",
    damage: (home) => Deno.removeSync(`${home}/key`),
    code: "key_file_missing",
    message: /key file/,
    isKeyFault: true,
  },
  {
    name: "the key file of another home",
    damage: (home) => {
      const zeroKey = "A".repeat(43);
      Deno.writeTextFileSync(`${home}/key`, `broker-key-1 ${zeroKey}\n`);
    },
    code: "home_unusable",
    message: /belongs to another home/,
    isKeyFault: true,
  },
  {
    name: "a key file with one letter lost",
    damage: (home) => {
      const text = Deno.readTextFileSync(`${home}/key`);
      Deno.writeTextFileSync(`${home}/key`, text.slice(0, -2) + "\n");
    },
    code: "home_unusable",
    message: /not a key file/,
    isKeyFault: true,
  },
  {
    name: "a wrong passphrase",
    passphrase: "right",
    options: { passphrase: secret("wrong") },
    damage: () => {},
    code: "wrong_passphrase",
    message: /wrong/,
    isKeyFault: true,
  },
  {
    name: "no passphrase where one is needed",
    passphrase: "right",
    damage: () => {},
    code: "passphrase_required",
    message: /protected by a passphrase/,
    isKeyFault: true,
  },
  {
    name: "a person who gives no passphrase when asked",
    passphrase: "right",
    options: { passphrase: () => Promise.resolve(undefined) },
    damage: () => {},
    code: "passphrase_required",
    message: /protected by a passphrase/,
    isKeyFault: true,
  },
  {
    name: "a damaged wrapped key, with the right passphrase",
    passphrase: "right",
    options: { passphrase: secret("right") },
    damage: (home) =>
      execute(home, "UPDATE protection SET wrapped_key = zeroblob(length(wrapped_key))"),
    code: "home_unusable",
    message: /damaged key/,
    isKeyFault: true,
  },
];

for (const refusal of REFUSALS) {
  Deno.test(`${refusal.name} is refused and nothing is written`, async () => {
    using home = temporaryHome();
    const created = await Store.create(home.path, {
      scryptCost: LOW_COST,
      ...(refusal.passphrase === undefined ? {} : { passphrase: secret(refusal.passphrase) }),
    });
    created.close();
    refusal.damage(home.path);
    const before = snapshotOf(home.path);

    const attempts: (() => Promise<unknown>)[] = [() => Store.open(home.path, refusal.options)];
    if (refusal.isKeyFault !== true) {
      attempts.push(() => Store.create(home.path));
      assert.match(assertThrowsCode(() => Store.inspect(home.path), refusal.code).message, /"/);
    }
    for (const attempt of attempts) {
      const error = await assertRejectsCode(attempt, refusal.code);
      assert.match(error.message, refusal.message);
    }
    assert.deepEqual(snapshotOf(home.path), before);
  });
}

Deno.test("a wrong passphrase writes nothing where a crash left changes in the WAL", async () => {
  using home = temporaryHome();
  const child = startChild("hold_open", [home.path, "right"]);
  for await (const line of readLines(child)) {
    assert.equal(line, "ready");
    child.kill("SIGKILL");
  }
  await child.status;
  assert.ok(Deno.statSync(`${home.path}/broker.db-wal`).size > 0);
  const before = listBytes(home.path);
  await assertRejectsCode(
    () => Store.open(home.path, { passphrase: secret("wrong") }),
    "wrong_passphrase",
  );
  assert.deepEqual(Store.inspect(home.path), { kind: "present", protection: "passphrase" });
  const after = listBytes(home.path);
  assert.deepEqual(after["broker.db"], before["broker.db"]);
  assert.deepEqual(after["broker.db-wal"], before["broker.db-wal"]);

  using store = await Store.open(home.path, { passphrase: secret("right") });
  assert.equal(store.credentials.get("default", "HELD").reveal(), "held value");
});

Deno.test("a newer schema that only the WAL holds so far is refused", async () => {
  using home = temporaryHome();
  (await Store.create(home.path)).close();
  const newer = new DatabaseSync(`${home.path}/broker.db`);
  newer.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
  try {
    await assertRejectsCode(() => Store.open(home.path), "schema_too_new");
  } finally {
    newer.close();
  }
});

Deno.test("opening a home that is not there says how to make one and makes nothing", async () => {
  using home = temporaryHome();
  assert.equal(
    (await assertRejectsCode(() => Store.open(home.path), "not_found")).hint,
    "broker init",
  );
  assert.deepEqual(Store.inspect(home.path), { kind: "absent" });
  assert.throws(() => Deno.statSync(home.path), Deno.errors.NotFound);
});

Deno.test("a file called key that is not ours stops the creation of a home", async () => {
  using home = temporaryHome();
  Deno.mkdirSync(home.path);
  Deno.writeTextFileSync(`${home.path}/key`, "-----BEGIN OPENSSH PRIVATE KEY-----\n");
  const error = await assertRejectsCode(() => Store.create(home.path), "home_unusable");
  assert.match(error.message, /in the way/);
  assert.equal(
    Deno.readTextFileSync(`${home.path}/key`),
    "-----BEGIN OPENSSH PRIVATE KEY-----\n",
  );
});

Deno.test({
  name: "a home that is a file, or lies below one, is told as what it is",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    using home = temporaryHome();
    Deno.writeTextFileSync(home.path, "somebody's notes");
    for (const path of [home.path, `${home.path}/below`]) {
      const error = assertThrowsCode(() => Store.inspect(path), "home_unusable");
      assert.match(error.message, /is no directory$/);
      assert.match(error.hint!, /set BROKER_HOME/);
      await assertRejectsCode(() => Store.create(path), "home_unusable");
    }
    assert.equal(Deno.readTextFileSync(home.path), "somebody's notes");
    Deno.removeSync(home.path);
  },
});

Deno.test("an error of the store is a BrokerError whose text holds no passphrase", async () => {
  using home = temporaryHome();
  (await Store.create(home.path, { passphrase: secret("right"), scryptCost: LOW_COST })).close();
  const error = await assertRejectsCode(
    () => Store.open(home.path, { passphrase: secret("canary-passphrase") }),
    "wrong_passphrase",
  );
  assert.ok(error instanceof BrokerError);
  assert.ok(!Deno.inspect(error).includes("canary-passphrase"));
});

function execute(home: string, sql: string): void {
  const database = new DatabaseSync(`${home}/broker.db`);
  database.exec(sql);
  database.close();
}

function snapshotOf(home: string): unknown {
  const isDirectory = [...Deno.readDirSync(home)].some((entry) => entry.isDirectory);
  return isDirectory ? [...Deno.readDirSync(home)].map((entry) => entry.name) : listBytes(home);
}
