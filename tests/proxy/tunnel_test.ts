/** What a CONNECT tunnel may carry beside HTTPS. */
import assert from "node:assert/strict";
import { latin1Text } from "../support/bytes.ts";
import { statusOf } from "../support/raw_client.ts";
import { testCertificate } from "../support/tls_fixture.ts";
import { startUpstream } from "../support/upstream.ts";
import { TestBroker, type TestVault } from "./fixture.ts";
import { assertLogged, assertRefusal, proposalHint } from "./refusal.ts";

const bearer: TestVault = {
  services: [{ host: "api.test", auth: { type: "bearer", token: "KEY" } }],
  credentials: { KEY: "s3cret" },
};

/** Greets in lines, as many old protocols do. */
const lines = {
  serve: async (
    connection: Parameters<
      NonNullable<NonNullable<Parameters<typeof startUpstream>[0]>["serve"]>
    >[0],
  ) => {
    while (true) {
      const line = await connection.reader.takeThroughOrEnd("\n");
      if (line === undefined) return;
      await connection.send(`echo ${latin1Text(line)}`);
    }
  },
};

Deno.test("a CONNECT with a body gets 400 and closes the connection", async () => {
  for (const framing of ["Content-Length: 1", "Transfer-Encoding: chunked"]) {
    await using broker = new TestBroker(bearer);
    using client = await broker.connect();
    const answer = await client.exchange(
      `CONNECT api.test:443 HTTP/1.1\r\nHost: api.test:443\r\nProxy-Authorization: ${broker.authorization}\r\n${framing}\r\n\r\n`,
    );
    const expected = { status: 400, code: "bad_request" };
    await assertLogged(broker, assertRefusal(answer, expected), expected);
    assert.equal((await client.readToEnd()).length, 0);
  }
});

Deno.test("a CONNECT within a tunnel gets 400", async () => {
  await using broker = new TestBroker(bearer);
  using client = await broker.tunnel("api.test:443");
  const answer = await client.exchange("CONNECT api.test:443 HTTP/1.1\r\nHost: a\r\n\r\n");
  assertRefusal(answer, { status: 400, code: "bad_request" });
});

Deno.test("a request within a tunnel cannot name another host than its CONNECT did", async () => {
  await using upstream = startUpstream({ tls: testCertificate("api.test") });
  await using broker = new TestBroker(bearer);
  const target = `api.test:${upstream.port}`;
  for (const url of [`https://other.test:${upstream.port}/`, "https://api.test/"]) {
    using client = await broker.tunnel(target);
    const answer = await client.exchange(`GET ${url} HTTP/1.1\r\nHost: a\r\n\r\n`);
    assertRefusal(answer, { status: 400, code: "bad_request" });
  }
  assert.equal(upstream.requests.length, 0);
  using client = await broker.tunnel(target);
  const answer = await client.exchange(`GET https://${target}/x HTTP/1.1\r\nHost: a\r\n\r\n`);
  assert.equal(statusOf(answer), 200);
  assert.equal(upstream.requests[0]!.startLine, "GET /x HTTP/1.1");
});

Deno.test("plain HTTP within CONNECT is brokered as plain HTTP", async () => {
  await using upstream = startUpstream();
  await using broker = new TestBroker(bearer);
  using client = await broker.connect();
  await client.openTunnel(`api.test:${upstream.port}`, { authorization: broker.authorization });
  for (const path of ["/a", "/b"]) {
    const answer = await client.exchange(`GET ${path} HTTP/1.1\r\nHost: elsewhere\r\n\r\n`);
    assert.equal(statusOf(answer), 200);
  }
  assert.equal(
    upstream.requests[1]!.head,
    `GET /b HTTP/1.1\r\nHost: api.test:${upstream.port}\r\nAuthorization: Bearer s3cret\r\n\r\n`,
  );
});

Deno.test("plain HTTP within CONNECT puts no credential on the way to a public address", async () => {
  await using broker = new TestBroker({
    ...bearer,
    resolve: () => Promise.resolve(["8.8.8.8"]),
  });
  using client = await broker.connect();
  await client.openTunnel("api.test:80", { authorization: broker.authorization });
  const answer = await client.exchange("GET / HTTP/1.1\r\nHost: api.test\r\n\r\n");
  assertRefusal(answer, { status: 403, code: "plaintext_refused" });
});

Deno.test("plain HTTP within CONNECT to a refused host is told why", async () => {
  await using broker = new TestBroker({ cleared: true });
  using client = await broker.connect();
  await client.openTunnel("api.test:80", { authorization: broker.authorization });
  const answer = await client.exchange("GET / HTTP/1.1\r\nHost: api.test\r\n\r\n");
  assertRefusal(answer, {
    status: 403,
    code: "no_services",
    extras: proposalHint("api.test"),
  });
});

