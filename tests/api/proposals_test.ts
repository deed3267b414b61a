import assert from "node:assert/strict";
import type { ApiPorts } from "../../src/api/ports.ts";
import type { Proposal } from "../../src/model/proposal.ts";
import { Secret } from "../../src/model/secret.ts";
import { Store } from "../../src/store/store.ts";
import { temporaryHome } from "../store/temporary_home.ts";
import { CANARY, createFake, type Fake, HOST, NOW, service, TOKEN } from "./fake_ports.ts";

const PATH = "/v1/proposals";
const BODY = {
  services: [{
    action: "set",
    name: "stripe",
    host: "api.stripe.test",
    auth: { type: "bearer", token: "STRIPE_KEY" },
  }],
  credentials: [{ key: "STRIPE_KEY", description: "a key", obtain: "https://stripe.test/keys" }],
  message: "billing",
  user_message: "I need it",
};

/** The API over a real store with the fake's vaults, and what was announced. */
class Scene implements AsyncDisposable {
  readonly fake: Fake;
  readonly store: Store;
  readonly announced: Proposal[] = [];
  readonly stop = new AbortController();
  readonly #home: Disposable;

  private constructor(store: Store, home: Disposable) {
    this.store = store;
    this.#home = home;
    const ports: Partial<ApiPorts> = {
      vaults: store.vaults,
      services: store.services,
      credentials: store.credentials,
      proposals: store.proposals,
      revision: () => store.revision(),
      stopping: this.stop.signal,
      announce: (proposal) => void this.announced.push(proposal),
    };
    this.fake = createFake(ports);
  }

  static async open(): Promise<Scene> {
    const home = temporaryHome();
    const store = await Store.create(home.path, { now: () => NOW });
    store.vaults.create("work");
    store.credentials.set("default", [{ key: "GITHUB_TOKEN", value: new Secret(CANARY) }]);
    store.services.upsert("default", [
      service({ name: "github", host: "api.github.com" }),
      service({ name: "shop-a", host: "shop.test/a/*", auth: { type: "passthrough" } }),
      service({ name: "shop-b", host: "shop.test/b/*", auth: { type: "passthrough" } }),
    ]);
    return new Scene(store, home);
  }

  /** Sends a request and gives the status and the document, which never holds a value. */
  async call(method: string, path: string, options: Parameters<Fake["call"]>[2] = {}) {
    const answer = await this.fake.call(method, path, options);
    const text = await answer.text();
    assert.ok(!text.includes("canary-"), text);
    // deno-lint-ignore no-explicit-any -- the assertions are the check of its shape
    return { status: answer.status, body: JSON.parse(text) as any };
  }

  async propose(json: unknown = BODY, token: string = TOKEN.session) {
    return await this.call("POST", PATH, { token, json });
  }

  // deno-lint-ignore require-await -- the interface of `await using`
  async [Symbol.asyncDispose](): Promise<void> {
    this.store.close();
    this.#home[Symbol.dispose]();
  }
}

for (const path of [`${PATH}/1/approve`, `${PATH}/1/reject`]) {
  for (const token of [TOKEN.session, TOKEN.agent]) {
    Deno.test(`POST ${path} is not for ${token}: the proposal stays pending`, async () => {
      await using scene = await Scene.open();
      await scene.propose();
      const headers = { "X-Vault": "default" };
      const { status, body } = await scene.call("POST", path, { token, headers, json: {} });
      assert.equal(status, 403);
      assert.equal(body.error, "forbidden");
      assert.match(body.hint, /in another terminal/);
      assert.equal(scene.store.proposals.get("default", 1).status, "pending");
    });
  }
}

Deno.test("the token of the approval link is no bearer token: it approves nothing and reads nothing here", async () => {
  await using scene = await Scene.open();
  const { body } = await scene.propose();
  const token = new URL(body.approval_url).searchParams.get("token")!;
  for (const [method, path] of [["POST", `${PATH}/1/approve`], ["GET", `${PATH}/1`]] as const) {
    const { status } = await scene.call(method, path, {
      token,
      ...(method === "POST" && { json: {} }),
    });
    assert.equal(status, 401, path);
  }
});

Deno.test("an agent token reads only proposals of its vaults, and has to name one", async () => {
  await using scene = await Scene.open();
  await scene.propose();
  const get = (headers: Record<string, string>, token: string = TOKEN.agent) =>
    scene.call("GET", `${PATH}/1`, { token, headers });
  assert.equal((await get({})).body.error, "vault_required");
  assert.equal((await get({ "X-Vault": "default" })).status, 200);
  assert.equal((await get({ "X-Vault": "work" })).status, 404);
  assert.equal((await get({ "X-Vault": "default" }, TOKEN.stranger)).status, 403);
  assert.equal((await get({ "X-Vault": "work" }, TOKEN.session)).body.error, "vault_mismatch");
});

