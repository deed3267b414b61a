import assert from "node:assert/strict";
import { apiRoutes } from "../../src/api/api.ts";
import { type CallOptions, CANARY, createFake, HOST, TOKEN } from "./fake_ports.ts";

const SERVICES = "/v1/vaults/default/services";

/** Requests that reach every route and every kind of fault. */
const EVERY: [method: string, path: string, options?: CallOptions][] = [
  ["GET", "/healthz"],
  ["GET", "/v1/ca.pem"],
  ["GET", "/discover", { token: TOKEN.session }],
  ["GET", "/discover", { token: TOKEN.agent }],
  ["GET", "/discover", { token: CANARY }],
  ["GET", "/discover", { token: TOKEN.session, headers: { Host: "attacker.test" } }],
  ["GET", SERVICES, { token: TOKEN.session }],
  ["GET", `${SERVICES}?name=github`, { token: TOKEN.operator }],
  ["POST", SERVICES, { token: TOKEN.operator, json: { services: [{ auth: CANARY }] } }],
  ["PUT", SERVICES, { token: TOKEN.operator, json: { services: { x: CANARY } } }],
  ["PUT", SERVICES, { token: TOKEN.operator, json: { services: [] } }],
  ["DELETE", SERVICES, { token: TOKEN.operator }],
  ["PATCH", `${SERVICES}/github`, { token: TOKEN.operator, json: { enabled: CANARY } }],
  ["PATCH", `${SERVICES}/github`, { token: TOKEN.operator, json: { enabled: false } }],
  ["DELETE", `${SERVICES}/shop.test`, { token: TOKEN.operator }],
  ["DELETE", `${SERVICES}/github`, { token: TOKEN.operator }],
  ["GET", "/v1/vaults/default/settings", { token: TOKEN.operator }],
  ["PATCH", "/v1/vaults/default/settings", {
    token: TOKEN.operator,
    json: { unmatched_host_policy: CANARY },
  }],
  ["GET", "/v1/credentials", { token: TOKEN.session }],
  ["GET", "/v1/credentials?vault=default&reveal=true&key=GITHUB_TOKEN", { token: TOKEN.operator }],
  ["POST", "/v1/credentials", {
    token: TOKEN.operator,
    json: { vault: "default", credentials: { NEW_KEY: CANARY } },
  }],
  ["POST", "/v1/credentials", {
    token: TOKEN.operator,
    json: { vault: "default", credentials: { "bad key": CANARY, NEW_KEY: `${CANARY}\r\nX: y` } },
  }],
  ["POST", "/v1/credentials", {
    token: TOKEN.operator,
    json: { vault: "default", credentials: { NEW_KEY: [CANARY] } },
  }],
  ["POST", "/v1/credentials", { token: TOKEN.operator, json: { credentials: CANARY } }],
  ["POST", "/v1/credentials", { token: TOKEN.operator, text: `{"credentials": ${CANARY}` }],
  ["POST", "/v1/credentials", { token: TOKEN.session, json: { credentials: { K: CANARY } } }],
  ["DELETE", "/v1/credentials", {
    token: TOKEN.operator,
    json: { vault: "default", keys: ["GITHUB_TOKEN"] },
  }],
  ["POST", "/v1/sessions", { token: TOKEN.operator, json: { vault: "default" } }],
  ["POST", "/v1/sessions", { token: TOKEN.agent, json: { vault: "work", ttl_seconds: CANARY } }],
  ["POST", "/v1/operator/session", { json: { secret: CANARY } }],
  ["POST", "/v1/operator/session", { json: { secret: [CANARY] } }],
  ["DELETE", "/v1/operator/session", { token: TOKEN.operator }],
  ["GET", "/"],
  ["POST", "/sign-in", { form: { secret: CANARY } }],
  ["POST", "/sign-in", { form: { secret: CANARY }, headers: { Accept: "text/html" } }],
  ["GET", "/op/someone/session"],
  ["POST", "/op/someone/sign-out", { form: { csrf: CANARY } }],
  ["GET", "/assets/style.css"],
  ["GET", "/op/someone/"],
  ["GET", "/op/someone/traffic"],
  ["GET", "/approve/1?token=brk_appr_guess"],
  ["GET", "/op/someone/approve/1"],
  ["POST", "/op/someone/approve/1/approve", { form: { "value.KEY": CANARY } }],
  ["POST", "/op/someone/approve/1/reject", { form: { reason: CANARY } }],
  ["POST", "/op/someone/services/github", { form: { enabled: "true" } }],
  ["POST", "/v1/proposals", {
    token: TOKEN.session,
    json: { credentials: [{ key: CANARY, value: `${CANARY}\r\n` }, { key: "K", value: [CANARY] }] },
  }],
  ["POST", "/v1/proposals", { token: TOKEN.session, text: `{"credentials": ${CANARY}` }],
  ["GET", "/v1/proposals", { token: TOKEN.session }],
  ["GET", "/v1/proposals/1", { token: TOKEN.session }],
  ["POST", "/v1/proposals/1/approve?vault=default", {
    token: TOKEN.operator,
    json: { credentials: { [CANARY]: CANARY, KEY: `${CANARY}\r\n` } },
  }],
  ["POST", "/v1/proposals/1/approve?vault=default", {
    token: TOKEN.operator,
    json: { credentials: { KEY: CANARY } },
  }],
  ["POST", "/v1/proposals/1/reject", { token: TOKEN.operator, json: { reason: 1 } }],
  ["GET", "/v1/vaults/default/logs", { token: TOKEN.session }],
  ["GET", "/v1/vaults/default/logs?status=9xx", { token: TOKEN.operator }],
  ["GET", "/v1/skills/cli"],
  ["GET", "/no/such/route"],
  ["OPTIONS", "/discover"],
];

