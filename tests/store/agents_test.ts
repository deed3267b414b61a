import assert from "node:assert/strict";
import { BrokerError, type ErrorCode } from "../../src/errors.ts";
import { Store } from "../../src/store/store.ts";
import { filesHolding, temporaryHome } from "./temporary_home.ts";

const PROXY = [{ vault: "default", role: "proxy" }] as const;

function throwsCode(work: () => unknown, code: ErrorCode, hint?: RegExp): void {
  assert.throws(work, (error) => {
    assert.ok(error instanceof BrokerError);
    assert.equal(error.code, code);
    if (hint !== undefined) assert.match(error.hint ?? "", hint);
    return true;
  });
}

Deno.test("unknown, altered and foreign agent tokens find nobody", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  const token = store.agents.create("builder", PROXY).reveal();
  assert.match(token, /^brk_agt_[A-Za-z0-9_-]{43}$/);
  const wrong = [
    "",
    "brk_agt_",
    token.slice(0, -1),
    `${token}x`,
    token.toUpperCase(),
    token.replace("brk_agt_", "brk_sess_"),
    ` ${token}`,
  ];
  for (const text of wrong) assert.equal(store.findCaller(text), undefined, text);
  assert.deepEqual(store.findCaller(token), {
    actorType: "agent",
    actorName: "builder",
    vaultName: undefined,
    grants: PROXY,
    expiresAt: Infinity,
  });
});

Deno.test("a revoked, rotated or deleted agent's token is found no more, also by another process's connection", async () => {
  using home = temporaryHome();
  using one = await Store.create(home.path);
  using two = await Store.open(home.path);
  const ends: [string, (name: string) => unknown][] = [
    ["revoked", (name) => one.agents.revoke(name)],
    ["rotated", (name) => one.agents.rotate(name)],
    ["deleted", (name) => one.agents.delete(name)],
  ];
  for (const [name, end] of ends) {
    const token = one.agents.create(name, PROXY).reveal();
    for (const store of [one, two]) assert.ok(store.findCaller(token), name);
    end(name);
    for (const store of [one, two]) assert.equal(store.findCaller(token), undefined, name);
  }
});

Deno.test("a session that an agent minted ends with its token, its grant, its role and its vault", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.vaults.create("work");
  const grants = [...PROXY, { vault: "work", role: "proxy" }] as const;
  const ends: [string, (name: string) => unknown][] = [
    ["revoke", (name) => store.agents.revoke(name)],
    ["rotate", (name) => store.agents.rotate(name)],
    ["delete", (name) => store.agents.delete(name)],
    ["ungrant", (name) => store.agents.ungrant(name, "work")],
    ["lower-role", (name) => store.agents.grant(name, { vault: "work", role: "read" })],
  ];
  for (const [name, end] of ends) {
    store.agents.create(name, grants);
    const session = store.sessions.create({ vault: "work", ttlSeconds: 300, agent: name });
    const own = store.sessions.create({ vault: "work", ttlSeconds: 300 });
    const caller = store.findCaller(session.token.reveal());
    assert.deepEqual([caller?.actorType, caller?.actorName, caller?.vaultName], [
      "agent",
      name,
      "work",
    ]);
    end(name);
    assert.equal(store.findCaller(session.token.reveal()), undefined, name);
    assert.ok(store.findCaller(own.token.reveal()), `a session of nobody's ends by ${name}`);
  }
});

Deno.test("a revoked agent keeps its name and vaults, and rotating lets it in again", async () => {
  using home = temporaryHome();
  let now = 1_000;
  using store = await Store.create(home.path, { now: () => now });
  store.agents.create("builder", PROXY);
  now = 2_000;
  store.agents.revoke("builder");
  now = 3_000;
  store.agents.revoke("builder");
  assert.deepEqual(store.agents.get("builder"), {
    name: "builder",
    createdAt: 1_000,
    rotatedAt: 1_000,
    revokedAt: 2_000,
    grants: PROXY,
  });
  const token = store.agents.rotate("builder").reveal();
  assert.ok(store.findCaller(token));
  assert.equal(store.agents.get("builder").revokedAt, undefined);
  assert.equal(store.agents.get("builder").rotatedAt, 3_000);
});

Deno.test("grants follow a vault that is renamed and go with one that is deleted", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.vaults.create("work");
  const token = store.agents.create("builder", [{ vault: "work", role: "read" }]).reveal();
  store.vaults.rename("work", "office");
  assert.deepEqual(store.findCaller(token)?.grants, [{ vault: "office", role: "read" }]);
  store.vaults.delete("office");
  assert.deepEqual(store.findCaller(token)?.grants, []);
});

Deno.test("a rename shows in the log's name at once, and to itself changes nothing", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  const token = store.agents.create("builder", PROXY).reveal();
  store.agents.rename("builder", "builder");
  store.agents.rename("builder", "deployer");
  assert.equal(store.findCaller(token)?.actorName, "deployer");
});

Deno.test("bad names, missing agents and vaults are told, and leave nothing behind", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  for (const name of ["", "Builder", "a b", "-a", "a--b", "a".repeat(65)]) {
    throwsCode(() => store.agents.create(name, PROXY), "validation_failed");
  }
  throwsCode(() => store.agents.create("one", [{ vault: "nope", role: "proxy" }]), "not_found");
  assert.deepEqual(store.agents.list(), []);
  store.agents.create("builder", []);
  throwsCode(() => store.agents.create("builder", PROXY), "conflict", /rotate builder/);
  throwsCode(() => store.agents.get("buidler"), "not_found", /builder/);
  throwsCode(() => store.agents.ungrant("builder", "default"), "not_found", /info builder/);
  store.agents.create("other", []);
  throwsCode(() => store.agents.rename("other", "builder"), "conflict");
  throwsCode(() => store.agents.rename("other", "Not Good"), "validation_failed");
});

Deno.test("no agent token is stored", async () => {
  using home = temporaryHome();
  const store = await Store.create(home.path);
  const tokens = [store.agents.create("builder", PROXY), store.agents.rotate("builder")];
  store.close();
  for (const token of tokens) {
    assert.deepEqual(filesHolding(home.path, token.reveal().slice("brk_agt_".length)), []);
  }
});
