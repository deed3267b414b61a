import assert from "node:assert/strict";
import { Database } from "../../src/store/database.ts";
import { Store } from "../../src/store/store.ts";
import { assertRejectsCode, assertThrowsCode, childPath, temporaryHome } from "./temporary_home.ts";

/** Runs a shell script in a mount namespace of its own, where it may mount without being root. */
function inMountNamespace(script: string): Promise<Deno.CommandOutput> {
  return new Deno.Command("unshare", {
    args: ["--mount", "--map-root-user", "sh", "-ec", script],
  }).output();
}

/** Containers and other systems may not allow it; the tests below it then stand alone. */
async function canMount(): Promise<boolean> {
  try {
    return (await inMountNamespace("mount -t tmpfs tmpfs /mnt")).success;
  } catch {
    return false;
  }
}

const mountable = await canMount();

Deno.test({
  name: "a full disk is disk_full, keeps what was confirmed and leaves a home that opens",
  ignore: !mountable,
  fn: async () => {
    using home = temporaryHome();
    Deno.mkdirSync(home.path);
    const run = `${Deno.execPath()} run -A ${childPath("fill_disk")} ${home.path}/full`;
    const { stdout } = await inMountNamespace(
      `mount -t tmpfs -o size=1m tmpfs ${home.path}; ${run}`,
    );
    const result = JSON.parse(new TextDecoder().decode(stdout));
    assert.equal(result.code, "disk_full");
    assert.match(result.hint, /free space/);
    assert.ok(result.confirmed > 0);
    assert.equal(result.readable, result.confirmed);
    assert.equal(result.kept, result.confirmed);
  },
});

Deno.test({
  name: "a disk too full to create a home says disk_full",
  ignore: !mountable,
  fn: async () => {
    using home = temporaryHome();
    Deno.mkdirSync(home.path);
    const run = `${Deno.execPath()} run -A ${childPath("use_read_only")} ${home.path}/none`;
    const { stdout } = await inMountNamespace(
      `mount -t tmpfs -o size=12k tmpfs ${home.path}; ${run} ${home.path}/home`,
    );
    assert.equal(JSON.parse(new TextDecoder().decode(stdout)).create, "disk_full");
  },
});

Deno.test({
  name: "a read-only file system is home_unusable for every way in",
  ignore: !mountable,
  fn: async () => {
    using home = temporaryHome();
    (await Store.create(`${home.path}/existing`)).close();
    const paths = `${home.path}/existing ${home.path}/absent`;
    const run = `${Deno.execPath()} run -A ${childPath("use_read_only")} ${paths}`;
    const { stdout } = await inMountNamespace(
      `mount --bind ${home.path} ${home.path}; mount -o remount,bind,ro ${home.path}; ${run}`,
    );
    assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), {
      inspect: "home_unusable",
      open: "home_unusable",
      create: "home_unusable",
    });
  },
});

Deno.test("a home whose path is a file, or below one, is home_unusable", async () => {
  using home = temporaryHome();
  Deno.writeTextFileSync(home.path, "a file");
  for (const path of [home.path, `${home.path}/below`]) {
    await assertRejectsCode(() => Store.create(path), "home_unusable");
    await assertRejectsCode(() => Store.open(path), "home_unusable");
    assertThrowsCode(() => Store.inspect(path), "home_unusable");
  }
  assert.equal(Deno.readTextFileSync(home.path), "a file");
});

Deno.test("a database that may not grow is disk_full and the change is undone as a whole", () => {
  using home = temporaryHome();
  Deno.mkdirSync(home.path);
  const database = Database.open(`${home.path}/small.db`);
  try {
    database.script("CREATE TABLE t (a)");
    database.get("PRAGMA max_page_count = 8");
    const error = assertThrowsCode(() =>
      database.write(() => {
        for (let row = 0; row < 100; row++) {
          database.run("INSERT INTO t VALUES (zeroblob(4000))");
        }
      }), "disk_full");
    assert.match(error.message, /no space is left/);
    assert.deepEqual(database.all("SELECT * FROM t"), []);
    database.write(() => database.run("INSERT INTO t VALUES (1)"));
  } finally {
    database.close();
  }
});
