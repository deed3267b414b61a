import assert from "node:assert/strict";
import { Store } from "../../src/store/store.ts";
import { filesHolding, temporaryHome } from "./temporary_home.ts";

Deno.test("unknown, altered and foreign tokens find nobody", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  const token = store.sessions.create({ vault: "default", ttlSeconds: 300 }).token.reveal();
  const wrong = [
    "",
    "brk_sess_",
    token.slice(0, -1),
    `${token}x`,
    token.toUpperCase(),
    token.replace("brk_sess_", "brk_agt_"),
    ` ${token}`,
  ];
  for (const text of wrong) assert.equal(store.sessions.find(text), undefined, text);
  assert.ok(store.sessions.find(token));
});

Deno.test("a session ends at its time to live, also when it was found before", async () => {
  using home = temporaryHome();
  let now = 1_000_000;
  using store = await Store.create(home.path, { now: () => now });
  const { token, caller, expiresAt } = store.sessions.create({ vault: "default", ttlSeconds: 300 });
  assert.equal(expiresAt, 1_300_000);
  now = 1_299_999;
  assert.deepEqual(store.sessions.find(token.reveal()), caller);
  now = 1_300_000;
  assert.equal(store.sessions.find(token.reveal()), undefined);
  now = 1_299_999;
  assert.deepEqual(store.sessions.find(token.reveal()), caller);
});

Deno.test("a revoked session is found no more, also by another process's connection", async () => {
  using home = temporaryHome();
  using one = await Store.create(home.path);
  using two = await Store.open(home.path);
  const byId = one.sessions.create({ vault: "default", ttlSeconds: 300 });
  const byToken = one.sessions.create({ vault: "default", ttlSeconds: 300 });
  for (const store of [one, two]) {
    assert.ok(store.sessions.find(byId.token.reveal()));
    assert.ok(store.sessions.find(byToken.token.reveal()));
  }
  assert.equal(one.sessions.revoke(byId.id), true);
  assert.equal(two.sessions.revokeToken(byToken.token.reveal()), true);
  for (const store of [one, two]) {
    assert.equal(store.sessions.find(byId.token.reveal()), undefined);
    assert.equal(store.sessions.find(byToken.token.reveal()), undefined);
  }
  assert.equal(one.sessions.revoke(byId.id), false);
  assert.equal(one.sessions.revokeToken("brk_sess_none"), false);
});

Deno.test("tokens have 256 bits of their own behind the prefix, and only their hash is stored", async () => {
  using home = temporaryHome();
  const store = await Store.create(home.path);
  const tokens = Array.from(
    { length: 50 },
    () => store.sessions.create({ vault: "default", ttlSeconds: 300 }).token.reveal(),
  );
  store.close();
  assert.equal(new Set(tokens).size, 50);
  for (const token of tokens) {
    assert.match(token, /^brk_sess_[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(filesHolding(home.path, token.slice("brk_sess_".length)), []);
  }
});

Deno.test("a caller is found without a query while nothing moved", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  const token = store.sessions.create({ vault: "default", ttlSeconds: 300 }).token.reveal();
  const caller = store.sessions.find(token);
  assert.equal(store.sessions.find(token), caller);
});

Deno.test("a caller carries the vault's new name after a rename", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  const { token, id } = store.sessions.create({ vault: "default", ttlSeconds: 300 });
  store.sessions.find(token.reveal());
  store.vaults.rename("default", "renamed");
  const caller = store.sessions.find(token.reveal())!;
  assert.equal(caller.vaultName, "renamed");
  assert.equal(caller.actorName, id);
  assert.equal(caller.actorType, "session");
});

Deno.test("expired sessions are dropped when another one is created", async () => {
  using home = temporaryHome();
  let now = 0;
  using store = await Store.create(home.path, { now: () => now });
  const old = store.sessions.create({ vault: "default", ttlSeconds: 300 });
  now = 300_000;
  store.sessions.create({ vault: "default", ttlSeconds: 300 });
  assert.equal(store.sessions.revoke(old.id), false);
});
