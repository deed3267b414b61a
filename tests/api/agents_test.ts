import assert from "node:assert/strict";
import { createFake, TOKEN } from "./fake_ports.ts";

const VAULT = { "X-Vault": "watched" };

Deno.test("the read role cannot propose or mint a session, and is told what to ask for", async () => {
  const fake = createFake();
  fake.services.set("watched", []);
  const proposal = await fake.call("POST", "/v1/proposals", {
    token: TOKEN.agent,
    headers: VAULT,
    json: {
      services: [{ action: "set", name: "one", host: "a.test", auth: { type: "passthrough" } }],
    },
  });
  const session = await fake.call("POST", "/v1/sessions", {
    token: TOKEN.agent,
    json: { vault: "watched" },
  });
  for (const answer of [proposal, session]) {
    assert.equal(answer.status, 403);
    const { error, hint } = await answer.json();
    assert.equal(error, "forbidden");
    assert.match(hint, /broker agent grant builder watched:proxy/);
  }
  assert.deepEqual(fake.minted, []);
});

Deno.test("the read role discovers", async () => {
  const fake = createFake();
  fake.services.set("watched", []);
  fake.credentials.set("watched", new Map());
  const answer = await fake.call("GET", "/discover", { token: TOKEN.agent, headers: VAULT });
  assert.deepEqual(await answer.json(), {
    vault: "watched",
    services: [],
    available_credentials: [],
  });
});

Deno.test("the skill is given to anyone, as Markdown", async () => {
  const answer = await createFake().call("GET", "/v1/skills/cli");
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("Content-Type") ?? "", /^text\/markdown/);
  assert.match(await answer.text(), /broker vault proposal create/);
});
