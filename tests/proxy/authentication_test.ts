import assert from "node:assert/strict";
import { proxyBasic, type RawClient, statusOf } from "../support/raw_client.ts";
import { testAuthority, testCertificate } from "../support/tls_fixture.ts";
import { startUpstream } from "../support/upstream.ts";
import { TestBroker } from "./fixture.ts";
import { assertLogged, assertRefusal, type ExpectedRefusal } from "./refusal.ts";

const CHALLENGE: ExpectedRefusal = { status: 407, code: "proxy_auth_required" };
const MISMATCH: ExpectedRefusal = { status: 403, code: "vault_mismatch" };
const TOKEN = TestBroker.token;

interface Presented {
  readonly name: string;
  readonly fields: readonly string[];
  /** The vault that brokers the request, or what it is refused with. */
  readonly gives: "default" | "second" | ExpectedRefusal;
}

const TABLE: readonly Presented[] = [
  { name: "nothing", fields: [], gives: CHALLENGE },
  { name: "X-Vault alone", fields: ["X-Vault: default"], gives: CHALLENGE },
  {
    name: "two Proxy-Authorization fields, the first valid",
    fields: [
      `Proxy-Authorization: Bearer ${TOKEN}`,
      "Proxy-Authorization: Bearer other",
    ],
    gives: CHALLENGE,
  },
  {
    name: "two equal Proxy-Authorization fields",
    fields: [`Proxy-Authorization: Bearer ${TOKEN}`, `proxy-authorization: Bearer ${TOKEN}`],
    gives: CHALLENGE,
  },
  {
    name: "the token in Authorization",
    fields: [`Authorization: Bearer ${TOKEN}`],
    gives: CHALLENGE,
  },
  { name: "an unknown scheme", fields: [`Proxy-Authorization: Digest ${TOKEN}`], gives: CHALLENGE },
  { name: "an empty value", fields: ["Proxy-Authorization:"], gives: CHALLENGE },
  { name: "a scheme alone", fields: ["Proxy-Authorization: Basic"], gives: CHALLENGE },
  { name: "no base64", fields: ["Proxy-Authorization: Basic %%%"], gives: CHALLENGE },
  {
    name: "an unknown token",
    fields: [`Proxy-Authorization: ${proxyBasic("brk_sess_wrong", "default")}`],
    gives: CHALLENGE,
  },
  {
    name: "the token with one character less",
    fields: [`Proxy-Authorization: Bearer ${TOKEN.slice(0, -1)}`],
    gives: CHALLENGE,
  },
  {
    name: "an expired token",
    fields: ["Proxy-Authorization: Bearer brk_sess_old"],
    gives: CHALLENGE,
  },
  {
    name: "another vault in Basic",
    fields: [`Proxy-Authorization: ${proxyBasic(TOKEN, "second")}`],
    gives: MISMATCH,
  },
  {
    name: "another vault in X-Vault",
    fields: [`Proxy-Authorization: Bearer ${TOKEN}`, "X-Vault: second"],
    gives: MISMATCH,
  },
  {
    name: "a vault that does not exist",
    fields: [`Proxy-Authorization: ${proxyBasic(TOKEN, "none")}`],
    gives: MISMATCH,
  },
  {
    name: "Basic and X-Vault that disagree",
    fields: [`Proxy-Authorization: ${proxyBasic(TOKEN, "default")}`, "X-Vault: second"],
    gives: MISMATCH,
  },
  {
    name: "two X-Vault fields that disagree",
    fields: [`Proxy-Authorization: Bearer ${TOKEN}`, "X-Vault: default", "X-Vault: second"],
    gives: MISMATCH,
  },
  {
    name: "an agent token without a vault",
    fields: ["Proxy-Authorization: Bearer brk_agt_one"],
    gives: MISMATCH,
  },
  {
    name: "an agent token with a vault that it has no grant for",
    fields: [`Proxy-Authorization: ${proxyBasic("brk_agt_one", "default")}`],
    gives: MISMATCH,
  },
  {
    name: "Basic TOKEN:VAULT",
    fields: [`Proxy-Authorization: ${proxyBasic(TOKEN, "default")}`],
    gives: "default",
  },
  { name: "Basic TOKEN:", fields: [`Proxy-Authorization: ${proxyBasic(TOKEN)}`], gives: "default" },
  {
    name: "Basic TOKEN",
    fields: [`Proxy-Authorization: Basic ${btoa(TOKEN)}`],
    gives: "default",
  },
  { name: "Bearer TOKEN", fields: [`Proxy-Authorization: Bearer ${TOKEN}`], gives: "default" },
  {
    name: "scheme and field in any case",
    fields: [`PROXY-AUTHORIZATION: bEARER ${TOKEN}`],
    gives: "default",
  },
  {
    name: "the same vault three times",
    fields: [
      `Proxy-Authorization: ${proxyBasic(TOKEN, "default")}`,
      "X-Vault: default",
      "x-vault: default",
    ],
    gives: "default",
  },
  {
    name: "an agent token with X-Vault",
    fields: ["Proxy-Authorization: Bearer brk_agt_one", "X-Vault: second"],
    gives: "second",
  },
  {
    name: "an agent token with the vault in Basic",
    fields: [`Proxy-Authorization: ${proxyBasic("brk_agt_one", "second")}`],
    gives: "second",
  },
];

