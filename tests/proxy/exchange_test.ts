import assert from "node:assert/strict";
import { statusOf } from "../support/raw_client.ts";
import { testCertificate } from "../support/tls_fixture.ts";
import { rawResponse, startUpstream } from "../support/upstream.ts";
import { TestBroker } from "./fixture.ts";

const bearer = { auth: { type: "bearer", token: "KEY" } } as const;

Deno.test("a request in an intercepted tunnel reaches the upstream with the credential injected", async () => {
  await using upstream = startUpstream({ tls: testCertificate("api.test") });
  await using broker = new TestBroker({
    services: [{ host: "api.test", ...bearer }],
    credentials: { KEY: "s3cret" },
  });
  using client = await broker.tunnel(`api.test:${upstream.port}`);
  const answer = await client.exchange(
    "GET /v1/x?y=1 HTTP/1.1\r\nHost: elsewhere\r\nAuthorization: mine\r\nauthorization: again\r\nX-Vault: default\r\nA: 1\r\n\r\n",
  );
  assert.equal(statusOf(answer), 200);
  assert.equal(
    upstream.requests[0]!.head,
    `GET /v1/x?y=1 HTTP/1.1\r\nHost: api.test:${upstream.port}\r\nAuthorization: Bearer s3cret\r\nA: 1\r\n\r\n`,
  );
  const [row] = await broker.rowsReach(1);
  assert.deepEqual(
    { ...row, id: "", createdAt: 0, latencyMs: 0 },
    {
      id: "",
      createdAt: 0,
      latencyMs: 0,
      vault: "default",
      ingress: "connect",
      method: "GET",
      host: `api.test:${upstream.port}`,
      path: "/v1/x",
      matchedService: "service-1",
      credentialKeys: ["KEY"],
      status: 200,
      requestBytes: 0,
      responseBytes: 2,
      errorCode: undefined,
      actorType: "session",
      actorName: "tester",
    },
  );
});

Deno.test("an absolute-form https request is opened to the upstream by TLS", async () => {
  await using upstream = startUpstream({ tls: testCertificate("api.test") });
  await using broker = new TestBroker({
    services: [{ host: "api.test", ...bearer }],
    credentials: { KEY: "s3cret" },
  });
  using client = await broker.connect();
  const answer = await client.exchange(
    `GET https://api.test:${upstream.port}/a HTTP/1.1\r\nHost: api.test\r\nProxy-Authorization: ${broker.authorization}\r\n\r\n`,
  );
  assert.equal(statusOf(answer), 200);
  assert.deepEqual(upstream.requests[0]!.values("authorization"), ["Bearer s3cret"]);
  assert.deepEqual(upstream.requests[0]!.values("proxy-authorization"), []);
});

Deno.test("an unmatched tunnel is blind: the client talks TLS with the upstream itself", async () => {
  await using upstream = startUpstream({ tls: testCertificate("other.test") });
  await using broker = new TestBroker({
    services: [{ host: "api.test", ...bearer }],
    guard: { check: () => ({ allowed: true }) },
  });
  using client = await broker.connect();
  const { testAuthority } = await import("../support/tls_fixture.ts");
  await client.openTunnel(`other.test:${upstream.port}`, {
    authorization: broker.authorization,
    caCerts: [testAuthority().certificatePem],
  });
  const answer = await client.exchange("GET / HTTP/1.1\r\nHost: fronted\r\nX-Vault: kept\r\n\r\n");
  assert.equal(statusOf(answer), 200);
  assert.deepEqual(upstream.requests[0]!.values("x-vault"), ["kept"]);
  client.close();
  const [row] = await broker.rowsReach(1);
  assert.equal(row!.ingress, "tunnel");
  assert.ok(row!.requestBytes > 0 && row!.responseBytes > 0);
});

Deno.test("requests of one tunnel share one upstream connection, and answers keep their order", async () => {
  await using upstream = startUpstream({
    tls: testCertificate("api.test"),
    respond: (request) => rawResponse(request.startLine),
  });
  await using broker = new TestBroker({ services: [{ host: "api.test" }] });
  using client = await broker.tunnel(`api.test:${upstream.port}`);
  const paths = Array.from({ length: 20 }, (_, index) => `/${index}`);
  await client.send(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""));
  for (const path of paths) {
    const answer = await client.readResponse();
    assert.equal(new TextDecoder().decode(answer.body), `GET ${path} HTTP/1.1`);
  }
  assert.equal(upstream.accepted, 1);
});
