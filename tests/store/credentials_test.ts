import assert from "node:assert/strict";
import { Store } from "../../src/store/store.ts";
import { assertThrowsCode, secret, temporaryHome } from "./temporary_home.ts";

Deno.test("a value that could split a header is refused, and nothing of the set is stored", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  for (const bad of ["a\r\nX-Evil: 1", "a\nb", "a\0b", "", "\ud800"]) {
    const error = assertThrowsCode(() =>
      store.credentials.set("default", [
        { key: "GOOD", value: secret("fine") },
        { key: "BAD", value: secret(bad) },
      ]), "validation_failed");
    assert.ok(!error.message.includes("Evil"));
  }
  assert.deepEqual(store.credentials.keys("default"), []);
});

Deno.test("a key that is not UPPER_SNAKE_CASE is refused", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  for (const key of ["lower", "", "A-B", "1A", "A B"]) {
    assertThrowsCode(
      () => store.credentials.set("default", [{ key, value: secret("v") }]),
      "validation_failed",
    );
  }
});

Deno.test("a key that is not there is not_found with the nearest one", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.credentials.set("default", [{ key: "GITHUB_TOKEN", value: secret("v") }]);
  const error = assertThrowsCode(
    () => store.credentials.get("default", "GITHUB_TOKN"),
    "not_found",
  );
  assert.match(error.hint!, /"GITHUB_TOKEN"/);
});

Deno.test("deleting keys of which one is missing deletes none", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.credentials.set("default", [{ key: "ONE", value: secret("1") }]);
  const error = assertThrowsCode(
    () => store.credentials.delete("default", ["ONE", "TWO", "THREE"]),
    "not_found",
  );
  assert.deepEqual(error.details, { missing: ["TWO", "THREE"] });
  assert.deepEqual(store.credentials.keys("default"), ["ONE"]);
  store.credentials.delete("default", ["ONE", "ONE"]);
  assert.equal(store.credentials.has("default", "ONE"), false);
});

Deno.test("vaults do not see each other's credentials", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.vaults.create("other");
  store.credentials.set("default", [{ key: "API_KEY", value: secret("mine") }]);
  assert.equal(store.credentials.has("other", "API_KEY"), false);
  assert.equal(store.snapshot("other")!.credential("API_KEY"), undefined);
  assertThrowsCode(() => store.credentials.get("other", "API_KEY"), "not_found");
});

Deno.test("values read back as stored, after a second set, a rename and a restart", async () => {
  using home = temporaryHome();
  const store = await Store.create(home.path);
  store.credentials.set("default", [
    { key: "SECOND", value: secret("zwei ü 🗝") },
    { key: "FIRST", value: secret("one") },
  ]);
  store.credentials.set("default", [{ key: "FIRST", value: secret("uno") }]);
  store.vaults.rename("default", "renamed");
  store.close();
  using again = await Store.open(home.path);
  assert.deepEqual(again.credentials.keys("renamed"), ["FIRST", "SECOND"]);
  assert.equal(again.credentials.get("renamed", "FIRST").reveal(), "uno");
  assert.equal(again.credentials.get("renamed", "SECOND").reveal(), "zwei ü 🗝");
});

Deno.test("a transaction that fails keeps neither its services nor its credentials", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  assert.throws(() =>
    store.transaction(() => {
      store.credentials.set("default", [{ key: "API_KEY", value: secret("v") }]);
      store.vaults.create("new");
      throw new Error("slot missing");
    }), /slot missing/);
  assert.deepEqual(store.credentials.keys("default"), []);
  assert.deepEqual(store.vaults.list().map(({ name }) => name), ["default"]);
});
