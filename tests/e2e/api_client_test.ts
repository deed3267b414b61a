/** The HTTP API as a program of the operator uses it: a real listener, and undici as the client. */

import assert from "node:assert/strict";
import { Client } from "undici";
import { TestHome } from "../cli/test_home.ts";
import type { RunningProcess } from "../support/run_process.ts";

const PASSPHRASE = "canary-passphrase of the owner";
const VALUE = "canary-value-of-a-credential";

interface Answer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- the assertions are the check of its shape
  readonly body: any;
}

/** A server on a home with a passphrase, and a client of its API. */
class Scene implements AsyncDisposable {
  readonly home: TestHome;
  readonly #server: RunningProcess;
  readonly #client: Client;
  token = "";

  private constructor(server: RunningProcess, home: TestHome, url: string) {
    this.home = home;
    this.#server = server;
    this.#client = new Client(url);
  }

  static async start(): Promise<Scene> {
    const home = new TestHome();
    const env = { BROKER_PASSPHRASE: PASSPHRASE };
    await home.done(["init"], { env });
    const server = home.start(["server", "--port", "0", "--proxy-port", "0", "--json"], { env });
    const [, api = ""] = await server.waitFor(/"api": "([^"]+)"/);
    return new Scene(server, home, api);
  }

  async call(method: string, path: string, json?: unknown): Promise<Answer> {
    const { statusCode, body } = await this.#client.request({
      method: method as "GET",
      path,
      headers: {
        ...(this.token === "" ? {} : { authorization: `Bearer ${this.token}` }),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await body.text();
    this.home.printed += text;
    return { status: statusCode, body: JSON.parse(text) };
  }

  async signIn(): Promise<void> {
    const { status, body } = await this.call("POST", "/v1/operator/session", {
      secret: PASSPHRASE,
    });
    assert.equal(status, 201);
    assert.match(body.token, /^brk_op_[\w-]{43}$/);
    assert.ok(Date.parse(body.expires_at) > Date.now());
    this.token = body.token;
  }

  /** What the vault holds, told by another process. */
  async stored(): Promise<string[]> {
    const env = { BROKER_PASSPHRASE: PASSPHRASE };
    const { services } = await this.home.json(["vault", "service", "list"], { env });
    return services.map(({ name, host }: { name: string; host: string }) => `${name} ${host}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
    this.#server.kill("SIGTERM");
    await this.#server.finished();
    this.home[Symbol.dispose]();
  }
}

const SERVICES = "/v1/vaults/default/services";

function passthrough(name: string, host: string) {
  return { name, host, auth: { type: "passthrough" } };
}

Deno.test("nobody acts as the operator without the passphrase, nor after the token was taken back", async () => {
  await using scene = await Scene.start();
  assert.equal((await scene.call("PUT", SERVICES, { services: [] })).status, 401);
  for (const secret of ["", "wrong", `${PASSPHRASE} `]) {
    const { status, body } = await scene.call("POST", "/v1/operator/session", { secret });
    assert.deepEqual([status, body.error], [403, "sign_in_refused"]);
  }
  const malformed = await scene.call("POST", "/v1/operator/session", { passphrase: PASSPHRASE });
  assert.deepEqual([malformed.status, malformed.body.error], [400, "validation_failed"]);
  await scene.signIn();
  assert.equal((await scene.call("PUT", SERVICES, { services: [] })).status, 200);
  assert.deepEqual(await scene.call("DELETE", "/v1/operator/session"), {
    status: 200,
    body: { ended: true },
  });
  assert.equal((await scene.call("PUT", SERVICES, { services: [] })).status, 401);
  assert.ok(!scene.home.printed.includes("canary"), scene.home.printed);
});

Deno.test("guessing is slowed down, and the wait is told", async () => {
  await using scene = await Scene.start();
  let last: Answer | undefined;
  for (let i = 0; i < 7; i++) {
    last = await scene.call("POST", "/v1/operator/session", { secret: `guess ${i}` });
  }
  assert.deepEqual([last?.status, last?.body.error], [429, "too_many_attempts"]);
});

Deno.test("services are replaced, upserted, switched, removed and cleared over HTTP", async () => {
  await using scene = await Scene.start();
  await scene.signIn();
  const list = [
    passthrough("one-a", "one.test/a/*"),
    passthrough("one-b", "one.test/b/*"),
    passthrough("wild", "*.two.test:8443/v1/*"),
    passthrough("six", "[::1]:8443"),
  ];
  assert.deepEqual(await scene.call("PUT", SERVICES, { services: list }), {
    status: 200,
    body: { vault: "default", services_count: 4 },
  });
  const seen = await scene.call("GET", SERVICES);
  assert.deepEqual(
    seen.body.services,
    list.map((service) => ({ ...service, enabled: true, substitutions: [] })),
  );
  const named = await scene.call("GET", `${SERVICES}?name=wild`);
  assert.deepEqual(named.body.services.map(({ name }: { name: string }) => name), ["wild"]);

  const upsert = { services: [{ host: "one.test/a/*", auth: { type: "bearer", token: "T" } }] };
  assert.deepEqual(await scene.call("POST", SERVICES, upsert), {
    status: 200,
    body: { vault: "default", upserted: ["one-a"], services_count: 4 },
  });

  for (const host of ["one.test", "ONE.test"]) {
    const { status, body } = await scene.call("PATCH", `${SERVICES}/${host}`, { enabled: false });
    assert.deepEqual([status, body.error], [409, "ambiguous_host"]);
    assert.match(body.message, /^multiple services match host /);
    assert.deepEqual(body.candidates, [
      { name: "one-a", host: "one.test/a/*" },
      { name: "one-b", host: "one.test/b/*" },
    ]);
  }
  for (const name of ["wild", encodeURIComponent("*.two.test"), encodeURIComponent("[::1]")]) {
    const { status, body } = await scene.call("PATCH", `${SERVICES}/${name}`, { enabled: false });
    assert.deepEqual([status, body.enabled], [200, false], name);
  }
  assert.deepEqual(await scene.call("DELETE", `${SERVICES}/${encodeURIComponent("*.two.test")}`), {
    status: 200,
    body: {
      vault: "default",
      removed: "wild",
      removed_host: "*.two.test:8443/v1/*",
      services_count: 3,
    },
  });
  assert.deepEqual(await scene.stored(), [
    "one-a one.test/a/*",
    "one-b one.test/b/*",
    "six [::1]:8443",
  ]);

  const bad = {
    services: [passthrough("x", "a.test/**"), {
      name: "good-one",
      host: "b.test",
      auth: { type: "x" },
    }],
  };
  for (const method of ["PUT", "POST"]) {
    const { status, body } = await scene.call(method, SERVICES, bad);
    assert.deepEqual([status, body.error], [400, "validation_failed"]);
    const paths = body.issues.map(({ path }: { path: unknown[] }) => path.join("."));
    for (const path of ["services.0.name", "services.0.host", "services.1.auth"]) {
      assert.ok(paths.some((found: string) => found.startsWith(path)), `${path} in ${paths}`);
    }
  }
  assert.equal((await scene.stored()).length, 3);

  assert.deepEqual((await scene.call("DELETE", SERVICES)).body, {
    vault: "default",
    cleared: true,
  });
  assert.deepEqual(await scene.stored(), []);
});

Deno.test("settings and credentials are changed over HTTP, and no value comes back", async () => {
  await using scene = await Scene.start();
  await scene.signIn();
  const path = "/v1/vaults/default/settings";
  assert.deepEqual((await scene.call("GET", path)).body, { unmatched_host_policy: "passthrough" });
  const deny = { unmatched_host_policy: "deny" };
  assert.deepEqual(await scene.call("PATCH", path, deny), { status: 200, body: deny });
  for (const wrong of [{ unmatched_host_policy: "maybe" }, { other: 1 }, [], null]) {
    assert.equal((await scene.call("PATCH", path, wrong)).status, 400);
  }
  assert.deepEqual((await scene.call("GET", path)).body, deny);
  assert.equal((await scene.call("GET", "/v1/vaults/none/settings")).status, 404);

  const nowhere = await scene.call("GET", "/v1/credentials");
  assert.deepEqual([nowhere.status, nowhere.body.error], [400, "vault_required"]);
  const credentials = { API_KEY: VALUE };
  const vault = "default";
  const stored = await scene.call("POST", "/v1/credentials", { vault, credentials });
  assert.deepEqual(stored.body, { set: ["API_KEY"] });
  assert.deepEqual((await scene.call("GET", "/v1/credentials?vault=default")).body, {
    keys: ["API_KEY"],
  });
  const env = { BROKER_PASSPHRASE: PASSPHRASE };
  const told = await scene.home.done(["vault", "credential", "get", "API_KEY"], { env });
  assert.equal(told.stdout, `${VALUE}\n`);
  scene.home.printed = scene.home.printed.replace(told.stdout, "");
  const deleted = await scene.call("DELETE", "/v1/credentials", { vault, keys: ["API_KEY"] });
  assert.deepEqual(deleted.body, { deleted: ["API_KEY"] });
  assert.ok(!scene.home.printed.includes(VALUE));
});
