import assert from "node:assert/strict";
import { join } from "node:path";
import { TestHome } from "../cli/test_home.ts";
import { startUpstream } from "../support/upstream.ts";
import { TestBroker } from "../proxy/fixture.ts";
import { API_SERVICE, Scene, SECRET } from "./gallery.ts";

const MAIN = new URL("../../main.ts", import.meta.url).pathname;
const PASSPHRASE = "canary-passphrase-77aa";

/** A home of its own for the real program, with the secret and a service for it. */
async function homeWithSecret(env: Record<string, string> = {}): Promise<TestHome> {
  const home = new TestHome();
  const stored = await home.broker(["vault", "credential", "set", "KEY"], { stdin: SECRET, env });
  assert.equal(stored.status, 0, stored.stderr);
  const services = JSON.stringify({ services: [API_SERVICE] });
  const set = await home.broker(["vault", "service", "set", "-f", "-"], { stdin: services, env });
  assert.equal(set.status, 0, set.stderr);
  return home;
}

/** Every spelling in which a copy of the secret would be found. */
function spellings(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  return [
    text,
    btoa(text),
    bytes.toHex(),
    [...bytes].map((byte) => `%${byte.toString(16)}`).join(""),
  ];
}

const PRINT_ENVIRONMENT = "console.log(JSON.stringify(Deno.env.toObject()))";

Deno.test("attack: the child inherits the secret or the passphrase", async () => {
  const passphrase = { BROKER_PASSPHRASE: PASSPHRASE };
  using home = await homeWithSecret(passphrase);
  const { status, stdout, stderr } = await home.broker(
    ["vault", "run", "--", Deno.execPath(), "eval", PRINT_ENVIRONMENT],
    {
      env: {
        ...passphrase,
        MY_TOKEN: SECRET,
        MY_HEADER: `Authorization: Bearer ${SECRET}`,
        KEY: SECRET,
      },
    },
  );
  assert.equal(status, 0, stderr);
  for (const text of [...spellings(SECRET), PASSPHRASE]) {
    assert.ok(!stdout.includes(text), "in the child's environment");
    assert.ok(!stderr.includes(text), "in what the broker said");
  }
  const environment = JSON.parse(stdout);
  assert.equal(environment.KEY, "__key__");
  assert.equal(environment.BROKER_PASSPHRASE, undefined);
});

Deno.test("attack: the child asks the operator's commands for the secret", async () => {
  using home = await homeWithSecret();
  const asks = [
    ["vault", "credential", "get", "KEY"],
    ["vault", "credential", "list", "--reveal"],
    ["vault", "service", "show", "api", "--json"],
    ["vault", "discover", "--json"],
    ["vault", "service", "add", "--name", "mine", "--host", "attacker.test", "--token-key", "KEY"],
  ];
  for (const ask of asks) {
    const { stdout, stderr } = await home.broker(
      ["vault", "run", "--quiet", "--", Deno.execPath(), "run", "-A", MAIN, ...ask],
    );
    assert.ok(!(stdout + stderr).includes(SECRET), ask.join(" "));
  }
  const { stdout } = await home.broker(["vault", "service", "list", "--json"]);
  assert.ok(!stdout.includes("attacker.test"), "the child could not add a service");
});

