import assert from "node:assert/strict";
import { Database } from "../../src/store/database.ts";
import { readKeyFile } from "../../src/store/key_file.ts";
import { Store } from "../../src/store/store.ts";
import {
  assertRejectsCode,
  filesHolding,
  LOW_COST,
  secret,
  temporaryHome,
} from "./temporary_home.ts";

const first = secret("first passphrase");
const second = secret("second passphrase");
const entry = { key: "API_KEY", value: secret("stored value") };
const scryptCost = LOW_COST;

async function createHome(path: string): Promise<Store> {
  const store = await Store.create(path, { scryptCost });
  store.credentials.set("default", [entry]);
  return store;
}

/** The DEK in both forms in which it could lie around. */
function dekForms(path: string): [bytes: Uint8Array, text: string] {
  const file = readKeyFile(`${path}/key`);
  assert.ok(file.kind === "key");
  return [file.dek, file.dek.toBase64({ alphabet: "base64url", omitPadding: true })];
}

Deno.test("setting a passphrase leaves the key in no file of the home", async () => {
  using home = temporaryHome();
  const store = await createHome(home.path);
  const forms = dekForms(home.path);
  await store.setPassphrase(first);
  assert.equal(store.protection, "passphrase");
  store.close();
  for (const form of forms) assert.deepEqual(filesHolding(home.path, form), []);
  assert.ok(!Object.hasOwn(Object.fromEntries(names(home.path)), "key"));
});

Deno.test("a home made with a passphrase never has its key or passphrase in a file", async () => {
  using home = temporaryHome();
  const store = await Store.create(home.path, { passphrase: first, scryptCost });
  store.credentials.set("default", [entry]);
  await store.removePassphrase(first);
  const forms = dekForms(home.path);
  await store.setPassphrase(second);
  store.close();
  for (const form of [...forms, "first passphrase", "second passphrase"]) {
    assert.deepEqual(filesHolding(home.path, form), []);
  }
});

Deno.test("after a change only the new passphrase opens", async () => {
  using home = temporaryHome();
  const store = await createHome(home.path);
  await store.setPassphrase(first);
  await store.changePassphrase(first, second);
  store.close();
  await assertRejectsCode(() => Store.open(home.path, { passphrase: first }), "wrong_passphrase");
  using again = await Store.open(home.path, { passphrase: second });
  assert.equal(again.credentials.get("default", "API_KEY").reveal(), "stored value");
});

Deno.test("changing and removing need the current passphrase and change nothing without", async () => {
  using home = temporaryHome();
  const store = await createHome(home.path);
  await store.setPassphrase(first);
  await assertRejectsCode(() => store.changePassphrase(second, second), "wrong_passphrase");
  await assertRejectsCode(() => store.removePassphrase(second), "wrong_passphrase");
  assert.equal(store.protection, "passphrase");
  store.close();
  (await Store.open(home.path, { passphrase: first })).close();
});

Deno.test("setting twice, and changing or removing without one, are conflicts", async () => {
  using home = temporaryHome();
  using store = await createHome(home.path);
  await assertRejectsCode(() => store.changePassphrase(first, second), "conflict");
  await assertRejectsCode(() => store.removePassphrase(first), "conflict");
  await store.setPassphrase(first);
  await assertRejectsCode(() => store.setPassphrase(second), "conflict");
});

Deno.test("an empty passphrase cannot be set and makes a home without one", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path, { passphrase: secret(""), scryptCost });
  assert.equal(store.protection, "key_file");
  await assertRejectsCode(() => store.setPassphrase(secret("")), "validation_failed");
  await store.setPassphrase(first);
  await assertRejectsCode(() => store.changePassphrase(first, secret("")), "validation_failed");
});

Deno.test("a removal and a change at once: one is done, the other a conflict, the home opens", async () => {
  for (const order of ["removal first", "change first"]) {
    using home = temporaryHome();
    const one = await createHome(home.path);
    await one.setPassphrase(first);
    const two = await Store.open(home.path, { passphrase: first, scryptCost });
    const calls = [() => one.removePassphrase(first), () => two.changePassphrase(first, second)];
    if (order === "change first") calls.reverse();
    const results = await Promise.allSettled(calls.map((call) => call()));
    const lost = results.filter((result) => result.status === "rejected");
    assert.deepEqual(lost.map(({ reason }) => reason.code), ["conflict"], order);
    const kind = one.protection;
    one.close();
    two.close();
    assert.equal(readKeyFile(`${home.path}/key`).kind, kind === "key_file" ? "key" : "missing");
    using again = await Store.open(home.path, kind === "passphrase" ? { passphrase: second } : {});
    assert.equal(again.credentials.get("default", "API_KEY").reveal(), "stored value");
  }
});

