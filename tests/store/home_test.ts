import assert from "node:assert/strict";
import { Store } from "../../src/store/store.ts";
import { temporaryHome } from "./temporary_home.ts";

const isWindows = Deno.build.os === "windows";

function mode(path: string): string {
  return (Deno.statSync(path).mode! & 0o777).toString(8);
}

Deno.test({
  name: "a new home is 0700 and every file in it 0600, whatever the umask",
  ignore: isWindows,
  fn: async () => {
    using home = temporaryHome();
    const umask = Deno.umask(0);
    try {
      using store = await Store.create(home.path);
      store.vaults.create("other");
      assert.equal(mode(home.path), "700");
      const names = [...Deno.readDirSync(home.path)].map((entry) => entry.name).sort();
      assert.deepEqual(names, ["broker.db", "broker.db-shm", "broker.db-wal", "key", "lock"]);
      for (const name of names) assert.equal(mode(`${home.path}/${name}`), "600", name);
      assert.deepEqual(store.warnings, []);
    } finally {
      Deno.umask(umask);
    }
  },
});

Deno.test({
  name: "files that became readable for others are closed again, with a warning",
  ignore: isWindows,
  fn: async () => {
    using home = temporaryHome();
    (await Store.create(home.path)).close();
    for (const name of ["broker.db", "key"]) Deno.chmodSync(`${home.path}/${name}`, 0o644);
    Deno.chmodSync(home.path, 0o755);
    using store = await Store.open(home.path);
    assert.equal(mode(`${home.path}/broker.db`), "600");
    assert.equal(mode(`${home.path}/broker.db-wal`), "600");
    assert.equal(mode(`${home.path}/key`), "600");
    const warnings = store.warnings.join("\n");
    assert.match(warnings, /chmod 700/);
    assert.match(warnings, /"[^"]*key" had mode 644/);
    assert.match(warnings, /broker\.db" had mode 644/);
  },
});

Deno.test({
  name: "an empty directory is taken over as 0700, one with other files keeps its mode",
  ignore: isWindows,
  fn: async () => {
    using home = temporaryHome();
    Deno.mkdirSync(home.path, { mode: 0o755 });
    (await Store.create(home.path)).close();
    assert.equal(mode(home.path), "700");

    using shared = temporaryHome();
    Deno.mkdirSync(shared.path, { mode: 0o755 });
    Deno.writeTextFileSync(`${shared.path}/thesis.txt`, "");
    using store = await Store.create(shared.path);
    assert.equal(mode(shared.path), "755");
    assert.match(store.warnings.join("\n"), /chmod 700/);
  },
});

Deno.test("a home in a directory with spaces, quotes and letters beyond ASCII works", async () => {
  using home = temporaryHome();
  const path = `${home.path}/my "böx" #1 %20?x=y`;
  (await Store.create(path)).close();
  (await Store.open(path)).close();
  assert.deepEqual(Store.inspect(path), { kind: "present", protection: "key_file" });
});
