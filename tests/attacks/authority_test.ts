import assert from "node:assert/strict";
import { proxyBasic, RawClient, statusOf } from "../support/raw_client.ts";
import { testAuthority, testCertificate } from "../support/tls_fixture.ts";
import { rawResponse, startUpstream } from "../support/upstream.ts";
import { TestBroker } from "../proxy/fixture.ts";
import { API_SERVICE, Scene, SECRET } from "./gallery.ts";

/** Lets unmatched names of these tests be dialled on loopback. */
const OPEN = { check: () => ({ allowed: true } as const) };

Deno.test("attack: a foreign Host in a tunnel sends the credential to another site of the same server", async () => {
  await using scene = new Scene();
  using client = await scene.tunnel();
  const answer = await client.exchange("GET / HTTP/1.1\r\nHost: attacker.test\r\n\r\n");
  assert.equal(statusOf(answer), 200);
  assert.deepEqual(scene.upstream.requests[0]!.values("host"), [
    `api.test:${scene.upstream.port}`,
  ]);
});

Deno.test("attack: a tunnel to another host asks for the credential with the service's Host", async () => {
  await using upstream = startUpstream({ tls: testCertificate("attacker.test") });
  await using broker = new TestBroker({
    services: [API_SERVICE, { name: "other", host: "attacker.test" }],
    credentials: { KEY: SECRET },
  });
  using client = await broker.tunnel(`attacker.test:${upstream.port}`);
  await client.exchange("GET / HTTP/1.1\r\nHost: api.test\r\n\r\n");
  assert.ok(!upstream.requests[0]!.head.includes(SECRET));
  assert.deepEqual(upstream.requests[0]!.values("host"), [`attacker.test:${upstream.port}`]);
});

for (const target of ["https://attacker.test/", "http://api.test/", "https://api.test:1/"]) {
  Deno.test(`attack: absolute-form ${target} within a tunnel names another authority`, async () => {
    await using scene = new Scene();
    using client = await scene.tunnel();
    const answer = await client.exchange(`GET ${target} HTTP/1.1\r\nHost: api.test\r\n\r\n`);
    assert.equal(statusOf(answer), 400);
    assert.equal(scene.upstream.requests.length, 0);
  });
}

Deno.test("attack: a CONNECT within a tunnel leads on to another host", async () => {
  await using scene = new Scene();
  using client = await scene.tunnel();
  const answer = await client.exchange(
    "CONNECT attacker.test:443 HTTP/1.1\r\nHost: attacker.test:443\r\n\r\n",
  );
  assert.equal(statusOf(answer), 400);
});

Deno.test("attack: a differently cased or dotted host slips past a disabled service", async () => {
  for (const hostname of ["API.TEST", "api.test.", "Api.Test."]) {
    await using scene = new Scene({ services: [{ ...API_SERVICE, enabled: false }] });
    using client = await scene.broker.connect();
    await client.openTunnel(`${hostname}:${scene.upstream.port}`, {
      authorization: scene.broker.authorization,
      caCerts: [scene.broker.caPem],
      serverName: "api.test",
    });
    const answer = await client.exchange("GET / HTTP/1.1\r\nHost: api.test\r\n\r\n");
    assert.deepEqual(answer.values("x-broker-error"), ["service_disabled"], hostname);
    assert.equal(scene.upstream.requests.length, 0);
  }
});

Deno.test("attack: names that only look like the service's host get its credential", async () => {
  for (const hostname of ["api.test.attacker.test", "xapi.test", "api.tes", "a.api.test"]) {
    await using upstream = startUpstream({ tls: testCertificate(hostname) });
    await using broker = new TestBroker({
      services: [API_SERVICE],
      credentials: { KEY: SECRET },
      guard: OPEN,
    });
    using client = await broker.connect();
    await client.openTunnel(`${hostname}:${upstream.port}`, {
      authorization: broker.authorization,
      caCerts: [testAuthority().certificatePem],
    });
    await client.exchange("GET / HTTP/1.1\r\nHost: api.test\r\n\r\n");
    assert.ok(!upstream.requests[0]!.head.includes(SECRET), hostname);
  }
});

Deno.test("attack: a redirect to another host takes the credential along", async () => {
  await using attacker = startUpstream({ tls: testCertificate("attacker.test") });
  await using upstream = startUpstream({
    tls: testCertificate("api.test"),
    respond: () =>
      rawResponse("", {
        status: "302 Found",
        fields: [`Location: https://attacker.test:${attacker.port}/`],
      }),
  });
  await using broker = new TestBroker({
    services: [API_SERVICE],
    credentials: { KEY: SECRET },
    guard: OPEN,
  });
  using client = await broker.connect();
  const authorized = `Host: x\r\nProxy-Authorization: ${broker.authorization}\r\n\r\n`;
  const redirect = await client.exchange(
    `GET https://api.test:${upstream.port}/ HTTP/1.1\r\n${authorized}`,
  );
  const [location] = redirect.values("location");
  await client.exchange(`GET ${location} HTTP/1.1\r\n${authorized}`);
  assert.ok(upstream.requests[0]!.head.includes(SECRET), "the service's own host gets it");
  assert.ok(!attacker.requests[0]!.head.includes(SECRET));
});

Deno.test("attack: a server that cannot prove the host's name is given the credential", async () => {
  await using impostor = startUpstream({ tls: testCertificate("attacker.test") });
  await using broker = new TestBroker({ services: [API_SERVICE], credentials: { KEY: SECRET } });
  using client = await broker.tunnel(`api.test:${impostor.port}`);
  const answer = await client.exchange("GET / HTTP/1.1\r\nHost: api.test\r\n\r\n");
  assert.deepEqual(answer.values("x-broker-error"), ["upstream_tls_failed"]);
  assert.equal(impostor.requests.length, 0);
});

Deno.test("attack: the client names another vault than its token's", async () => {
  await using scene = new Scene();
  using client = await RawClient.connect(scene.broker.proxy.port);
  await client.openTunnel(`api.test:${scene.upstream.port}`, {
    authorization: proxyBasic(TestBroker.token, "other"),
    caCerts: [scene.broker.caPem],
  });
  const answer = await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  assert.deepEqual(answer.values("x-broker-error"), ["vault_mismatch"]);
  assert.equal(scene.upstream.requests.length, 0);
});