Deno.test("no answer holds a credential's value, asked for or not", async () => {
  for (const [method, path, options] of EVERY) {
    const answer = await createFake().call(method, path, options);
    const text = [...answer.headers].join("\n") + await answer.text();
    assert.ok(!text.includes("canary-"), `${method} ${path} answered ${text}`);
  }
});

Deno.test("every route is among the requests that look for a value", () => {
  for (const { method, path } of apiRoutes(createFake().ports)) {
    const pattern = new RegExp(`^${path.replace(/:[a-z]+/g, "[^/]+")}$`);
    const hit = EVERY.some(([m, p]) => m === method && pattern.test(p.split("?")[0] ?? ""));
    assert.ok(hit, `${method} ${path}`);
  }
});

Deno.test("every answer forbids caching and sniffing, whatever its status", async () => {
  for (const [method, path, options] of EVERY) {
    const answer = await createFake().call(method, path, options);
    assert.equal(answer.headers.get("Cache-Control"), "no-store", path);
    assert.equal(answer.headers.get("X-Content-Type-Options"), "nosniff", path);
    assert.equal(answer.headers.get("Access-Control-Allow-Origin"), null, path);
    await answer.body?.cancel();
  }
});

Deno.test("an unknown path gets a JSON 404, with and without a token", async () => {
  for (
    const path of [
      "/nothing",
      "/assets/none.css",
      "/discover/",
      "/v1/vaults",
      "/v1/vaults//services",
    ]
  ) {
    for (const options of [{}, { token: TOKEN.operator }]) {
      const answer = await createFake().call("GET", path, options);
      assert.equal(answer.status, 404, path);
      assert.equal((await answer.json()).error, "not_found");
    }
  }
});

