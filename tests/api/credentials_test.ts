import assert from "node:assert/strict";
import { CANARY, createFake, TOKEN } from "./fake_ports.ts";

const PATH = "/v1/credentials";

Deno.test("faults of a POST are named at once, without a value, and nothing is stored", async () => {
  const fake = createFake();
  const answer = await fake.call("POST", PATH, {
    token: TOKEN.operator,
    json: {
      vault: "work",
      credentials: { "lower": "a", GOOD: "fine", BREAKS: `${CANARY}\r\nX-Injected: 1`, EMPTY: "" },
    },
  });
  assert.equal(answer.status, 400);
  const text = await answer.text();
  assert.doesNotMatch(text, /canary|X-Injected/);
  const { error, issues } = JSON.parse(text);
  assert.equal(error, "validation_failed");
  assert.deepEqual(issues.map(({ path }: { path: string[] }) => path), [
    ["credentials", "lower"],
    ["credentials", "BREAKS"],
    ["credentials", "EMPTY"],
  ]);
  assert.equal(fake.credentials.get("work")?.size, 0);
});

for (
  const json of [
    { vault: "work" },
    { vault: "work", credentials: {} },
    { vault: "work", credentials: [] },
    { vault: "work", credentials: { KEY: 1 } },
    { vault: "work", credentials: { KEY: null } },
    { vault: "work", credentials: { KEY: "x" }, extra: 1 },
    { vault: 1, credentials: { KEY: "x" } },
    JSON.parse('{"vault": "work", "credentials": {"__proto__": "x"}}'),
    null,
  ]
) {
  Deno.test(`POST credentials refuses ${JSON.stringify(json)}`, async () => {
    const fake = createFake();
    const answer = await fake.call("POST", PATH, { token: TOKEN.operator, json });
    assert.equal(answer.status, 400);
    assert.equal((await answer.json()).error, "validation_failed");
    assert.equal(fake.credentials.get("work")?.size, 0);
  });
}

Deno.test("a body and an X-Vault that disagree store nothing", async () => {
  const fake = createFake();
  const answer = await fake.call("POST", PATH, {
    token: TOKEN.operator,
    headers: { "X-Vault": "default" },
    json: { vault: "work", credentials: { KEY: "x" } },
  });
  assert.equal(answer.status, 403);
  assert.equal(fake.credentials.get("work")?.size, 0);
});

Deno.test("a POST without a vault's name is refused", async () => {
  const answer = await createFake().call("POST", PATH, {
    token: TOKEN.operator,
    json: { credentials: { KEY: "x" } },
  });
  assert.equal(answer.status, 400);
  assert.equal((await answer.json()).error, "vault_required");
});

Deno.test("POST stores sealed values and answers their keys", async () => {
  const fake = createFake();
  const answer = await fake.call("POST", PATH, {
    token: TOKEN.operator,
    json: { vault: "work", credentials: { B_KEY: "two words", A_KEY: "ünï" } },
  });
  assert.equal(answer.status, 200);
  assert.deepEqual(await answer.json(), { set: ["B_KEY", "A_KEY"] });
  assert.equal(fake.credentials.get("work")?.get("B_KEY")?.reveal(), "two words");
  assert.equal(fake.credentials.get("work")?.get("A_KEY")?.reveal(), "ünï");
});

Deno.test("GET lists keys for sessions, agent tokens and operators", async () => {
  const fake = createFake();
  const rows: [string, string, Record<string, string>][] = [
    [TOKEN.session, PATH, {}],
    [TOKEN.agent, PATH, { "X-Vault": "default" }],
    [TOKEN.operator, `${PATH}?vault=default`, {}],
  ];
  for (const [token, path, headers] of rows) {
    const answer = await fake.call("GET", path, { token, headers });
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), { keys: ["GITHUB_TOKEN"] });
  }
});

Deno.test("DELETE removes the keys, each once", async () => {
  const fake = createFake();
  const answer = await fake.call("DELETE", PATH, {
    token: TOKEN.operator,
    json: { vault: "default", keys: ["GITHUB_TOKEN", "GITHUB_TOKEN"] },
  });
  assert.equal(answer.status, 200);
  assert.deepEqual(await answer.json(), { deleted: ["GITHUB_TOKEN"] });
  assert.equal(fake.credentials.get("default")?.size, 0);
});

Deno.test("DELETE of a key that is not there gets 404, of none 400", async () => {
  const fake = createFake();
  const absent = await fake.call("DELETE", PATH, {
    token: TOKEN.operator,
    json: { vault: "default", keys: ["NO_SUCH_KEY"] },
  });
  assert.equal(absent.status, 404);
  const none = await fake.call("DELETE", PATH, {
    token: TOKEN.operator,
    json: { vault: "default", keys: [] },
  });
  assert.equal(none.status, 400);
});