Deno.test("a proposal is created, announced, listed and read without values", async () => {
  await using scene = await Scene.open();
  const { status, body } = await scene.propose({
    ...BODY,
    credentials: [...BODY.credentials, { key: "GIVEN_KEY", value: "canary-from-the-agent" }],
  });
  assert.equal(status, 201);
  assert.deepEqual([body.id, body.status, body.vault], [1, "pending", "default"]);
  assert.match(body.approval_url, new RegExp(`^http://${HOST}/approve/1\\?token=brk_appr_`));
  assert.match(body.message, /broker vault proposal approve 1 --vault default/);
  assert.deepEqual(scene.announced.map(({ id }) => id), [1]);
  const one = await scene.call("GET", `${PATH}/1`, { token: TOKEN.session });
  assert.deepEqual(one.body, {
    id: 1,
    status: "pending",
    vault: "default",
    services: [{ ...BODY.services[0], enabled: true, substitutions: [] }],
    credentials: [
      {
        key: "STRIPE_KEY",
        description: "a key",
        obtain: "https://stripe.test/keys",
        obtain_instructions: "",
        value_supplied: false,
      },
      {
        key: "GIVEN_KEY",
        description: "",
        obtain: "",
        obtain_instructions: "",
        value_supplied: true,
      },
    ],
    message: "billing",
    user_message: "I need it",
    created_by: { type: "session", name: "s1" },
    created_at: "2030-01-01T00:00:00.000Z",
    expires_at: "2030-01-08T00:00:00.000Z",
    reviewed_at: null,
    reject_reason: null,
  });
  const list = (query: string) => scene.call("GET", PATH + query, { token: TOKEN.session });
  assert.equal((await list("")).body.proposals.length, 1);
  assert.equal((await list("?status=pending")).body.proposals.length, 1);
  assert.equal((await list("?status=applied")).body.proposals.length, 0);
  assert.equal((await list("?status=open")).status, 400);
});

Deno.test("every fault of a proposal is named at once, and nothing is stored or announced", async () => {
  await using scene = await Scene.open();
  const { status, body } = await scene.propose({
    services: [
      { ...BODY.services[0], host: "a.test/**" },
      { action: "set", name: "x-y", host: "b.test", auth: { type: "bearer", token: "NOPE" } },
      { action: "set", host: "c.test", auth: { type: "bearer", token: "NOPE" } },
      { action: "set", host: "d.test" },
    ],
    credentials: [{ key: "low" }],
    mesage: "x",
  });
  assert.equal(status, 400);
  assert.equal(body.error, "validation_failed");
  assert.deepEqual(
    body.issues.map(({ path }: { path: unknown[] }) => path.join(".")).sort(),
    [
      "credentials.0.key",
      "mesage",
      "services.0.host",
      "services.1.auth.token",
      "services.2.auth.token",
      "services.2.name",
      "services.3.auth",
      "services.3.name",
    ],
  );
  assert.deepEqual(scene.announced, []);
  assert.deepEqual(scene.store.proposals.list("default"), []);
});

Deno.test("a bare host to delete that services share gets 409 with candidates", async () => {
  await using scene = await Scene.open();
  const { status, body } = await scene.propose({
    services: [{ action: "delete", host: "shop.test" }],
  });
  assert.equal(status, 409);
  assert.equal(body.error, "ambiguous_host");
  assert.deepEqual(body.candidates.map(({ name }: { name: string }) => name), ["shop-a", "shop-b"]);
});

Deno.test("the twenty-first pending proposal gets 429", async () => {
  await using scene = await Scene.open();
  for (let count = 0; count < 20; count++) assert.equal((await scene.propose()).status, 201);
  const { status, body } = await scene.propose();
  assert.equal(status, 429);
  assert.equal(body.error, "too_many_proposals");
});

const ANSWERS:
  readonly (readonly [state: string, prepare: (store: Store) => void, code: string])[] = [
    ["applied", (store) => {
      const values = new Map([["STRIPE_KEY", new Secret("x")]]);
      store.proposals.approve("default", 1, { values });
    }, "proposal_applied"],
    ["rejected", (store) => store.proposals.reject("default", 1, ""), "proposal_rejected"],
  ];

