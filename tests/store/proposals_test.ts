import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import type { BrokerError } from "../../src/errors.ts";
import {
  APPROVAL_LINK_LIFE_MS,
  PENDING_PROPOSALS_MAX,
  PROPOSAL_LIFE_MS,
} from "../../src/model/proposal.ts";
import { applyChanges } from "../../src/model/proposal_review.ts";
import { parseProposal } from "../../src/model/proposal_schema.ts";
import { Store } from "../../src/store/store.ts";
import {
  assertThrowsCode,
  filesHolding,
  secret,
  service,
  temporaryHome,
} from "./temporary_home.ts";

const CANARY = "canary-store-8d20-agent";
const PERSONS = "canary-store-8d20-person";
const BY = { type: "session", name: "s1" } as const;
const NOTHING = { values: new Map() };

/** A home with one service and one credential, and a clock that the test moves. */
async function openHome(path: string) {
  const clock = { now: Date.UTC(2030, 0, 1) };
  const store = await Store.create(path, { now: () => clock.now });
  store.services.upsert("default", [service("old-one", { host: "old.test" })]);
  store.credentials.set("default", [{ key: "API_KEY", value: secret("the stored one") }]);
  return { store, clock };
}

function propose(store: Store, body: unknown, vault = "default") {
  const options = {
    existing: store.services.list(vault),
    keys: store.credentials.keys(vault),
  };
  return store.proposals.create(vault, parseProposal(body, options), BY);
}

const NEW_SERVICE = {
  action: "set",
  name: "new-one",
  host: "new.test",
  auth: { type: "basic", username: "NEW_KEY", password: "GIVEN_KEY" },
};

const WHOLE = {
  services: [NEW_SERVICE, { action: "delete", name: "old-one" }],
  credentials: [{ key: "NEW_KEY" }, { key: "GIVEN_KEY", value: CANARY }],
  message: "why",
};

Deno.test("an agent's value is sealed at once, in no file, and gone when the proposal is decided", async () => {
  using home = temporaryHome();
  const { store, clock } = await openHome(home.path);
  propose(store, WHOLE);
  propose(store, WHOLE);
  propose(store, WHOLE);
  const sealed = (): number => {
    const database = new DatabaseSync(`${home.path}/broker.db`);
    const row = database.prepare("SELECT count(*) AS count FROM proposal_values").get();
    database.close();
    return Number(row!["count"]);
  };
  assert.equal(sealed(), 3);
  assert.deepEqual(filesHolding(home.path, CANARY), []);
  store.proposals.approve("default", 1, { values: new Map([["NEW_KEY", secret(PERSONS)]]) });
  assert.equal(sealed(), 2);
  store.proposals.reject("default", 2, "no");
  assert.equal(sealed(), 1);
  clock.now += PROPOSAL_LIFE_MS;
  store.proposals.forgetExpired();
  assert.equal(sealed(), 0);
  store.close();
  for (const value of [CANARY, PERSONS]) assert.deepEqual(filesHolding(home.path, value), []);
});

Deno.test("a sealed value that was moved to another proposal does not open and applies nothing", async () => {
  using home = temporaryHome();
  const { store } = await openHome(home.path);
  const body = { credentials: [{ key: "GIVEN_KEY", value: CANARY }] };
  propose(store, body);
  propose(store, body);
  store.close();
  const database = new DatabaseSync(`${home.path}/broker.db`);
  database.exec(`UPDATE proposal_values SET sealed =
    (SELECT sealed FROM proposal_values WHERE proposal_id = 2) WHERE proposal_id = 1`);
  database.close();
  using again = await Store.open(home.path, { now: () => Date.UTC(2030, 0, 1) });
  assertThrowsCode(() => again.proposals.approve("default", 1, NOTHING), "home_unusable");
  assert.deepEqual(again.credentials.keys("default"), ["API_KEY"]);
});

