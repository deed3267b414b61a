import assert from "node:assert/strict";
import { statusOf } from "../support/raw_client.ts";
import { Scene } from "./gallery.ts";

/** The credential is for `/public/*` only; each target reads as `/admin` or `/` to some server. */
const SERVICES = [{
  name: "public",
  host: "api.test/public/*",
  auth: { type: "bearer", token: "KEY" },
}] as const;

const ESCAPES = [
  "/public/../admin",
  "/public/%2e%2e/admin",
  "/public/%2E%2E/admin",
  "/public/.%2e/admin",
  "/public/..%2fadmin",
  "/public/..%2Fadmin",
  "/public/%2e%2e%2fadmin",
  "/public/%252e%252e/admin",
  "/public/%252e%252e%252fadmin",
  "/public/..\\admin",
  "/public\\..\\admin",
  "/public/..%5cadmin",
  "/public/..;/admin",
  "/public/..;x=1/admin",
  "/public/x/../../admin",
  "/public/./../admin",
  "/public//../admin",
  "/public/../../../../admin",
  "/public/%2e%2e/%2e%2e/admin",
  "/public/%c0%ae%c0%ae/admin",
];

for (const target of ESCAPES) {
  Deno.test(`attack: ${target} borrows the credential of /public/*`, async () => {
    await using scene = new Scene({ services: SERVICES });
    using client = await scene.tunnel();
    const answer = await client.exchange(`GET ${target} HTTP/1.1\r\nHost: api.test\r\n\r\n`);
    assert.equal(statusOf(answer), 400);
    assert.equal(scene.upstream.requests.length, 0);
  });
}

Deno.test("attack: a path of another rule is asked for with the query that looks like the rule", async () => {
  await using scene = new Scene({
    services: [...SERVICES, { name: "rest", host: "api.test" }],
  });
  using client = await scene.tunnel();
  for (const target of ["/admin?/public/x", "/admin?x=/public/../public/x", "/Public/x"]) {
    await client.exchange(`GET ${target} HTTP/1.1\r\nHost: api.test\r\n\r\n`);
  }
  assert.equal(scene.upstream.requests.length, 3);
  scene.assertNothingInjected();
});
