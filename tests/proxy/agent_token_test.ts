import assert from "node:assert/strict";
import { proxyBasic, statusOf } from "../support/raw_client.ts";
import { testCertificate } from "../support/tls_fixture.ts";
import { startUpstream } from "../support/upstream.ts";
import { TestBroker } from "./fixture.ts";

const VAULT = {
  services: [{ host: "api.test", auth: { type: "bearer", token: "KEY" } } as const],
  credentials: { KEY: "value" },
};

Deno.test("an agent whose grant is to read sends nothing through the vault", async () => {
  await using upstream = startUpstream();
  await using broker = new TestBroker(VAULT);
  broker.addCaller("brk_agt_reader", { grants: [{ vault: "default", role: "read" }] });
  using client = await broker.connect();
  const answer = await client.exchange(
    `GET http://api.test:${upstream.port}/ HTTP/1.1\r\nHost: a\r\n` +
      `Proxy-Authorization: ${proxyBasic("brk_agt_reader", "default")}\r\n\r\n`,
  );
  assert.equal(statusOf(answer), 403);
  assert.deepEqual(answer.values("x-broker-error"), ["vault_mismatch"]);
  assert.equal(upstream.requests.length, 0);
});

Deno.test("a revoked agent token gets 407 in a tunnel that is open", async () => {
  await using upstream = startUpstream({ tls: testCertificate("api.test") });
  await using broker = new TestBroker(VAULT);
  broker.addCaller("brk_agt_one", { grants: [{ vault: "default", role: "proxy" }] });
  const target = `api.test:${upstream.port}`;
  using client = await broker.tunnel(target, proxyBasic("brk_agt_one", "default"));
  const request = `GET / HTTP/1.1\r\nHost: ${target}\r\n\r\n`;
  assert.equal(statusOf(await client.exchange(request)), 200);
  broker.revoke("brk_agt_one");
  assert.equal(statusOf(await client.exchange(request)), 407);
  assert.equal(upstream.requests.length, 1);
});

Deno.test("a grant that is taken back holds from the next request in an open tunnel on", async () => {
  await using upstream = startUpstream({ tls: testCertificate("api.test") });
  await using broker = new TestBroker(VAULT);
  broker.addCaller("brk_agt_one", { grants: [{ vault: "default", role: "proxy" }] });
  const target = `api.test:${upstream.port}`;
  using client = await broker.tunnel(target, proxyBasic("brk_agt_one", "default"));
  const request = `GET / HTTP/1.1\r\nHost: ${target}\r\n\r\n`;
  assert.equal(statusOf(await client.exchange(request)), 200);
  broker.addCaller("brk_agt_one", { grants: [] });
  assert.equal(statusOf(await client.exchange(request)), 403);
  assert.equal(upstream.requests.length, 1);
});