Deno.test("a removal that finds the passphrase changed meanwhile writes no key file", async () => {
  using home = temporaryHome();
  const slow = await createHome(home.path);
  await slow.setPassphrase(first);
  const quick = await Store.open(home.path, { passphrase: first, scryptCost });
  const database = Database.open(`${home.path}/broker.db`);
  const removal = slow.removePassphrase(first);
  // The removal is deriving its key now; the row moves under it.
  database.write(() => database.run("UPDATE protection SET generation = generation + 1"));
  database.close();
  await assertRejectsCode(() => removal, "conflict");
  assert.equal(quick.protection, "passphrase");
  assert.equal(readKeyFile(`${home.path}/key`).kind, "missing");
  slow.close();
  quick.close();
});

Deno.test("a crash between the row and the removal of the key file is mended at the next opening", async () => {
  using home = temporaryHome();
  const store = await createHome(home.path);
  const keyFile = Deno.readTextFileSync(`${home.path}/key`);
  const forms = dekForms(home.path);
  await store.setPassphrase(first);
  store.close();
  Deno.writeTextFileSync(`${home.path}/key`, keyFile);
  Deno.writeTextFileSync(`${home.path}/key.new`, keyFile);
  await assertRejectsCode(() => Store.open(home.path), "passphrase_required");
  (await Store.open(home.path, { passphrase: first })).close();
  for (const form of forms) assert.deepEqual(filesHolding(home.path, form), []);
});

Deno.test("a key file that a crash left half overwritten is removed at the next opening", async () => {
  using home = temporaryHome();
  (await Store.create(home.path, { passphrase: first, scryptCost })).close();
  Deno.writeFileSync(`${home.path}/key`, new Uint8Array(57));
  (await Store.open(home.path, { passphrase: first })).close();
  assert.equal(readKeyFile(`${home.path}/key`).kind, "missing");
});

Deno.test("the key file of another home is not destroyed", async () => {
  using home = temporaryHome();
  using other = temporaryHome();
  (await Store.create(home.path, { passphrase: first, scryptCost })).close();
  (await createHome(other.path)).close();
  Deno.copyFileSync(`${other.path}/key`, `${home.path}/key`);
  (await Store.open(home.path, { passphrase: first })).close();
  assert.equal(readKeyFile(`${home.path}/key`).kind, "key");
});

Deno.test("a store that is open keeps working while another process sets a passphrase", async () => {
  using home = temporaryHome();
  using one = await createHome(home.path);
  using two = await Store.open(home.path, { scryptCost });
  await two.setPassphrase(first);
  one.credentials.set("default", [{ key: "OTHER", value: secret("other value") }]);
  assert.equal(two.credentials.get("default", "OTHER").reveal(), "other value");
  assert.equal(one.protection, "passphrase");
});

Deno.test("a passphrase is asked for once, and only where the home has one", async () => {
  using home = temporaryHome();
  let asked = 0;
  const passphrase = () => {
    asked++;
    return Promise.resolve(first);
  };
  const store = await createHome(home.path);
  (await Store.open(home.path, { passphrase })).close();
  assert.equal(asked, 0);
  await store.setPassphrase(first);
  store.close();
  (await Store.open(home.path, { passphrase })).close();
  assert.equal(asked, 1);
});

Deno.test("a passphrase that the home does not have is not asked for nor wrong", async () => {
  using home = temporaryHome();
  (await createHome(home.path)).close();
  (await Store.open(home.path, { passphrase: secret("stale variable") })).close();
});

Deno.test("a key file left by a first use that crashed becomes the new home's key", async () => {
  using home = temporaryHome();
  (await createHome(home.path)).close();
  const text = Deno.readTextFileSync(`${home.path}/key`);
  Deno.removeSync(`${home.path}/broker.db`);
  Deno.writeTextFileSync(`${home.path}/broker.db.new`, "half a draft");
  (await Store.create(home.path)).close();
  assert.equal(Deno.readTextFileSync(`${home.path}/key`), text);
  (await Store.open(home.path)).close();
});

function names(path: string): [string, true][] {
  return [...Deno.readDirSync(path)].map(({ name }) => [name, true]);
}

Deno.test("only the passphrase that holds now is recognised, and nothing is without one", async () => {
  using home = temporaryHome();
  const store = await createHome(home.path);
  assert.equal(await store.isPassphrase(first), false);
  await store.setPassphrase(first);
  assert.equal(await store.isPassphrase(first), true);
  assert.equal(await store.isPassphrase(second), false);
  assert.equal(await store.isPassphrase(secret("")), false);
  await store.changePassphrase(first, second);
  assert.deepEqual([await store.isPassphrase(first), await store.isPassphrase(second)], [
    false,
    true,
  ]);
  store.close();
});