Deno.test("a method that arrives a byte at a time is taken for HTTP", async () => {
  await using upstream = startUpstream();
  await using broker = new TestBroker(bearer);
  using client = await broker.connect();
  await client.openTunnel(`api.test:${upstream.port}`, { authorization: broker.authorization });
  await client.sendByteByByte("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  assert.equal(statusOf(await client.readResponse()), 200);
});

Deno.test("another protocol within CONNECT passes unread where unmatched traffic passes", async () => {
  await using upstream = startUpstream(lines);
  await using broker = new TestBroker(bearer);
  const client = await broker.connect();
  try {
    await client.openTunnel(`api.test:${upstream.port}`, { authorization: broker.authorization });
    await client.send("ehlo me\n");
    assert.equal(latin1Text(await client.reader.takeThrough("\n")), "echo ehlo me\n");
  } finally {
    client.close();
  }
  const [row] = await broker.rowsReach(1);
  const { ingress, method, host, status, requestBytes, responseBytes, credentialKeys } = row!;
  assert.deepEqual({ ingress, method, host, status, requestBytes, responseBytes, credentialKeys }, {
    ingress: "tunnel",
    method: "CONNECT",
    host: `api.test:${upstream.port}`,
    status: 200,
    requestBytes: 8,
    responseBytes: 13,
    credentialKeys: [],
  });
});

for (
  const [what, end] of [
    ["its session is revoked", (broker: TestBroker) => broker.revoke(TestBroker.token)],
    ["its vault is cleared", (broker: TestBroker) => broker.change({ cleared: true })],
    [
      "its vault denies unmatched hosts",
      (broker: TestBroker) =>
        broker.change({ ...bearer, settings: { unmatchedHostPolicy: "deny" } }),
    ],
  ] as const
) {
  Deno.test(`another protocol within CONNECT is cut when ${what}`, async () => {
    await using upstream = startUpstream(lines);
    await using broker = new TestBroker(bearer);
    using client = await broker.connect();
    await client.openTunnel(`api.test:${upstream.port}`, { authorization: broker.authorization });
    await client.send("ehlo me\n");
    await client.reader.takeThrough("\n");
    end(broker);
    assert.equal((await client.readToEnd()).length, 0);
  });
}

for (
  const [code, vault] of [
    ["forbidden", { ...bearer, settings: { unmatchedHostPolicy: "deny" } }],
    ["no_services", { cleared: true }],
  ] as const
) {
  Deno.test(`another protocol within CONNECT is cut and logged as ${code} where nothing unmatched passes`, async () => {
    await using upstream = startUpstream(lines);
    await using broker = new TestBroker(vault);
    using client = await broker.connect();
    await client.openTunnel(`api.test:${upstream.port}`, { authorization: broker.authorization });
    await client.send("ehlo me\n");
    assert.equal((await client.readToEnd()).length, 0);
    assert.equal(upstream.accepted, 0);
    const [row] = await broker.rowsReach(1);
    assert.deepEqual([row!.ingress, row!.status, row!.errorCode], ["tunnel", 403, code]);
  });
}

for (
  const [code, addresses] of [
    ["dns_failed", []],
    ["network_blocked", ["169.254.169.254"]],
  ] as const
) {
  Deno.test(`another protocol within CONNECT that finds no upstream is logged as ${code}`, async () => {
    await using broker = new TestBroker({ ...bearer, resolve: () => Promise.resolve(addresses) });
    using client = await broker.connect();
    await client.openTunnel("api.test:25", { authorization: broker.authorization });
    await client.send("ehlo me\n");
    assert.equal((await client.readToEnd()).length, 0);
    const [row] = await broker.rowsReach(1);
    assert.equal(row!.errorCode, code);
  });
}

Deno.test("a refusal is logged when the client closes the tunnel without asking anything", async () => {
  await using broker = new TestBroker({ ...bearer, vaults: { second: {} } });
  const client = await broker.connect();
  await client.openTunnel("api.test:443", {
    authorization: `Basic ${btoa(`${TestBroker.token}:second`)}`,
  });
  client.close();
  const [row] = await broker.rowsReach(1);
  assert.deepEqual([row!.ingress, row!.errorCode], ["tunnel", "vault_mismatch"]);
});

Deno.test("a client whose TLS does not trust the broker leaves a row that says so", async () => {
  await using broker = new TestBroker(bearer);
  using client = await broker.connect();
  await assert.rejects(
    client.openTunnel("api.test:443", { authorization: broker.authorization, caCerts: [] }),
  );
  client.close();
  const [row] = await broker.rowsReach(1);
  assert.deepEqual(
    [row!.ingress, row!.method, row!.host, row!.path, row!.status, row!.errorCode, row!.vault],
    ["connect", "CONNECT", "api.test", "", 0, "client_tls_failed", "default"],
  );
  const [fault, ...more] = broker.clientFaults;
  assert.match(fault!, /^api\.test: the client (does not trust|closed the connection during)/);
  assert.deepEqual([broker.rows.length, more], [1, []]);
});

Deno.test("a TLS connection that is opened and not used is no fault", async () => {
  await using broker = new TestBroker(bearer);
  const client = await broker.tunnel("api.test:443");
  client.close();
  await broker.proxy.stop();
  assert.deepEqual([broker.rows, broker.clientFaults], [[], []]);
});

Deno.test("bytes that only look like TLS end the tunnel", async () => {
  await using broker = new TestBroker(bearer);
  using client = await broker.connect();
  await client.openTunnel("api.test:443", { authorization: broker.authorization });
  await client.send("\x16garbage that no handshake begins with\n");
  await client.readToEnd();
});
