import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { Store } from "../../src/store/store.ts";
import { secret, service, temporaryHome } from "./temporary_home.ts";

Deno.test("every kind of change moves the revision and gives a new snapshot, once", async () => {
  using home = temporaryHome();
  using one = await Store.create(home.path);
  using two = await Store.open(home.path);
  const changes: Record<string, (store: Store) => void> = {
    "a service added": (store) => store.services.upsert("default", [service("github")]),
    "a service changed": (store) =>
      store.services.upsert("default", [service("github", { host: "github.com" })]),
    "a service disabled": (store) => store.services.setEnabled("default", "github", false),
    "a credential added": (store) =>
      store.credentials.set("default", [{ key: "API_KEY", value: secret("one") }]),
    "a credential changed": (store) =>
      store.credentials.set("default", [{ key: "API_KEY", value: secret("two") }]),
    "a credential deleted": (store) => store.credentials.delete("default", ["API_KEY"]),
    "a setting changed": (store) =>
      store.vaults.updateSettings("default", { unmatchedHostPolicy: "deny" }),
    "a service removed": (store) => store.services.remove("default", "github"),
    "all services cleared": (store) => store.services.clear("default"),
  };
  for (const [name, change] of Object.entries(changes)) {
    for (const [writer, reader] of [[one, one], [one, two]] as const) {
      if (writer === reader) {
        const revision = reader.revision();
        const before = reader.snapshot("default");
        two.snapshot("default");
        change(writer);
        assert.notEqual(reader.revision(), revision, name);
        assert.notEqual(reader.snapshot("default"), before, name);
      }
      assert.deepEqual(
        reader.snapshot("default")!.services,
        writer.services.list("default"),
        name,
      );
      assert.equal(reader.snapshot("default"), reader.snapshot("default"), name);
      assert.equal(reader.revision(), reader.revision(), name);
    }
  }
});

Deno.test("a change in another process holds from the next snapshot on", async () => {
  using home = temporaryHome();
  using one = await Store.create(home.path);
  using two = await Store.open(home.path);
  const before = two.snapshot("default")!;
  const revision = two.revision();
  one.credentials.set("default", [{ key: "API_KEY", value: secret("new") }]);
  assert.notEqual(two.revision(), revision);
  assert.equal(two.snapshot("default")!.credential("API_KEY")!.reveal(), "new");
  assert.equal(before.credential("API_KEY"), undefined);
});

Deno.test("a snapshot keeps the values of its own moment", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.credentials.set("default", [{ key: "API_KEY", value: secret("old") }]);
  const snapshot = store.snapshot("default")!;
  store.credentials.set("default", [{ key: "API_KEY", value: secret("new") }]);
  assert.equal(snapshot.credential("API_KEY")!.reveal(), "old");
  assert.equal(store.snapshot("default")!.credential("API_KEY")!.reveal(), "new");
});

Deno.test("a credential is opened once for a snapshot", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.credentials.set("default", [{ key: "API_KEY", value: secret("v") }]);
  const snapshot = store.snapshot("default")!;
  assert.equal(snapshot.credential("API_KEY"), snapshot.credential("API_KEY"));
  assert.equal(snapshot.credential("NONE"), undefined);
  assert.ok(!Deno.inspect(snapshot, { depth: 9, showHidden: true }).includes("reveal"));
});

Deno.test("other vaults and sessions leave a snapshot the same object", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  const before = store.snapshot("default");
  store.vaults.create("other");
  store.services.upsert("other", [service("github")]);
  store.sessions.create({ vault: "default", ttlSeconds: 300 });
  store.vaults.select("other");
  assert.equal(store.snapshot("default"), before);
});

Deno.test("while nothing moved a snapshot and a session cost no statement but data_version", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  const { token } = store.sessions.create({ vault: "default", ttlSeconds: 300 });
  store.snapshot("default");
  store.sessions.find(token.reveal());
  const statement = Object.getPrototypeOf(
    new DatabaseSync(":memory:").prepare("SELECT 1"),
  ) as { get: (...values: unknown[]) => unknown; all: unknown; run: unknown };
  const original = { get: statement.get, all: statement.all, run: statement.run };
  const seen: unknown[] = [];
  for (const name of ["get", "all", "run"] as const) {
    const call = original[name] as (...values: unknown[]) => unknown;
    statement[name] = function (this: { sourceSQL: string }, ...values: unknown[]) {
      seen.push(this.sourceSQL);
      return call.apply(this, values);
    };
  }
  try {
    store.snapshot("default");
    store.sessions.find(token.reveal());
    assert.deepEqual(seen, ["PRAGMA data_version", "PRAGMA data_version"]);
  } finally {
    Object.assign(statement, original);
  }
});

Deno.test("a vault that was deleted and made again under its name has a new snapshot", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.vaults.create("other");
  const before = store.snapshot("other")!;
  store.vaults.delete("other");
  assert.equal(store.snapshot("other"), undefined);
  store.vaults.create("other");
  const after = store.snapshot("other")!;
  assert.notEqual(after, before);
  assert.notEqual(after.id, before.id);
});

Deno.test("a renamed vault is found under its new name only", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.snapshot("default");
  store.vaults.rename("default", "renamed");
  assert.equal(store.snapshot("default"), undefined);
  assert.equal(store.snapshot("renamed")!.name, "renamed");
});
