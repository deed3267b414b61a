import assert from "node:assert/strict";
import { createFake, NOW, TOKEN } from "./fake_ports.ts";

Deno.test("a session cannot mint its successor", async () => {
  const fake = createFake();
  const answer = await fake.call("POST", "/v1/sessions", {
    token: TOKEN.session,
    json: { vault: "default" },
  });
  assert.equal(answer.status, 403);
  const body = await answer.json();
  assert.equal(body.error, "forbidden");
  assert.match(body.hint, /broker vault run/);
  assert.deepEqual(fake.minted, []);
});

Deno.test("an agent token mints no session for a vault that it was not granted", async () => {
  const fake = createFake();
  const answer = await fake.call("POST", "/v1/sessions", {
    token: TOKEN.stranger,
    json: { vault: "default" },
  });
  assert.equal(answer.status, 403);
  assert.deepEqual(fake.minted, []);
});

Deno.test("an agent token's session ends no later than the token itself, and is the agent's", async () => {
  const fake = createFake();
  const answer = await fake.call("POST", "/v1/sessions", {
    token: TOKEN.agent,
    json: { vault: "work", ttl_seconds: 604_800 },
  });
  assert.equal(answer.status, 200);
  assert.deepEqual(fake.minted, [{ vault: "work", ttlSeconds: 3600, agent: "builder" }]);
});

for (const ttl of [299, 604_801, 0, -1, 3600.5, "3600", null, 1e300]) {
  Deno.test(`ttl_seconds ${JSON.stringify(ttl)} is refused`, async () => {
    const fake = createFake();
    const answer = await fake.call("POST", "/v1/sessions", {
      token: TOKEN.operator,
      json: { vault: "default", ttl_seconds: ttl },
    });
    assert.equal(answer.status, 400);
    const { error, issues } = await answer.json();
    assert.equal(error, "validation_failed");
    assert.deepEqual(issues.map(({ path }: { path: string[] }) => path), [["ttl_seconds"]]);
    assert.deepEqual(fake.minted, []);
  });
}

Deno.test("a misspelt member is refused instead of giving the default life", async () => {
  const answer = await createFake().call("POST", "/v1/sessions", {
    token: TOKEN.operator,
    json: { vault: "default", ttl: 300 },
  });
  assert.equal(answer.status, 400);
});

for (const [ttl, seconds] of [[undefined, 86_400], [300, 300], [604_800, 604_800]] as const) {
  Deno.test(`an operator's session with ttl_seconds ${ttl} lives ${seconds} s`, async () => {
    const fake = createFake();
    const answer = await fake.call("POST", "/v1/sessions", {
      token: TOKEN.operator,
      json: { vault: "default", ttl_seconds: ttl },
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), {
      token: "brk_sess_minted",
      expires_at: new Date(NOW + seconds * 1000).toISOString(),
      vault: "default",
    });
  });
}

Deno.test("X-Vault names the session's vault when the body does not", async () => {
  const fake = createFake();
  await fake.call("POST", "/v1/sessions", {
    token: TOKEN.agent,
    headers: { "X-Vault": "work" },
    json: {},
  });
  assert.equal(fake.minted[0]?.vault, "work");
});
