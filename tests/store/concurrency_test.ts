import assert from "node:assert/strict";
import { Database } from "../../src/store/database.ts";
import { Home } from "../../src/store/home.ts";
import { Store } from "../../src/store/store.ts";
import {
  assertRejectsCode,
  assertThrowsCode,
  LOW_COST,
  secret,
  startChild,
  temporaryHome,
} from "./temporary_home.ts";

Deno.test("several processes that use a home for the first time at once make one home", async () => {
  using home = temporaryHome();
  const prefixes = ["ONE", "TWO", "THREE", "FOUR", "FIVE"];
  const outputs = await Promise.all(prefixes.map(async (prefix) => {
    const child = startChild("write_credentials", [home.path, prefix, "20"]);
    const text = await child.stdout.text();
    assert.equal((await child.status).code, 0);
    return text;
  }));
  using store = await Store.open(home.path);
  assert.deepEqual(store.vaults.list().map((vault) => vault.name), ["default"]);
  const keys = outputs.join("").trim().split("\n").sort();
  assert.equal(keys.length, 100);
  assert.deepEqual(store.credentials.keys("default"), keys);
  for (const key of keys) {
    assert.equal(store.credentials.get("default", key).reveal(), `value of ${key}`);
  }
  assert.equal(new Set(store.services.list("default").map((s) => s.name)).size, 100);
});

Deno.test("of several first uses at once one made the home, and knows it", async () => {
  using home = temporaryHome();
  const stores = await Promise.all(Array.from({ length: 4 }, () => Store.create(home.path)));
  assert.equal(stores.filter(({ created }) => created).length, 1);
  for (const store of stores) store.close();
  using again = await Store.open(home.path);
  assert.equal(again.created, false);
});

Deno.test("a first use that loses to one with another passphrase is told so", async () => {
  using home = temporaryHome();
  const options = { scryptCost: LOW_COST };
  const results = await Promise.allSettled([
    Store.create(home.path, { ...options, passphrase: secret("one") }),
    Store.create(home.path, { ...options, passphrase: secret("two") }),
  ]);
  const [won, lost] = results.toSorted((a, b) => a.status < b.status ? -1 : 1);
  assert.ok(won?.status === "fulfilled" && lost?.status === "rejected");
  won.value.close();
  await assertRejectsCode(() => Promise.reject(lost.reason), "wrong_passphrase");
});

Deno.test("a lock held longer than the busy timeout is reported, not waited for without end", () => {
  using home = temporaryHome();
  Deno.mkdirSync(home.path);
  const path = `${home.path}/busy.db`;
  const holder = Database.open(path);
  const waiting = Database.open(path, { busyTimeout: 20 });
  try {
    holder.script("CREATE TABLE t (a)");
    holder.write(() => {
      holder.run("INSERT INTO t VALUES (1)");
      const error = assertThrowsCode(() => waiting.write(() => {}), "store_busy");
      assert.match(error.hint!, /again/);
      // Readers never wait for a writer.
      assert.equal(waiting.all("SELECT * FROM t").length, 0);
    });
    waiting.write(() => waiting.run("INSERT INTO t VALUES (2)"));
    assert.equal(holder.all("SELECT * FROM t").length, 2);
  } finally {
    waiting.close();
    holder.close();
  }
});

Deno.test({
  name: "looking at a home from the process that has it open keeps SQLite's locks",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    using home = temporaryHome();
    using store = await Store.create(home.path);
    const { ino } = Deno.statSync(`${home.path}/broker.db`);
    const locks = () =>
      Deno.readTextFileSync("/proc/locks").split("\n")
        .filter((line) => line.includes(`:${ino} `)).length;
    store.revision();
    const before = locks();
    assert.ok(before > 0);
    // A process that closes any descriptor of a file loses all its POSIX locks on it; another one
    // would then take itself for the last and delete the WAL of a store that is still open.
    assert.equal(new Home(home.path).isPresent(), true);
    assert.equal(locks(), before);
  },
});
