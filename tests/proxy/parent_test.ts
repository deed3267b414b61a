import assert from "node:assert/strict";
import { Secret } from "../../src/model/secret.ts";
import type { ParentProxy } from "../../src/proxy/ports.ts";
import { statusOf } from "../support/raw_client.ts";
import { testAuthority, testCertificate } from "../support/tls_fixture.ts";
import { rawResponse, startUpstream, type UpstreamConnection } from "../support/upstream.ts";
import { TestBroker } from "./fixture.ts";

const bearer = { auth: { type: "bearer", token: "KEY" } } as const;

function parentAt(port: number, credentials?: string): ParentProxy {
  return {
    hostname: "127.0.0.1",
    port,
    authorization: credentials === undefined ? undefined : new Secret(`Basic ${btoa(credentials)}`),
    variable: "HTTPS_PROXY",
  };
}

/** A parent proxy that answers every CONNECT with these bytes and copies to a port of loopback. */
async function tunnelTo(
  connection: UpstreamConnection,
  options: { port: number; answer?: string; heads: string[] },
): Promise<void> {
  const head = await connection.readHead();
  if (head === undefined) return;
  options.heads.push(head.head);
  await connection.send(options.answer ?? "HTTP/1.1 200 OK\r\n\r\n");
  const upstream = await Deno.connect({ hostname: "127.0.0.1", port: options.port });
  try {
    await Promise.race([copy(connection.socket, upstream), copy(upstream, connection.socket)]);
  } finally {
    upstream.close();
  }
}

/** Copies until either side ends. */
async function copy(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(16 * 1024);
  try {
    for (let count; (count = await from.read(buffer)) !== null;) {
      await to.write(buffer.subarray(0, count));
    }
  } catch {
    // The other direction has ended and closed both.
  }
}

Deno.test("a guarded address stays guarded behind a parent proxy", async () => {
  await using parent = startUpstream();
  await using broker = new TestBroker({
    resolve: () => Promise.resolve(["169.254.169.254"]),
    selectParent: () => parentAt(parent.port),
  });
  using client = await broker.connect();
  const answer = await client.exchange(
    `GET http://metadata.test/ HTTP/1.1\r\nHost: a\r\nProxy-Authorization: ${broker.authorization}\r\n\r\n`,
  );
  assert.equal(statusOf(answer), 403);
  assert.deepEqual(answer.values("x-broker-error"), ["network_blocked"]);
  assert.equal(parent.accepted, 0);
});