Deno.test("applying is one change: services and credentials together, the person's value first", async () => {
  using home = temporaryHome();
  const { store } = await openHome(home.path);
  using _ = store;
  propose(store, WHOLE);
  const applied = store.proposals.approve("default", 1, {
    values: new Map([["NEW_KEY", secret(PERSONS)]]),
  });
  assert.equal(applied.status, "applied");
  assert.notEqual(applied.reviewedAt, undefined);
  assert.deepEqual(store.services.list("default").map(({ name }) => name), ["new-one"]);
  assert.equal(store.credentials.get("default", "NEW_KEY").reveal(), PERSONS);
  assert.equal(store.credentials.get("default", "GIVEN_KEY").reveal(), CANARY);
  propose(store, { credentials: [{ key: "GIVEN_KEY", value: "theirs" }] });
  store.proposals.approve("default", 2, { values: new Map([["GIVEN_KEY", secret("mine")]]) });
  assert.equal(store.credentials.get("default", "GIVEN_KEY").reveal(), "mine");
});

for (const table of ["services", "credentials"]) {
  Deno.test(`a write to ${table} that fails leaves neither service, credential nor decision`, async () => {
    using home = temporaryHome();
    const { store } = await openHome(home.path);
    propose(store, WHOLE);
    store.close();
    const database = new DatabaseSync(`${home.path}/broker.db`);
    database.exec(`CREATE TRIGGER broken BEFORE INSERT ON ${table}
      BEGIN SELECT RAISE(ABORT, 'broken'); END`);
    database.close();
    using again = await Store.open(home.path, { now: () => Date.UTC(2030, 0, 1) });
    const values = new Map([["NEW_KEY", secret(PERSONS)]]);
    assert.throws(() => again.proposals.approve("default", 1, { values }));
    assert.deepEqual(again.services.list("default").map(({ name }) => name), ["old-one"]);
    assert.deepEqual(again.credentials.keys("default"), ["API_KEY"]);
    assert.equal(again.proposals.get("default", 1).status, "pending");
  });
}

Deno.test("a value that is missing, bad or of no slot is refused with all keys, and nothing is applied", async () => {
  using home = temporaryHome();
  const { store } = await openHome(home.path);
  using _ = store;
  propose(store, {
    services: [NEW_SERVICE],
    credentials: [{ key: "NEW_KEY" }, { key: "GIVEN_KEY" }],
  });
  const approve = (values: Record<string, string>) => () =>
    store.proposals.approve("default", 1, {
      values: new Map(Object.entries(values).map(([key, value]) => [key, secret(value)])),
    });
  const missing = assertThrowsCode(approve({}), "values_missing");
  assert.deepEqual(missing.details["missing"], ["NEW_KEY", "GIVEN_KEY"]);
  const bad = { NEW_KEY: "x", GIVEN_KEY: `${PERSONS}\r\nX: y` };
  const refused = assertThrowsCode(approve(bad), "validation_failed");
  assert.ok(!JSON.stringify([refused.message, refused.issues]).includes(PERSONS));
  const foreign = assertThrowsCode(
    approve({ NEW_KEY: "x", GIVEN_KEY: "y", [PERSONS]: "z" }),
    "validation_failed",
  );
  assert.ok(!JSON.stringify([foreign.message, foreign.hint, foreign.issues]).includes(PERSONS));
  assert.deepEqual(store.credentials.keys("default"), ["API_KEY"]);
  assert.equal(store.proposals.get("default", 1).status, "pending");
});

Deno.test("a proposal is decided once: each later decision has its own code", async () => {
  using home = temporaryHome();
  const { store, clock } = await openHome(home.path);
  using _ = store;
  for (let count = 0; count < 3; count++) propose(store, { services: [{ ...SIMPLE }] });
  store.proposals.approve("default", 1, NOTHING);
  const rejected = store.proposals.reject("default", 2, "not now");
  assert.equal(rejected.rejectReason, "not now");
  clock.now += PROPOSAL_LIFE_MS;
  assert.equal(store.proposals.get("default", 3).status, "expired");
  const codes = ["proposal_applied", "proposal_rejected", "proposal_expired"] as const;
  for (const [index, code] of codes.entries()) {
    assertThrowsCode(() => store.proposals.approve("default", index + 1, NOTHING), code);
    assertThrowsCode(() => store.proposals.reject("default", index + 1, ""), code);
  }
  assertThrowsCode(() => store.proposals.approve("default", 4, NOTHING), "not_found");
});

