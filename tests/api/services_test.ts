import assert from "node:assert/strict";
import type { Service } from "../../src/model/service.ts";
import { createFake, service, TOKEN } from "./fake_ports.ts";

const PATH = "/v1/vaults/default/services";
const NAMES = ["github", "shop-a", "shop-b"];

const stored = (fake: ReturnType<typeof createFake>, vault = "default"): string[] =>
  (fake.services.get(vault) ?? []).map(({ name }) => name);

for (const method of ["POST", "PUT"]) {
  Deno.test(`${method} names every fault of every service at once and stores nothing`, async () => {
    const fake = createFake();
    const answer = await fake.call(method, PATH, {
      token: TOKEN.operator,
      json: {
        services: [
          { name: "good-one", host: "good.test", auth: { type: "passthrough" } },
          { name: "Bad Name", host: "b.test/**", auth: { type: "bearer", token: "lower" } },
          { name: "other-one", host: "c.test", auth: { type: "bearer", token: "K", header: "X" } },
          { name: "third-one", host: "d.test" },
        ],
      },
    });
    assert.equal(answer.status, 400);
    const { error, issues } = await answer.json();
    assert.equal(error, "validation_failed");
    const places = new Set(
      issues.map(({ path }: { path: unknown[] }) => path.slice(0, 3).join(".")),
    );
    for (const place of ["services.1.name", "services.1.host", "services.1.auth"]) {
      assert.ok(places.has(place), `${place} is not among ${[...places]}`);
    }
    assert.ok(issues.some(({ path }: { path: unknown[] }) => path[1] === 2));
    assert.ok(issues.some(({ path }: { path: unknown[] }) => path[1] === 3));
    assert.ok(!issues.some(({ path }: { path: unknown[] }) => path[1] === 0));
    assert.deepEqual(stored(fake), NAMES);
  });

  for (const json of [{}, null, 1, { services: {} }, { services: [1] }, { service: [] }]) {
    Deno.test(`${method} refuses the body ${JSON.stringify(json)}`, async () => {
      const fake = createFake();
      const answer = await fake.call(method, PATH, { token: TOKEN.operator, json });
      assert.equal(answer.status, 400);
      assert.equal((await answer.json()).error, "validation_failed");
      assert.deepEqual(stored(fake), NAMES);
    });
  }

  Deno.test(`${method} refuses a service whose name is missing and whose host is new`, async () => {
    const answer = await createFake().call(method, PATH, {
      token: TOKEN.operator,
      json: { services: [{ host: "new.test", auth: { type: "passthrough" } }] },
    });
    assert.equal(answer.status, 400);
    assert.equal((await answer.json()).error, "validation_failed");
  });
}

Deno.test("PATCH and DELETE of a host that several services share get 409 with candidates", async () => {
  const fake = createFake();
  for (const [method, json] of [["PATCH", { enabled: false }], ["DELETE", undefined]] as const) {
    const answer = await fake.call(method, `${PATH}/shop.test`, { token: TOKEN.operator, json });
    assert.equal(answer.status, 409);
    const body = await answer.json();
    assert.equal(body.error, "ambiguous_host");
    assert.match(body.message, /^multiple services match host/);
    assert.deepEqual(body.candidates, [
      { name: "shop-a", host: "shop.test/a/*" },
      { name: "shop-b", host: "shop.test:8443/b/*" },
    ]);
  }
  assert.deepEqual(stored(fake), NAMES);
});

for (const json of [{}, null, { enabled: "true" }, { enabled: 1 }, { enabled: true, host: "x" }]) {
  Deno.test(`PATCH of a service refuses ${JSON.stringify(json)}`, async () => {
    const answer = await createFake().call("PATCH", `${PATH}/github`, {
      token: TOKEN.operator,
      json,
    });
    assert.equal(answer.status, 400);
    assert.equal((await answer.json()).error, "validation_failed");
  });
}

Deno.test("PATCH and DELETE of what is not there get 404", async () => {
  const fake = createFake();
  for (const path of [`${PATH}/nobody`, `${PATH}/%zz`, "/v1/vaults/nowhere/services/github"]) {
    const patched = await fake.call("PATCH", path, {
      token: TOKEN.operator,
      json: { enabled: true },
    });
    assert.equal(patched.status, 404, path);
    assert.equal((await fake.call("DELETE", path, { token: TOKEN.operator })).status, 404, path);
  }
});

Deno.test("a host form is taken percent-encoded and decoded once", async () => {
  const rows: [string, string][] = [
    ["api.github.com", "github"],
    [encodeURIComponent("shop.test/a/*"), "shop-a"],
    [encodeURIComponent("shop.test:8443/b/*"), "shop-b"],
    ["shop.test:8443%2fb%2f*", "shop-b"],
  ];
  for (const [segment, name] of rows) {
    const fake = createFake();
    const answer = await fake.call("DELETE", `${PATH}/${segment}`, { token: TOKEN.operator });
    assert.equal(answer.status, 200, segment);
    assert.equal((await answer.json()).removed, name);
  }
  const twice = encodeURIComponent(encodeURIComponent("shop.test/a/*"));
  const answer = await createFake().call("DELETE", `${PATH}/${twice}`, { token: TOKEN.operator });
  assert.equal(answer.status, 404);
});