for (const [state, prepare, code] of ANSWERS) {
  Deno.test(`a decision about an ${state} proposal gets 409 ${code}`, async () => {
    await using scene = await Scene.open();
    await scene.propose();
    prepare(scene.store);
    for (const action of ["approve", "reject"]) {
      const path = `${PATH}/1/${action}?vault=default`;
      const { status, body } = await scene.call("POST", path, { token: TOKEN.operator, json: {} });
      assert.deepEqual([status, body.error], [409, code]);
    }
  });
}

Deno.test("an operator sees the review, gives the value with its digest, and it is applied", async () => {
  await using scene = await Scene.open();
  await scene.propose();
  const operator = { token: TOKEN.operator, headers: { "X-Vault": "default" } };
  const { body } = await scene.call("GET", `${PATH}/1`, operator);
  assert.equal(body.review.services[0].action, "add");
  assert.deepEqual(body.review.credentials[0].source, "person");
  const approve = (json: unknown) => scene.call("POST", `${PATH}/1/approve`, { ...operator, json });
  const missing = await approve({ digest: body.digest });
  assert.deepEqual([missing.status, missing.body.error], [400, "values_missing"]);
  assert.deepEqual(missing.body.missing, ["STRIPE_KEY"]);
  const credentials = { STRIPE_KEY: "canary-from-the-person" };
  const changed = await approve({ credentials, digest: "another" });
  assert.deepEqual([changed.status, changed.body.error], [409, "vault_changed"]);
  const done = await approve({ credentials, digest: body.digest });
  assert.deepEqual([done.status, done.body.status], [200, "applied"]);
  assert.equal(
    scene.store.credentials.get("default", "STRIPE_KEY").reveal(),
    "canary-from-the-person",
  );
  assert.ok(scene.store.services.list("default").some(({ name }) => name === "stripe"));
});

Deno.test("an operator rejects with a reason that the agent reads", async () => {
  await using scene = await Scene.open();
  await scene.propose();
  const path = `${PATH}/1/reject?vault=default`;
  const { status } = await scene.call("POST", path, {
    token: TOKEN.operator,
    json: { reason: "use the test key" },
  });
  assert.equal(status, 200);
  const { body } = await scene.call("GET", `${PATH}/1`, { token: TOKEN.session });
  assert.deepEqual([body.status, body.reject_reason], ["rejected", "use the test key"]);
  assert.equal(body.review, undefined);
});

Deno.test("a request that waits is answered when another process decides", async () => {
  await using scene = await Scene.open();
  await scene.propose();
  const waiting = scene.call("GET", `${PATH}/1?wait=60`, { token: TOKEN.session });
  using other = await Store.open(scene.store.directory, { now: () => NOW });
  other.proposals.reject("default", 1, "");
  assert.equal((await waiting).body.status, "rejected");
});

Deno.test("a request that waits is answered as pending when the server stops", async () => {
  await using scene = await Scene.open();
  await scene.propose();
  const waiting = scene.call("GET", `${PATH}/1?wait=60`, { token: TOKEN.session });
  scene.stop.abort();
  assert.equal((await waiting).body.status, "pending");
});

Deno.test("nothing is looked at for a client that left", async () => {
  await using scene = await Scene.open();
  await scene.propose();
  const answer = await scene.fake.call("GET", `${PATH}/1?wait=60`, { token: TOKEN.session });
  const reader = answer.body!.getReader();
  const read = reader.read();
  await reader.cancel();
  assert.equal((await read).value, undefined);
});

Deno.test("the wait for a proposal whose vault is deleted ends with what it was", async () => {
  await using scene = await Scene.open();
  await scene.propose();
  const waiting = scene.call("GET", `${PATH}/1?wait=60`, { token: TOKEN.session });
  scene.store.vaults.delete("default");
  assert.equal((await waiting).body.status, "pending");
});

for (const wait of ["61", "-1", "1.5", "", "abc"]) {
  Deno.test(`?wait=${wait} is refused`, async () => {
    await using scene = await Scene.open();
    await scene.propose();
    const { status, body } = await scene.call("GET", `${PATH}/1?wait=${wait}`, {
      token: TOKEN.session,
    });
    assert.deepEqual([status, body.error], [400, "validation_failed"]);
  });
}

for (const id of ["0", "01", "x", "2", "9".repeat(30), "%2e%2e"]) {
  Deno.test(`there is no proposal ${id}`, async () => {
    await using scene = await Scene.open();
    await scene.propose();
    const { status } = await scene.call("GET", `${PATH}/${id}`, { token: TOKEN.session });
    assert.equal(status, 404);
  });
}
