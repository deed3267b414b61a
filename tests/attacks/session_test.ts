import assert from "node:assert/strict";
import { proxyBasic, statusOf } from "../support/raw_client.ts";
import { TestBroker } from "../proxy/fixture.ts";
import { Scene } from "./gallery.ts";

Deno.test("attack: a revoked session goes on in the tunnel that it opened", async () => {
  await using scene = new Scene();
  using client = await scene.tunnel();
  assert.equal(statusOf(await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")), 200);
  scene.broker.revoke(TestBroker.token);
  const answer = await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  assert.equal(statusOf(answer), 407);
  assert.equal(scene.upstream.requests.length, 1);
});

Deno.test("attack: a session goes on beyond its expiry in the tunnel that it opened", async () => {
  await using scene = new Scene();
  const expiresAt = Date.now() + 300;
  scene.broker.addCaller("brk_sess_short", { vaultName: "default", expiresAt });
  using client = await scene.broker.connect();
  await client.openTunnel(`api.test:${scene.upstream.port}`, {
    authorization: proxyBasic("brk_sess_short", "default"),
    caCerts: [scene.broker.caPem],
  });
  while (Date.now() <= expiresAt) await new Promise((resolve) => setTimeout(resolve, 10));
  const answer = await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  assert.equal(statusOf(answer), 407);
  assert.equal(scene.upstream.requests.length, 0);
});

const STRANGERS: readonly [what: string, header: string][] = [
  ["no token", ""],
  ["a token that is none", `Proxy-Authorization: ${proxyBasic("brk_sess_guess", "default")}\r\n`],
  ["an empty token", `Proxy-Authorization: ${proxyBasic("", "default")}\r\n`],
  ["the prefix of a token", `Proxy-Authorization: Bearer ${TestBroker.token.slice(0, -1)}\r\n`],
  ["the token in Authorization", `Authorization: Bearer ${TestBroker.token}\r\n`],
  [
    "the token and another",
    `Proxy-Authorization: Bearer ${TestBroker.token}\r\nProxy-Authorization: Bearer x\r\n`,
  ],
  ["a scheme that is none", `Proxy-Authorization: Token ${TestBroker.token}\r\n`],
  ["bad base64", "Proxy-Authorization: Basic !!!!\r\n"],
];

for (const [what, header] of STRANGERS) {
  Deno.test(`attack: ${what} opens a tunnel or gets a request brokered`, async () => {
    await using scene = new Scene();
    const target = `api.test:${scene.upstream.port}`;
    using client = await scene.broker.connect();
    for (const line of [`CONNECT ${target}`, `GET https://${target}/`]) {
      const answer = await client.exchange(`${line} HTTP/1.1\r\nHost: ${target}\r\n${header}\r\n`);
      assert.equal(statusOf(answer), 407, line);
    }
    assert.equal(scene.upstream.accepted, 0);
  });
}
