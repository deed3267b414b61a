import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { Store } from "../../src/store/store.ts";
import { assertThrowsCode, secret, service, temporaryHome } from "./temporary_home.ts";

Deno.test("a vault that is not there is not_found with the nearest name and all names", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.vaults.create("staging");
  const error = assertThrowsCode(() => store.vaults.get("stagin"), "not_found");
  assert.match(error.hint!, /did you mean "staging"\?.*default, staging/);
  assert.deepEqual(error.details, { vaults: ["default", "staging"] });
  const calls = [
    () => store.vaults.delete("none"),
    () => store.vaults.rename("none", "other"),
    () => store.vaults.select("none"),
    () => store.vaults.updateSettings("none", {}),
    () => store.services.list("none"),
    () => store.services.upsert("none", [service("github")]),
    () => store.credentials.keys("none"),
    () => store.credentials.has("none", "KEY"),
    () => store.credentials.set("none", [{ key: "KEY", value: secret("v") }]),
    () => store.sessions.create({ vault: "none", ttlSeconds: 300 }),
  ];
  for (const call of calls) assertThrowsCode(call, "not_found");
  assert.equal(store.snapshot("none"), undefined);
});

Deno.test("names that are taken or impossible are refused", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.vaults.create("staging");
  assertThrowsCode(() => store.vaults.create("staging"), "already_exists");
  assertThrowsCode(() => store.vaults.rename("default", "staging"), "already_exists");
  assert.throws(() => store.vaults.create("no spaces"), { code: "validation_failed" });
  assert.throws(() => store.vaults.rename("default", ""), { code: "validation_failed" });
  store.vaults.rename("default", "default");
});

Deno.test("the last vault cannot be deleted", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  assertThrowsCode(() => store.vaults.delete("default"), "conflict");
});

Deno.test("deleting a vault takes its services, credentials and sessions with it", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.vaults.create("gone");
  store.services.upsert("gone", [service("github")]);
  store.credentials.set("gone", [{ key: "API_KEY", value: secret("v") }]);
  const token = store.sessions.create({ vault: "gone", ttlSeconds: 300 }).token.reveal();
  assert.ok(store.sessions.find(token));
  store.vaults.delete("gone");
  assert.equal(store.sessions.find(token), undefined);
  const reader = new DatabaseSync(`${home.path}/broker.db`);
  for (const table of ["services", "credentials", "sessions"]) {
    assert.equal(reader.prepare(`SELECT count(*) AS n FROM ${table}`).get()!.n, 0, table);
  }
  reader.close();
  store.vaults.create("gone");
  assert.deepEqual(store.credentials.keys("gone"), []);
});

Deno.test("the selected vault is default, follows a rename and falls back after a deletion", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  assert.equal(store.vaults.selected(), "default");
  store.vaults.create("work");
  store.vaults.select("work");
  store.vaults.rename("work", "job");
  assert.equal(store.vaults.selected(), "job");
  assert.deepEqual(store.vaults.list().map(({ name, selected }) => [name, selected]), [
    ["default", false],
    ["job", true],
  ]);
  store.vaults.delete("job");
  assert.equal(store.vaults.selected(), "default");
});

Deno.test("a list counts services and credentials and gives plain objects", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path, { now: () => 1234 });
  store.services.upsert("default", [service("one-service"), service("two", { enabled: false })]);
  store.credentials.set("default", [{ key: "API_KEY", value: secret("v") }]);
  assert.deepEqual(store.vaults.list(), [
    { name: "default", createdAt: 1234, services: 2, credentials: 1, selected: true },
  ]);
  assert.deepEqual(store.vaults.get("default"), store.vaults.list()[0]);
});

Deno.test("settings have their defaults, change one by one and outlive a restart", async () => {
  using home = temporaryHome();
  const store = await Store.create(home.path);
  assert.deepEqual(store.vaults.settings("default"), {
    unmatchedHostPolicy: "passthrough",
    plaintextCredentials: "local",
    notifications: "on",
  });
  store.vaults.updateSettings("default", { unmatchedHostPolicy: "deny" });
  store.close();
  using again = await Store.open(home.path);
  const expected = {
    unmatchedHostPolicy: "deny",
    plaintextCredentials: "local",
    notifications: "on",
  };
  assert.deepEqual(again.vaults.settings("default"), expected);
  assert.deepEqual(again.snapshot("default")!.settings, expected);
});

Deno.test("a setting's value from a newer program is read as the strict one", async () => {
  using home = temporaryHome();
  (await Store.create(home.path)).close();
  const database = new DatabaseSync(`${home.path}/broker.db`);
  database.prepare("UPDATE vaults SET settings = ?").run(
    JSON.stringify({
      unmatchedHostPolicy: "ask",
      plaintextCredentials: "maybe",
      notifications: "loud",
    }),
  );
  database.close();
  using store = await Store.open(home.path);
  assert.deepEqual(store.vaults.settings("default"), {
    unmatchedHostPolicy: "deny",
    plaintextCredentials: "local",
    notifications: "off",
  });
});