Deno.test("another method gets 405 with Allow, even from nobody", async () => {
  const rows: [string, string, string][] = [
    ["POST", "/healthz", "GET, HEAD"],
    ["DELETE", "/v1/ca.pem", "GET, HEAD"],
    ["PUT", "/discover", "GET, HEAD"],
    ["PATCH", SERVICES, "GET, HEAD, POST, PUT, DELETE"],
    ["GET", `${SERVICES}/github`, "PATCH, DELETE"],
    ["PUT", "/v1/vaults/default/settings", "GET, HEAD, PATCH"],
    ["PUT", "/v1/credentials", "GET, HEAD, POST, DELETE"],
    ["GET", "/v1/sessions", "POST"],
    ["OPTIONS", "/v1/sessions", "POST"],
    ["PROPFIND", "/discover", "GET, HEAD"],
  ];
  for (const [method, path, allow] of rows) {
    const answer = await createFake().call(method, path);
    assert.equal(answer.status, 405, path);
    assert.equal(answer.headers.get("Allow"), allow, path);
    const body = await answer.json();
    assert.equal(body.error, "method_not_allowed");
    assert.match(body.hint, /^Use /);
  }
});

Deno.test("HEAD gets GET's status and fields without a body", async () => {
  const rows: [string, string | undefined, number][] = [
    ["/healthz", undefined, 200],
    ["/v1/ca.pem", undefined, 200],
    ["/discover", TOKEN.session, 200],
    ["/discover", undefined, 401],
    ["/v1/sessions", undefined, 405],
    ["/nothing", undefined, 404],
  ];
  for (const [path, token, status] of rows) {
    const answer = await createFake().call("HEAD", path, token === undefined ? {} : { token });
    assert.equal(answer.status, status, path);
    assert.equal(answer.body, null, path);
    assert.notEqual(answer.headers.get("Content-Type"), null, path);
  }
});

Deno.test("GET /healthz says ok and the version", async () => {
  const answer = await createFake().call("GET", "/healthz");
  assert.equal(answer.status, 200);
  assert.deepEqual(await answer.json(), { status: "ok", version: "1.2.3" });
});

Deno.test("GET /v1/ca.pem gives the certificate as it stands", async () => {
  const fake = createFake();
  const answer = await fake.call("GET", "/v1/ca.pem");
  assert.equal(answer.headers.get("Content-Type"), "application/x-pem-file");
  assert.equal(await answer.text(), fake.ports.certificatePem);
});

Deno.test("GET /discover lists enabled services and keys by name only", async () => {
  const answer = await createFake().call("GET", "/discover", { token: TOKEN.session });
  assert.deepEqual(await answer.json(), {
    vault: "default",
    services: [
      { name: "github", host: "api.github.com" },
      { name: "shop-a", host: "shop.test/a/*" },
    ],
    available_credentials: ["GITHUB_TOKEN"],
  });
});

Deno.test("the API answers through a real listener, and a rebound name does not", async () => {
  const listening = Promise.withResolvers<number>();
  const fake = createFake();
  // The port is known only after listening, as in the program itself.
  let fetch = (_: Request): Promise<Response> => Promise.reject(new Error("not listening yet"));
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }) => listening.resolve(port),
  }, (request) => fetch(request));
  const port = await listening.promise;
  const { createApi } = await import("../../src/api/api.ts");
  fetch = createApi({ ...fake.ports, hosts: [`127.0.0.1:${port}`] }).fetch;

  const own = await exchange(port, `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`);
  assert.match(own, /^HTTP\/1\.1 200 /);
  for (
    const head of [
      "GET /healthz HTTP/1.1\r\nHost: rebound.attacker.test\r\n",
      `GET http://attacker.test/healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`,
      "GET /healthz HTTP/1.0\r\n",
      `GET /healthz HTTP/1.1\r\nHost: ${HOST}\r\n`,
      "GET /healthz HTTP/1.1\r\nHost: bad host[\r\n",
    ]
  ) {
    assert.match(await exchange(port, head), /^HTTP\/1\.[01] (403|400) /, head);
  }
  await server.shutdown();
});

async function exchange(port: number, head: string): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(`${head}Connection: close\r\n\r\n`));
  return await new Response(connection.readable).text();
}