const SIMPLE = {
  action: "set",
  name: "new-one",
  host: "new.test",
  auth: { type: "bearer", token: "API_KEY" },
};

Deno.test("seven days less a moment is soon enough", async () => {
  using home = temporaryHome();
  const { store, clock } = await openHome(home.path);
  using _ = store;
  propose(store, { services: [SIMPLE] });
  clock.now += PROPOSAL_LIFE_MS - 1;
  assert.equal(store.proposals.approve("default", 1, NOTHING).status, "applied");
});

const CHANGES: readonly (readonly [name: string, change: (store: Store) => void])[] = [
  [
    "the service of that name came meanwhile",
    (store) =>
      store.services.upsert("default", [
        service("new-one", { host: "theirs.test", auth: { type: "passthrough" } }),
      ]),
  ],
  [
    "the credential goes elsewhere now",
    (store) => store.services.upsert("default", [service("two-two", { host: "b.test" })]),
  ],
  [
    "plain HTTP is allowed now",
    (store) => store.vaults.updateSettings("default", { plaintextCredentials: "always" }),
  ],
];

for (const [name, change] of CHANGES) {
  Deno.test(`an approval of what was not shown is refused: ${name}`, async () => {
    using home = temporaryHome();
    const { store } = await openHome(home.path);
    using _ = store;
    propose(store, { services: [{ ...SIMPLE, host: "new.test:8080" }] });
    const { digest } = store.proposals.review("default", 1);
    assert.equal(store.proposals.review("default", 1).digest, digest);
    change(store);
    const approve = () => store.proposals.approve("default", 1, { values: new Map(), digest });
    assertThrowsCode(approve, "vault_changed");
    assert.equal(store.proposals.get("default", 1).status, "pending");
    const shown = store.proposals.review("default", 1);
    assert.notEqual(shown.digest, digest);
    store.proposals.approve("default", 1, { values: new Map(), digest: shown.digest });
  });
}

Deno.test("a change of the vault that nobody was shown does not stand in the way", async () => {
  using home = temporaryHome();
  const { store } = await openHome(home.path);
  using _ = store;
  propose(store, { services: [SIMPLE] });
  const { digest } = store.proposals.review("default", 1);
  store.credentials.set("default", [{ key: "OTHER", value: secret("x") }]);
  store.services.upsert("default", [
    service("far-away", { host: "far.test", auth: { type: "passthrough" } }),
  ]);
  store.proposals.approve("default", 1, { values: new Map(), digest });
});

Deno.test("what no longer fits the vault is refused without a digest too", async () => {
  using home = temporaryHome();
  const { store } = await openHome(home.path);
  using _ = store;
  propose(store, { services: [SIMPLE] });
  propose(store, { services: [{ action: "delete", name: "old-one" }] });
  store.credentials.delete("default", ["API_KEY"]);
  store.services.remove("default", "old-one");
  for (const id of [1, 2]) {
    const error: BrokerError = assertThrowsCode(
      () => store.proposals.approve("default", id, NOTHING),
      "vault_changed",
    );
    assert.match(error.message, /any more/);
  }
  assert.deepEqual(store.services.list("default"), []);
});