Deno.test("https goes through a parent's CONNECT with its credentials, verified end to end", async () => {
  const heads: string[] = [];
  await using upstream = startUpstream({ tls: testCertificate("api.test") });
  await using parent = startUpstream({
    serve: (connection) => tunnelTo(connection, { port: upstream.port, heads }),
  });
  await using broker = new TestBroker({
    services: [{ host: "api.test", ...bearer }],
    credentials: { KEY: "s3cret" },
    // A name that only the parent knows.
    resolve: (name) => Promise.resolve(name === "127.0.0.1" ? ["127.0.0.1"] : []),
    selectParent: () => parentAt(parent.port, "me:pass"),
  });
  using client = await broker.tunnel("api.test:443");
  const answer = await client.exchange("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
  assert.equal(statusOf(answer), 200);
  assert.deepEqual(heads, [
    "CONNECT api.test:443 HTTP/1.1\r\nHost: api.test:443\r\n" +
    `Proxy-Authorization: Basic ${btoa("me:pass")}\r\n\r\n`,
  ]);
  assert.deepEqual(upstream.requests[0]!.values("authorization"), ["Bearer s3cret"]);
  assert.deepEqual(upstream.requests[0]!.values("proxy-authorization"), []);
});

Deno.test("a blind tunnel goes through the parent too", async () => {
  const heads: string[] = [];
  await using upstream = startUpstream({ tls: testCertificate("other.test") });
  await using parent = startUpstream({
    serve: (connection) => tunnelTo(connection, { port: upstream.port, heads }),
  });
  await using broker = new TestBroker({
    resolve: () => Promise.resolve([]),
    selectParent: () => parentAt(parent.port),
  });
  using client = await broker.connect();
  await client.openTunnel("other.test:443", {
    authorization: broker.authorization,
    caCerts: [testAuthority().certificatePem],
  });
  assert.equal(statusOf(await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")), 200);
  assert.equal(heads.length, 1);
});

Deno.test("plain http goes to the parent in absolute-form with the parent's credentials", async () => {
  await using parent = startUpstream({ respond: () => rawResponse("from the parent") });
  await using broker = new TestBroker({
    services: [{ host: "intern.test:8080", ...bearer }],
    credentials: { KEY: "s3cret" },
    resolve: () => Promise.resolve([]),
    selectParent: () => parentAt(parent.port, "me:pass"),
  });
  using client = await broker.connect();
  const answer = await client.exchange(
    `GET http://intern.test:8080/a?b HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${broker.authorization}\r\n\r\n`,
  );
  assert.equal(statusOf(answer), 200);
  assert.equal(
    parent.requests[0]!.head,
    "GET http://intern.test:8080/a?b HTTP/1.1\r\nHost: intern.test:8080\r\n" +
      `Authorization: Bearer s3cret\r\nProxy-Authorization: Basic ${btoa("me:pass")}\r\n\r\n`,
  );
});

Deno.test("a credential does not go over plain http to a parent for a name nobody can judge", async () => {
  await using parent = startUpstream();
  await using broker = new TestBroker({
    services: [{ host: "public.test", ...bearer }],
    credentials: { KEY: "s3cret" },
    resolve: () => Promise.resolve([]),
    selectParent: () => parentAt(parent.port),
  });
  using client = await broker.connect();
  const answer = await client.exchange(
    `GET http://public.test/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${broker.authorization}\r\n\r\n`,
  );
  assert.deepEqual(answer.values("x-broker-error"), ["plaintext_refused"]);
  assert.equal(parent.accepted, 0);
});

const BROKEN: readonly [what: string, answer: string | undefined, code: string, text: RegExp][] = [
  [
    "refuses",
    "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
    "upstream_unreachable",
    /status 403/,
  ],
  [
    "wants other credentials",
    "HTTP/1.1 407 Auth\r\n\r\n",
    "upstream_unreachable",
    /USER:PASSWORD@/,
  ],
  ["speaks no HTTP", "220 ready\r\n\r\n", "upstream_unreachable", /as a proxy does/],
  ["closes", undefined, "upstream_unreachable", /as a proxy does/],
  ["is silent", "", "upstream_timeout", /in time/],
];

for (const [what, text, code, message] of BROKEN) {
  Deno.test(`a parent that ${what} gives ${code} inside the tunnel`, async () => {
    await using parent = startUpstream({
      serve: async (connection) => {
        await connection.readHead();
        if (text === undefined) return;
        await connection.send(text);
        await connection.readHead();
      },
    });
    await using broker = new TestBroker({
      services: [{ host: "api.test" }],
      selectParent: () => parentAt(parent.port),
      limits: { connectMs: 300 },
    });
    using client = await broker.tunnel("api.test:443");
    const answer = await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert.deepEqual(answer.values("x-broker-error"), [code]);
    assert.match(new TextDecoder().decode(answer.body), message);
  });
}

Deno.test("a parent's 407 to plain http is not passed on as if the broker asked", async () => {
  await using parent = startUpstream({
    respond: () => rawResponse("", { status: "407 Proxy Authentication Required" }),
  });
  await using broker = new TestBroker({ selectParent: () => parentAt(parent.port), guard: open });
  using client = await broker.connect();
  const answer = await client.exchange(
    `GET http://any.test/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${broker.authorization}\r\n\r\n`,
  );
  assert.equal(statusOf(answer), 502);
  assert.deepEqual(answer.values("x-broker-error"), ["upstream_unreachable"]);
});

const open = { check: () => ({ allowed: true } as const) };