Deno.test("attack: the child's token reads or changes more at the API than an agent may", async () => {
  using home = await homeWithSecret();
  const script = `
    const { BROKER_ADDR, BROKER_TOKEN } = Deno.env.toObject();
    const said = [];
    const calls = [
      ["GET", "/discover"], ["GET", "/v1/credentials"], ["GET", "/v1/vaults/default/services"],
      ["GET", "/v1/vaults/default/settings"], ["DELETE", "/v1/vaults/default/services"],
      ["POST", "/v1/credentials", { credentials: { KEY: "mine" } }],
      ["PUT", "/v1/vaults/default/services", { services: [] }],
      ["PATCH", "/v1/vaults/default/settings", { unmatched_host_policy: "passthrough" }],
      ["POST", "/v1/sessions", { vault: "default", ttl_seconds: 3600 }],
    ];
    for (const [method, path, body] of calls) {
      const answer = await fetch(BROKER_ADDR + path, { method,
        headers: { authorization: "Bearer " + BROKER_TOKEN, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }) });
      said.push([method, path, answer.status, await answer.text()]);
    }
    console.log(JSON.stringify(said));`;
  const { stdout, stderr } = await home.broker(
    ["vault", "run", "--quiet", "--", Deno.execPath(), "eval", script],
  );
  assert.ok(!(stdout + stderr).includes(SECRET));
  const statuses = JSON.parse(stdout).map(([method, path, status]: [string, string, number]) =>
    `${method} ${path} ${status}`
  );
  assert.deepEqual(statuses, [
    "GET /discover 200",
    "GET /v1/credentials 200",
    "GET /v1/vaults/default/services 200",
    "GET /v1/vaults/default/settings 403",
    "DELETE /v1/vaults/default/services 403",
    "POST /v1/credentials 403",
    "PUT /v1/vaults/default/services 403",
    "PATCH /v1/vaults/default/settings 403",
    "POST /v1/sessions 403",
  ]);
});

Deno.test("attack: the secret is found by searching the home, the debug log and every refusal", async () => {
  const env = { BROKER_PASSPHRASE: PASSPHRASE, BROKER_LOG: "debug" };
  using home = await homeWithSecret(env);
  const script = `
    const said = [];
    for (const url of ["http://api.test/", "https://api.test/", "http://169.254.169.254/"]) {
      try { said.push(await (await fetch(url)).text()); } catch (error) { said.push(String(error)); }
    }
    console.log(said.join("\\n"));`;
  const { stdout, stderr } = await home.broker(
    ["vault", "run", "--", Deno.execPath(), "eval", script],
    { env: { ...env, BROKER_RESOLVE: "api.test=127.0.0.1" } },
  );
  const texts = [stdout, stderr];
  for await (const { name, isFile } of Deno.readDir(home.directory)) {
    if (!isFile) continue;
    texts.push(new TextDecoder("latin1").decode(await Deno.readFile(join(home.directory, name))));
  }
  assert.ok(texts.length >= 4, "there were files to search");
  for (const text of texts) {
    for (const spelling of [...spellings(SECRET), ...spellings(PASSPHRASE)]) {
      assert.ok(!text.includes(spelling));
    }
  }
});

Deno.test("attack: a refusal, a log row or a defect repeats the secret or what the client sent", async () => {
  const CLIENT = "client-canary-0b9e";
  await using upstream = startUpstream({ respond: () => `garbage ${SECRET}\r\n\r\n` });
  await using broker = new TestBroker({
    services: [{ ...API_SERVICE, host: `api.test:${upstream.port}` }],
    credentials: { KEY: SECRET },
  });
  using client = await broker.connect();
  const answer = await client.exchange(
    `GET http://api.test:${upstream.port}/p?q=${CLIENT} HTTP/1.1\r\nHost: x\r\nCookie: ${CLIENT}\r\n` +
      `Authorization: ${CLIENT}\r\nProxy-Authorization: ${broker.authorization}\r\n\r\n`,
  );
  assert.deepEqual(answer.values("x-broker-error"), ["upstream_protocol_error"]);
  const rows = JSON.stringify(await broker.rowsReach(1));
  for (const text of [SECRET, CLIENT, TestBroker.token]) {
    assert.ok(!(answer.head + new TextDecoder().decode(answer.body)).includes(text));
    assert.ok(!rows.includes(text));
  }
});

Deno.test("attack: a placeholder on a surface that is not listed is filled in", async () => {
  await using scene = new Scene({
    services: [{
      name: "api",
      host: "api.test",
      substitutions: [{ key: "KEY", placeholder: "__key__", in: ["query"] }],
    }],
  });
  using client = await scene.tunnel();
  await client.exchange(
    "POST /__key__?a=1 HTTP/1.1\r\nHost: a\r\nX: __key__\r\nContent-Length: 7\r\n\r\n__key__",
  );
  const [request] = scene.upstream.requests;
  assert.ok(!(request!.head + request!.text).includes(SECRET));
});
