import assert from "node:assert/strict";
import { apiRoutes } from "../../src/api/api.ts";
import { createFake, TOKEN } from "./fake_ports.ts";

const routes = apiRoutes(createFake().ports);

/** A path of the fake's own for a route's pattern. */
function pathOf(pattern: string): string {
  return pattern.replace(":vault", "default").replace(":service", "github");
}

const CLOSED = routes.filter(({ access }) => access !== "anyone");

for (const { method, path } of CLOSED) {
  Deno.test(`${method} ${path} without a token gets 401 and the challenge`, async () => {
    const answer = await createFake().call(method, pathOf(path));
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get("WWW-Authenticate"), 'Bearer realm="broker"');
    assert.equal((await answer.json()).error, "unauthorized");
  });
}

const BAD_FIELDS = [
  "Bearer brk_sess_unknown",
  `Bearer ${TOKEN.session}x`,
  `Bearer ${TOKEN.expired}`,
  `Basic ${btoa(`${TOKEN.session}:default`)}`,
  `Bearer ${TOKEN.session} ${TOKEN.session}`,
  `Bearer ${TOKEN.session}, Bearer ${TOKEN.session}`,
  `Bearer${TOKEN.session}`,
  TOKEN.session,
  "Bearer",
  "Bearer ",
  `Bearer ${"a".repeat(10_000)}`,
  "Bearer brk_op_unknown",
];

for (const field of BAD_FIELDS) {
  Deno.test(`Authorization "${field.slice(0, 60)}" gets 401 that does not repeat it`, async () => {
    const fake = createFake();
    for (const path of ["/discover", "/v1/vaults/default/settings"]) {
      const answer = await fake.call("GET", path, { headers: { Authorization: field } });
      assert.equal(answer.status, 401, path);
      assert.doesNotMatch(await answer.text(), /brk_(sess|op)_/);
    }
  });
}

Deno.test("a wrong and an expired token get the same answer", async () => {
  const fake = createFake();
  const wrong = await fake.call("GET", "/discover", { token: "brk_sess_unknown" });
  const expired = await fake.call("GET", "/discover", { token: TOKEN.expired });
  assert.equal(await wrong.text(), await expired.text());
});

Deno.test("a token in the query authenticates nobody", async () => {
  const answer = await createFake().call("GET", `/discover?token=${TOKEN.session}`);
  assert.equal(answer.status, 401);
});

for (const route of routes) {
  if (route.access !== "operator") continue;
  for (const kind of ["session", "agent", "stranger"] as const) {
    Deno.test(`${route.method} ${route.path} refuses the ${kind} and reads no body`, async () => {
      const fake = createFake();
      // Not JSON: had the body been read first, the answer would be 400.
      const text = route.method === "GET" ? {} : { text: "{" };
      const answer = await fake.call(route.method, pathOf(route.path), {
        token: TOKEN[kind],
        headers: { "X-Vault": "default" },
        ...text,
      });
      assert.equal(answer.status, 403);
      const body = await answer.json();
      assert.equal(body.error, "forbidden");
      assert.ok(body.hint.includes(route.command), body.hint);
      assert.match(body.hint, /another terminal/);
      assert.equal(fake.services.get("default")?.length, 3);
      assert.equal(fake.settings.get("default")?.unmatchedHostPolicy, "passthrough");
    });
  }
}

Deno.test("a revoked token is refused at the very next request", async () => {
  let revoked = false;
  const { ports: { callers } } = createFake();
  const fake = createFake({
    callers: { find: (token) => revoked ? undefined : callers.find(token) },
  });
  assert.equal((await fake.call("GET", "/discover", { token: TOKEN.session })).status, 200);
  revoked = true;
  assert.equal((await fake.call("GET", "/discover", { token: TOKEN.session })).status, 401);
});

Deno.test("the scheme's case does not matter", async () => {
  const headers = { Authorization: `bEARER ${TOKEN.session}` };
  assert.equal((await createFake().call("GET", "/discover", { headers })).status, 200);
});