Deno.test("numbers count up in each vault and never return", async () => {
  using home = temporaryHome();
  const { store } = await openHome(home.path);
  using _ = store;
  store.vaults.create("work");
  const body = { credentials: [{ key: "ANY" }] };
  assert.equal(propose(store, body).proposal.id, 1);
  store.proposals.reject("default", 1, "");
  assert.equal(propose(store, body).proposal.id, 2);
  assert.equal(propose(store, body, "work").proposal.id, 1);
  assert.deepEqual(store.proposals.list("default").map(({ id, status }) => [id, status]), [
    [2, "pending"],
    [1, "rejected"],
  ]);
  assert.deepEqual(
    store.proposals.list("default", { status: "pending" }).map(({ id }) => id),
    [2],
  );
  assert.equal(store.proposals.pendingCount("default"), 1);
});

Deno.test("twenty may wait; a decision or their time makes room", async () => {
  using home = temporaryHome();
  const { store, clock } = await openHome(home.path);
  using _ = store;
  const body = { credentials: [{ key: "ANY" }] };
  for (let count = 0; count < PENDING_PROPOSALS_MAX; count++) propose(store, body);
  assertThrowsCode(() => propose(store, body), "too_many_proposals");
  store.proposals.reject("default", 3, "");
  assert.equal(propose(store, body).proposal.id, PENDING_PROPOSALS_MAX + 1);
  assertThrowsCode(() => propose(store, body), "too_many_proposals");
  clock.now += PROPOSAL_LIFE_MS;
  assert.equal(store.proposals.pendingCount("default"), 0);
  propose(store, body);
});

Deno.test("a link's token finds its one proposal for a day and is stored as a hash", async () => {
  using home = temporaryHome();
  const { store, clock } = await openHome(home.path);
  const { token } = propose(store, { credentials: [{ key: "ANY" }] });
  const other = propose(store, { credentials: [{ key: "ANY" }] });
  assert.match(token.reveal(), /^brk_appr_[A-Za-z0-9_-]{43}$/);
  assert.deepEqual(store.proposals.findByToken(token.reveal()), { vault: "default", id: 1 });
  assert.deepEqual(store.proposals.findByToken(other.token.reveal()), { vault: "default", id: 2 });
  assert.equal(store.proposals.findByToken("brk_appr_wrong"), undefined);
  clock.now += APPROVAL_LINK_LIFE_MS;
  assert.equal(store.proposals.findByToken(token.reveal()), undefined);
  store.close();
  assert.deepEqual(filesHolding(home.path, token.reveal()), []);
});

Deno.test("two processes cannot both decide: the second sees the first's decision", async () => {
  using home = temporaryHome();
  const { store } = await openHome(home.path);
  using _ = store;
  propose(store, { services: [SIMPLE] });
  using other = await Store.open(home.path, { now: () => Date.UTC(2030, 0, 1) });
  const before = other.revision();
  store.proposals.approve("default", 1, NOTHING);
  assert.notEqual(other.revision(), before);
  assertThrowsCode(() => other.proposals.reject("default", 1, ""), "proposal_applied");
});

Deno.test("what the review looks ahead to is what the vault then holds, in the same order", async () => {
  using home = temporaryHome();
  const { store } = await openHome(home.path);
  using _ = store;
  const names = ["one-one", "two-two", "three", "old-one"];
  const change = fc.record({
    name: fc.constantFrom(...names),
    isDeleted: fc.boolean(),
    host: fc.constantFrom("a.test", "*.b.test", "c.test:8443/v1/*"),
    enabled: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(change, { selector: ({ name }) => name, minLength: 1 }),
      (changes) => {
        const before = store.services.list("default");
        const services = changes.flatMap(({ name, isDeleted, host, enabled }) => {
          if (!isDeleted) return [{ ...SIMPLE, name, host, enabled }];
          return before.some((one) => one.name === name) ? [{ action: "delete", name }] : [];
        });
        if (services.length === 0) return;
        const { id, services: parsed } = propose(store, { services }).proposal;
        store.proposals.approve("default", id, NOTHING);
        assert.deepEqual(store.services.list("default"), applyChanges(before, parsed));
      },
    ),
    { numRuns: 60 },
  );
});
