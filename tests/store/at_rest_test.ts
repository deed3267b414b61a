import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { Store } from "../../src/store/store.ts";
import {
  assertThrowsCode,
  filesHolding,
  readLines,
  secret,
  startChild,
  temporaryHome,
} from "./temporary_home.ts";

const CANARY = "canary-7f3a-value";

Deno.test("no value, token or CA key lies in any file of the home in the clear", async () => {
  using home = temporaryHome();
  const store = await Store.create(home.path);
  store.credentials.set("default", [{ key: "API_KEY", value: secret(CANARY) }]);
  store.credentials.set("default", [{ key: "API_KEY", value: secret(`${CANARY}-2`) }]);
  store.authority.save({
    certificatePem: "certificate",
    privateKeyPkcs8Pem: secret(`-----${CANARY}-----`),
    createdAt: 1,
  });
  const token = store.sessions.create({ vault: "default", ttlSeconds: 300 }).token.reveal();
  store.close();
  for (const needle of [CANARY, btoa(CANARY).slice(0, 20), token, token.slice(9)]) {
    assert.deepEqual(filesHolding(home.path, needle), []);
  }
  assert.deepEqual(filesHolding(home.path, "certificate"), ["broker.db"]);
});

Deno.test("no value lies in the WAL of a process that was killed", async () => {
  using home = temporaryHome();
  const child = startChild("write_credentials", [home.path, "WAL", "1000"]);
  for await (const line of readLines(child)) {
    if (line === "WAL_5") child.kill("SIGKILL");
  }
  await child.status;
  assert.deepEqual(filesHolding(home.path, "value of WAL_"), []);
  assert.ok(filesHolding(home.path, "WAL_5").includes("broker.db-wal"));
});

Deno.test("a sealed row that is moved to another key or vault does not open", async () => {
  using home = temporaryHome();
  const store = await Store.create(home.path);
  store.vaults.create("other");
  for (const vault of ["default", "other"]) {
    store.credentials.set(vault, [{ key: "MINE", value: secret(`${CANARY} ${vault}`) }]);
  }
  store.credentials.set("default", [{ key: "TARGET", value: secret("x") }]);
  store.close();
  const database = new DatabaseSync(`${home.path}/broker.db`);
  database.exec(`
    UPDATE credentials SET sealed = (SELECT sealed FROM credentials WHERE key = 'MINE'
      AND vault_id = (SELECT id FROM vaults WHERE name = 'default')) WHERE key = 'TARGET';
    UPDATE credentials SET sealed = (SELECT sealed FROM credentials WHERE key = 'TARGET')
      WHERE key = 'MINE' AND vault_id = (SELECT id FROM vaults WHERE name = 'other');
  `);
  database.close();

  using again = await Store.open(home.path);
  const moved = [["default", "TARGET"], ["other", "MINE"]] as const;
  for (const [vault, key] of moved) {
    const error = assertThrowsCode(() => again.credentials.get(vault, key), "home_unusable");
    assert.ok(!error.message.includes(CANARY));
    assert.equal(error.hint, `broker vault credential set ${key}`);
    assertThrowsCode(() => again.snapshot(vault)!.credential(key), "home_unusable");
  }
  assert.equal(again.credentials.get("default", "MINE").reveal(), `${CANARY} default`);
});

Deno.test("a CA key that was replaced by a credential's sealed value does not open", async () => {
  using home = temporaryHome();
  const store = await Store.create(home.path);
  store.credentials.set("default", [{ key: "API_KEY", value: secret("attacker's key") }]);
  store.authority.save({ certificatePem: "c", privateKeyPkcs8Pem: secret("k"), createdAt: 1 });
  store.close();
  const database = new DatabaseSync(`${home.path}/broker.db`);
  database.exec("UPDATE authority SET sealed_private_key = (SELECT sealed FROM credentials)");
  database.close();
  using again = await Store.open(home.path);
  assertThrowsCode(() => again.authority.load(), "home_unusable");
});

Deno.test("a deleted credential leaves not even its sealed value in the database", async () => {
  using home = temporaryHome();
  const store = await Store.create(home.path);
  store.credentials.set("default", [{ key: "API_KEY", value: secret(CANARY) }]);
  store.close();
  const reader = new DatabaseSync(`${home.path}/broker.db`);
  const { sealed } = reader.prepare("SELECT sealed FROM credentials").get() as {
    sealed: Uint8Array;
  };
  reader.close();
  assert.deepEqual(filesHolding(home.path, sealed), ["broker.db"]);
  const again = await Store.open(home.path);
  again.credentials.delete("default", ["API_KEY"]);
  again.close();
  assert.deepEqual(filesHolding(home.path, sealed), []);
});
