import assert from "node:assert/strict";
import { createFake, TOKEN } from "./fake_ports.ts";

const PATH = "/v1/vaults/default/settings";

for (
  const json of [
    {},
    [],
    null,
    "deny",
    { unmatched_host_policy: "Deny" },
    { unmatched_host_policy: null },
    { unmatched_host_policy: "deny", unmatched_policy: "deny" },
  ]
) {
  Deno.test(`PATCH settings refuses ${JSON.stringify(json)} and changes nothing`, async () => {
    const fake = createFake();
    const answer = await fake.call("PATCH", PATH, { token: TOKEN.operator, json });
    assert.equal(answer.status, 400);
    const body = await answer.json();
    assert.equal(body.error, "validation_failed");
    assert.equal(body.issues.length, 1);
    assert.equal(fake.settings.get("default")?.unmatchedHostPolicy, "passthrough");
  });
}

Deno.test("PATCH settings stores the policy and answers it; GET answers it again", async () => {
  const fake = createFake();
  for (const policy of ["deny", "passthrough"]) {
    const json = { unmatched_host_policy: policy };
    const patched = await fake.call("PATCH", PATH, { token: TOKEN.operator, json });
    assert.equal(patched.status, 200);
    assert.deepEqual(await patched.json(), json);
    const got = await fake.call("GET", PATH, { token: TOKEN.operator });
    assert.deepEqual(await got.json(), json);
  }
  assert.equal(fake.settings.get("default")?.plaintextCredentials, "local");
});

Deno.test("settings of a vault that is not there get 404", async () => {
  const answer = await createFake().call("GET", "/v1/vaults/nowhere/settings", {
    token: TOKEN.operator,
  });
  assert.equal(answer.status, 404);
});