Deno.test("GET lists services with all their members, for agents and operators", async () => {
  for (const token of [TOKEN.session, TOKEN.agent, TOKEN.operator]) {
    const answer = await createFake().call("GET", PATH, { token });
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), {
      vault: "default",
      services: [
        {
          name: "github",
          host: "api.github.com",
          enabled: true,
          auth: { type: "bearer", token: "GITHUB_TOKEN" },
          substitutions: [],
        },
        {
          name: "shop-a",
          host: "shop.test/a/*",
          enabled: true,
          auth: { type: "passthrough" },
          substitutions: [],
        },
        {
          name: "shop-b",
          host: "shop.test:8443/b/*",
          enabled: false,
          auth: { type: "bearer", token: "GITHUB_TOKEN" },
          substitutions: [],
        },
      ],
    });
  }
});

Deno.test("GET shows nothing of a service beyond what the interface lists", async () => {
  const fake = createFake();
  const more = { ...service({ name: "one-more", host: "more.test" }), rowId: 7 } as Service;
  fake.services.set("default", [more]);
  const answer = await fake.call("GET", PATH, { token: TOKEN.session });
  const [shown] = (await answer.json()).services;
  assert.deepEqual(Object.keys(shown), ["name", "host", "enabled", "auth", "substitutions"]);
});

Deno.test("GET ?name= keeps the service of exactly that name", async () => {
  const fake = createFake();
  for (const [name, found] of [["shop-a", ["shop-a"]], ["shop", []], ["", []]] as const) {
    const answer = await fake.call("GET", `${PATH}?name=${name}`, { token: TOKEN.session });
    const { services } = await answer.json();
    assert.deepEqual(services.map((one: Service) => one.name), found);
  }
});

Deno.test("POST adds the new and replaces the known by name", async () => {
  const fake = createFake();
  const answer = await fake.call("POST", PATH, {
    token: TOKEN.operator,
    json: {
      services: [
        { name: "github", host: "api.github.com", auth: { type: "bearer", token: "OTHER_TOKEN" } },
        { name: "stripe", host: "api.stripe.com", auth: { type: "basic", username: "STRIPE_KEY" } },
      ],
    },
  });
  assert.equal(answer.status, 200);
  assert.deepEqual(await answer.json(), {
    vault: "default",
    upserted: ["github", "stripe"],
    services_count: 4,
  });
  assert.deepEqual(stored(fake), [...NAMES, "stripe"]);
  assert.deepEqual(fake.services.get("default")?.[0]?.auth, {
    type: "bearer",
    token: "OTHER_TOKEN",
  });
});

Deno.test("POST and PUT adopt the name of the service with the same host and path", async () => {
  const nameless = { host: "shop.test/a/*", auth: { type: "bearer", token: "SHOP_KEY" } };
  const posted = createFake();
  const answer = await posted.call("POST", PATH, {
    token: TOKEN.operator,
    json: { services: [nameless] },
  });
  assert.deepEqual((await answer.json()).upserted, ["shop-a"]);
  assert.deepEqual(stored(posted), NAMES);

  const put = createFake();
  await put.call("PUT", PATH, { token: TOKEN.operator, json: { services: [nameless] } });
  assert.deepEqual(stored(put), ["shop-a"]);
});

Deno.test("PUT replaces all, twice the same", async () => {
  const fake = createFake();
  const json = {
    services: [{ name: "only-one", host: "*.example.com/v1/*", auth: { type: "passthrough" } }],
  };
  for (let i = 0; i < 2; i++) {
    const answer = await fake.call("PUT", PATH, { token: TOKEN.operator, json });
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), { vault: "default", services_count: 1 });
    assert.deepEqual(stored(fake), ["only-one"]);
  }
});

Deno.test("PUT accepts what GET showed", async () => {
  const fake = createFake();
  const before = fake.services.get("default");
  const got = await (await fake.call("GET", PATH, { token: TOKEN.operator })).json();
  const answer = await fake.call("PUT", PATH, {
    token: TOKEN.operator,
    json: { services: got.services },
  });
  assert.equal(answer.status, 200);
  assert.deepEqual(fake.services.get("default"), before);
});

Deno.test("DELETE of the list clears the vault and says so", async () => {
  const fake = createFake();
  const answer = await fake.call("DELETE", PATH, { token: TOKEN.operator });
  assert.deepEqual(await answer.json(), { vault: "default", cleared: true });
  assert.deepEqual(stored(fake), []);
});

Deno.test("PATCH enables and disables by name or host and answers the service", async () => {
  const fake = createFake();
  for (const [segment, enabled] of [["github", false], ["api.github.com", true]] as const) {
    const answer = await fake.call("PATCH", `${PATH}/${segment}`, {
      token: TOKEN.operator,
      json: { enabled },
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), {
      name: "github",
      host: "api.github.com",
      enabled,
      auth: { type: "bearer", token: "GITHUB_TOKEN" },
      substitutions: [],
    });
    assert.equal(fake.services.get("default")?.[0]?.enabled, enabled);
  }
});

Deno.test("DELETE of one service says what was removed and how many are left", async () => {
  const fake = createFake();
  const answer = await fake.call("DELETE", `${PATH}/shop-b`, { token: TOKEN.operator });
  assert.equal(answer.status, 200);
  assert.deepEqual(await answer.json(), {
    vault: "default",
    removed: "shop-b",
    removed_host: "shop.test:8443/b/*",
    services_count: 2,
  });
});