function startBroker(): TestBroker {
  const vault = (key: string) => ({
    services: [{ host: "api.test", auth: { type: "bearer", token: "KEY" } } as const],
    credentials: { KEY: key },
  });
  const broker = new TestBroker({
    ...vault("of default"),
    vaults: { second: vault("of second") },
  });
  broker.addCaller("brk_sess_old", { vaultName: "default", expiresAt: Date.now() - 1 });
  broker.addCaller("brk_agt_one", { grants: [{ vault: "second", role: "proxy" }] });
  return broker;
}

for (const { name, fields, gives } of TABLE) {
  const outcome = typeof gives === "string" ? `the vault "${gives}"` : `${gives.status}`;
  Deno.test(`a request that presents ${name} gets ${outcome} in absolute-form`, async () => {
    await using upstream = startUpstream();
    await using broker = startBroker();
    using client = await broker.connect();
    const answer = await client.exchange(
      [`GET http://api.test:${upstream.port}/ HTTP/1.1`, "Host: a", ...fields, "", ""].join("\r\n"),
    );
    await judge(answer, { gives, broker });
    assert.equal(upstream.requests.length, typeof gives === "string" ? 1 : 0);
    if (typeof gives === "string") {
      const [request] = upstream.requests;
      assert.deepEqual(request!.values("authorization"), [`Bearer of ${gives}`]);
      assert.deepEqual(request!.values("proxy-authorization"), []);
      assert.deepEqual(request!.values("x-vault"), []);
    }
    // Whatever came of it, the connection is in step for a request with good credentials.
    const well = await client.exchange(
      `GET http://api.test:${upstream.port}/ HTTP/1.1\r\nHost: a\r\nProxy-Authorization: ${broker.authorization}\r\n\r\n`,
    );
    assert.equal(statusOf(well), 200);
  });

  Deno.test(`a CONNECT that presents ${name} gets ${outcome}`, async () => {
    await using upstream = startUpstream({ tls: testCertificate("api.test") });
    await using broker = startBroker();
    using client = await broker.connect();
    const target = `api.test:${upstream.port}`;
    await client.send(
      [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`, ...fields, "", ""].join("\r\n"),
    );
    if (gives === CHALLENGE) {
      await judge(await client.readResponse(), { gives, broker });
      assert.equal(upstream.accepted, 0);
      return;
    }
    assert.equal(statusOf(await client.readResponse({ method: "CONNECT" })), 200);
    await client.startTls("api.test", { caCerts: [broker.caPem] });
    await judge(await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), { gives, broker });
    assert.equal(upstream.requests.length, typeof gives === "string" ? 1 : 0);
  });
}

async function judge(
  answer: Awaited<ReturnType<RawClient["readResponse"]>>,
  { gives, broker }: { gives: Presented["gives"]; broker: TestBroker },
): Promise<void> {
  if (typeof gives !== "string") {
    return await assertLogged(broker, assertRefusal(answer, gives), gives);
  }
  assert.equal(statusOf(answer), 200);
  const [row] = await broker.rowsReach(1);
  assert.equal(row!.vault, gives);
  assert.equal(row!.actorName, "tester");
}

Deno.test("a bare CONNECT is challenged, and the one with credentials is served on the same connection", async () => {
  // git with http.proxyAuthMethod=anyauth asks first what the proxy wants.
  await using upstream = startUpstream({ tls: testCertificate("api.test") });
  await using broker = startBroker();
  using client = await broker.connect();
  const target = `api.test:${upstream.port}`;
  const bare = await client.exchange(
    `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nProxy-Connection: Keep-Alive\r\n\r\n`,
  );
  assertRefusal(bare, CHALLENGE);
  assert.deepEqual(bare.values("connection"), []);
  await client.openTunnel(target, { authorization: broker.authorization, caCerts: [broker.caPem] });
  assert.equal(statusOf(await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")), 200);
  assert.deepEqual(broker.rows.map((row) => [row.ingress, row.method, row.status]), [
    ["connect", "CONNECT", 407],
    ["connect", "GET", 200],
  ]);
});

for (
  const [what, end] of [
    ["revoked", (broker: TestBroker) => broker.revoke(TOKEN)],
    [
      "expired",
      (broker: TestBroker) =>
        broker.addCaller(TOKEN, { vaultName: "default", expiresAt: Date.now() - 1 }),
    ],
  ] as const
) {
  Deno.test(`the next request of an open tunnel gets 407 when the session was ${what}`, async () => {
    await using upstream = startUpstream({ tls: testCertificate("api.test") });
    await using broker = startBroker();
    using client = await broker.tunnel(`api.test:${upstream.port}`);
    const request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    assert.equal(statusOf(await client.exchange(request)), 200);
    end(broker);
    const answer = await client.exchange(request);
    await assertLogged(broker, assertRefusal(answer, CHALLENGE), CHALLENGE);
    assertRefusal(await client.exchange(request), CHALLENGE);
    assert.equal(upstream.requests.length, 1);
  });

  Deno.test(`the next request in absolute-form gets 407 when the session was ${what}`, async () => {
    await using upstream = startUpstream();
    await using broker = startBroker();
    using client = await broker.connect();
    const request =
      `GET http://api.test:${upstream.port}/ HTTP/1.1\r\nHost: a\r\nProxy-Authorization: ${broker.authorization}\r\n\r\n`;
    assert.equal(statusOf(await client.exchange(request)), 200);
    end(broker);
    assertRefusal(await client.exchange(request), CHALLENGE);
    assert.equal(upstream.requests.length, 1);
  });

  Deno.test(`a blind tunnel is closed when the session was ${what}`, async () => {
    await using upstream = startUpstream({ tls: testCertificate("other.test") });
    await using broker = new TestBroker({ guard: { check: () => ({ allowed: true }) } });
    using client = await openBlind(broker, upstream.port);
    end(broker);
    assert.equal((await client.readToEnd()).length, 0);
    const [row] = await broker.rowsReach(1);
    assert.equal(row!.ingress, "tunnel");
  });
}

Deno.test("a session that expires while its tunnel is open gets 407 without any change of the store", async () => {
  await using upstream = startUpstream({ tls: testCertificate("api.test") });
  await using broker = startBroker();
  const expiresAt = Date.now() + 300;
  broker.addCaller("brk_sess_short", { vaultName: "default", expiresAt });
  using client = await broker.tunnel(`api.test:${upstream.port}`, "Bearer brk_sess_short");
  let answer;
  do answer = await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n"); while (
    statusOf(answer) === 200
  );
  assert.ok(Date.now() >= expiresAt);
  assertRefusal(answer, CHALLENGE);
});

for (
  const [what, vault] of [
    ["a service for its host appears", { services: [{ host: "other.test" }] }],
    ["a disabled service for its host appears", {
      services: [{ host: "*.test", enabled: false }],
    }],
    ["its vault denies unmatched hosts", { settings: { unmatchedHostPolicy: "deny" } }],
    ["the services of its vault are cleared", { cleared: true }],
  ] as const
) {
  Deno.test(`a blind tunnel is closed when ${what}`, async () => {
    await using upstream = startUpstream({ tls: testCertificate("other.test") });
    await using broker = new TestBroker({ guard: { check: () => ({ allowed: true }) } });
    using client = await openBlind(broker, upstream.port);
    broker.change(vault);
    assert.equal((await client.readToEnd()).length, 0);
    // The next CONNECT is opened: the broker's own certificate stands in it.
    using next = await broker.tunnel(`other.test:${upstream.port}`);
    await next.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  });
}

Deno.test("a blind tunnel stays open when a service for another host appears", async () => {
  await using upstream = startUpstream({ tls: testCertificate("other.test") });
  await using broker = new TestBroker({ guard: { check: () => ({ allowed: true }) } });
  using client = await openBlind(broker, upstream.port);
  using doomed = await openBlind(broker, upstream.port, "brk_sess_doomed");
  broker.change({ services: [{ host: "another.test" }] });
  broker.revoke("brk_sess_doomed");
  // When this one is closed, the other has been looked at too.
  await doomed.readToEnd();
  assert.equal(statusOf(await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")), 200);
});

Deno.test("a service that appears while a blind tunnel is being dialled brokers the tunnel", async () => {
  // The tunnel was judged before its name had been resolved, and nobody looked at it again.
  await using upstream = startUpstream({ tls: testCertificate("other.test") });
  let appear = () => {};
  await using broker = new TestBroker({
    guard: { check: () => ({ allowed: true }) },
    resolve: () => {
      appear();
      return Promise.resolve(["127.0.0.1"]);
    },
  });
  appear = () => broker.change({ services: [{ host: "other.test" }] });
  using client = await broker.tunnel(`other.test:${upstream.port}`);
  assert.equal(statusOf(await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")), 200);
  const [row] = await broker.rowsReach(1);
  assert.deepEqual([row!.ingress, row!.matchedService], ["connect", "service-1"]);
});

Deno.test("a session that is revoked while a blind tunnel is being dialled gets 407 in it", async () => {
  await using upstream = startUpstream({ tls: testCertificate("other.test") });
  let revoke = () => {};
  await using broker = new TestBroker({
    guard: { check: () => ({ allowed: true }) },
    resolve: () => {
      revoke();
      return Promise.resolve(["127.0.0.1"]);
    },
  });
  revoke = () => broker.revoke(TOKEN);
  using client = await broker.tunnel(`other.test:${upstream.port}`);
  assertRefusal(await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), CHALLENGE);
});

async function openBlind(
  broker: TestBroker,
  port: number,
  token: string = TOKEN,
): Promise<RawClient> {
  if (token !== TOKEN) broker.addCaller(token, { vaultName: "default" });
  const client = await broker.connect();
  await client.openTunnel(`other.test:${port}`, {
    authorization: proxyBasic(token),
    caCerts: [testAuthority().certificatePem],
  });
  assert.equal(statusOf(await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")), 200);
  return client;
}
