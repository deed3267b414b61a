import assert from "node:assert/strict";
import { createFake, TOKEN } from "./fake_ports.ts";

function filled(count: number) {
  const fake = createFake();
  for (let i = 1; i <= count; i++) {
    fake.logged.push({
      id: `row-${i}`,
      createdAt: Date.UTC(2030, 0, 1, 0, 0, i),
      vault: i % 5 === 0 ? "work" : "default",
      ingress: "connect",
      method: "GET",
      host: "api.github.com",
      path: "/user",
      matchedService: "github",
      credentialKeys: ["GITHUB_TOKEN"],
      status: 200,
      latencyMs: 1.23456,
      requestBytes: 0,
      responseBytes: 5,
      errorCode: undefined,
      actorType: "session",
      actorName: "s1",
    });
  }
  return fake;
}

const PATH = "/v1/vaults/default/logs";

Deno.test("another vault's log, no token and bad parameters are refused, all faults at once", async () => {
  const fake = filled(3);
  assert.equal((await fake.call("GET", PATH)).status, 401);
  const other = await fake.call("GET", "/v1/vaults/work/logs", { token: TOKEN.session });
  assert.equal((await other.json()).error, "vault_mismatch");
  const bad = await fake.call(
    "GET",
    `${PATH}?limit=0&status=9xx&before=noon&limits=3&after=1&after=2`,
    {
      token: TOKEN.session,
    },
  );
  assert.equal(bad.status, 400);
  const { error, issues } = await bad.json();
  assert.equal(error, "validation_failed");
  assert.deepEqual(issues.map(({ path }: { path: string[] }) => path[0]).sort(), [
    "after",
    "before",
    "limit",
    "limits",
    "status",
  ]);
  for (const limit of ["201", "-1", "ten", ""]) {
    const answer = await fake.call("GET", `${PATH}?limit=${limit}`, { token: TOKEN.session });
    assert.equal(answer.status, 400, limit);
  }
});

Deno.test("a row has the fields of the interface and no other", async () => {
  const answer = await filled(1).call("GET", PATH, { token: TOKEN.session });
  assert.deepEqual(await answer.json(), {
    logs: [{
      id: "row-1",
      created_at: "2030-01-01T00:00:01.000Z",
      ingress: "connect",
      method: "GET",
      host: "api.github.com",
      path: "/user",
      matched_service: "github",
      credential_keys: ["GITHUB_TOKEN"],
      status: 200,
      latency_ms: 1.235,
      request_bytes: 0,
      response_bytes: 5,
      error_code: null,
      actor_type: "session",
      actor_name: "s1",
    }],
    next: null,
    latest: "1",
  });
});

Deno.test("pages go from the newest to the oldest and stay in step while rows arrive", async () => {
  const fake = filled(12);
  const ids: string[] = [];
  let next: string | null = null;
  do {
    const query: string = next === null ? "?limit=4" : `?limit=4&before=${next}`;
    const page = await (await fake.call("GET", PATH + query, { token: TOKEN.operator })).json();
    ids.push(...page.logs.map(({ id }: { id: string }) => id));
    next = page.next;
    fake.logged.push({ ...fake.logged[0]!, id: "later" });
  } while (next !== null);
  assert.deepEqual(ids, [12, 11, 9, 8, 7, 6, 4, 3, 2, 1].map((i) => `row-${i}`));
});

Deno.test("what came since is asked for with latest", async () => {
  const fake = filled(3);
  const { latest } = await (await fake.call("GET", PATH, { token: TOKEN.session })).json();
  fake.logged.push({ ...fake.logged[0]!, id: "new" });
  const since = await fake.call("GET", `${PATH}?after=${latest}`, { token: TOKEN.session });
  const { logs, latest: newer } = await since.json();
  assert.deepEqual(logs.map(({ id }: { id: string }) => id), ["new"]);
  const none = await fake.call("GET", `${PATH}?after=${newer}`, { token: TOKEN.session });
  assert.deepEqual(await none.json(), { logs: [], next: null, latest: newer });
});
