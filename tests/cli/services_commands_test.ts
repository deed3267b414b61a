import assert from "node:assert/strict";
import { TestHome } from "./test_home.ts";

const SERVICE = ["vault", "service"];

/** Every auth type, every host form, substitutions, a disabled service and texts that YAML may misread. */
const SERVICES = `services:
  - name: github
    host: api.github.com
    auth: { type: bearer, token: GITHUB_TOKEN }
  - name: github-uploads
    host: "*.github.com"
    auth: { type: basic, username: GIT_USER, password: GITHUB_TOKEN }
  - name: yes-no
    host: 10.0.0.1:8080/v1/*
    enabled: false
    auth: { type: api-key, key: API_KEY, header: X-Key, prefix: "Token " }
  - name: custom
    host: hooks.example.com/services/*
    auth:
      type: custom
      headers:
        X-Id: "{{ ID }}"
        X-Sign: "on: {{ ID }} {{ API_KEY }} # no comment"
  - name: twilio
    host: api.twilio.com/2010/*/Messages
    auth: { type: passthrough }
    substitutions:
      - { key: SID, placeholder: __sid__ }
      - { key: SID, placeholder: ~sid~, in: [header, body, websocket] }
`;

Deno.test("service list --yaml prints what service set -f takes back as the same services", async () => {
  using home = new TestHome();
  await home.done([...SERVICE, "set", "-f", home.file("s.yaml", SERVICES)]);
  const before = await home.json([...SERVICE, "list"]);
  assert.equal(before.services.length, 5);
  const { stdout: yaml } = await home.done([...SERVICE, "list", "--yaml"]);
  await home.done(["vault", "create", "copy"]);
  await home.done([...SERVICE, "set", "--vault", "copy", "-f", "-"], { stdin: yaml });
  assert.deepEqual(await home.json([...SERVICE, "list", "--vault", "copy"]), {
    ...before,
    vault: "copy",
  });
  const again = await home.done([...SERVICE, "list", "--yaml", "--vault", "copy"]);
  assert.equal(again.stdout, yaml);
});

Deno.test("service set names every fault of a file with line and column and changes nothing", async () => {
  using home = new TestHome();
  await home.done([...SERVICE, "set", "-f", home.file("s.yaml", SERVICES)]);
  const file = home.file(
    "bad.yaml",
    `services:
  - name: Upper
    host: api.example.com
    auth: { type: bearer, token: T }
  - name: two
    host: "**.example.com"
    auth: { type: bearer, token: T, tokn: U }
  - name: three
    host: c.example.com
    auth:
      type: basic
`,
  );
  const failed = await home.broker([...SERVICE, "set", "-f", file]);
  assert.equal(failed.status, 1);
  for (const place of [`${file}:2:11: `, `${file}:6:11: `, `${file}:7:`, `${file}:10:5: `]) {
    assert.ok(failed.stderr.includes(place), `${place} in ${failed.stderr}`);
  }
  const json = await home.broker([...SERVICE, "set", "-f", file, "--json"]);
  const { error, issues } = JSON.parse(json.stderr);
  assert.equal(error, "validation_failed");
  assert.deepEqual(
    { path: issues[0].path, file: issues[0].file, line: issues[0].line, column: issues[0].column },
    { path: ["services", 0, "name"], file, line: 2, column: 11 },
  );
  assert.equal((await home.json([...SERVICE, "list"])).services.length, 5);
});

const BAD_FILES: readonly [name: string, text: string, told: RegExp][] = [
  ["not YAML", "services: [", /x\.yaml:\d+:\d+: /],
  ["a key twice", "services: []\nservices: []\n", /x\.yaml:2:1: /],
  ["two documents", "services: []\n---\nservices: []\n", /x\.yaml:\d+:\d+: /],
  ["nothing", "", /holds no services[^]*service clear/],
  ["a comment only", "# nothing\n", /holds no services/],
  ["a number", "7\n", /x\.yaml:1:1: /],
  [
    "aliases that unfold without end",
    `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [${"*a,".repeat(30)}]\nc: &c [${
      "*b,".repeat(30)
    }]\nservices: [${"*c,".repeat(30)}]\n`,
    /x\.yaml:/,
  ],
];

for (const [name, text, told] of BAD_FILES) {
  Deno.test(`service set refuses a file that is ${name}`, async () => {
    using home = new TestHome();
    const file = home.file("x.yaml", text);
    const failed = await home.broker([...SERVICE, "set", "-f", file]);
    assert.equal(failed.status, 1, failed.stderr);
    assert.match(failed.stderr, told);
    assert.equal(failed.stderr.includes("Internal error"), false, failed.stderr);
  });
}

Deno.test("service set with an empty list asks before it clears the vault", async () => {
  using home = new TestHome();
  const empty = home.file("empty.yaml", "services: []\n");
  assert.equal((await home.json([...SERVICE, "set", "-f", empty])).services_count, 0);
  await home.done([...SERVICE, "set", "-f", home.file("s.yaml", SERVICES)]);
  const asked = await home.broker([...SERVICE, "set", "-f", empty]);
  assert.equal(asked.status, 1);
  assert.match(asked.stderr, /--yes/);
  assert.equal((await home.json([...SERVICE, "list"])).services.length, 5);
  await home.done([...SERVICE, "set", "-f", empty, "--yes"]);
  assert.equal((await home.json([...SERVICE, "list"])).services.length, 0);
});

Deno.test("service set and add without file and flags name what to type", async () => {
  using home = new TestHome();
  for (const [verb, told] of [["set", /set -f services.yaml/], ["add", /--name NAME/]] as const) {
    const failed = await home.broker([...SERVICE, verb]);
    assert.equal(failed.status, 2);
    assert.match(failed.stderr, told);
  }
  const both = await home.broker([...SERVICE, "add", "-f", "x.yaml", "--name", "a"]);
  assert.equal(both.status, 2);
});

Deno.test("service add stores each auth type from flags and replaces by name in its place", async () => {
  using home = new TestHome();
  const add = (flags: string[]) => home.json([...SERVICE, "add", ...flags]);
  assert.deepEqual(
    await add(["--name", "one", "--host", "a.example", "--token-key", "T"]),
    { vault: "default", upserted: ["one"], services_count: 1 },
  );
  await add(["--name", "two", "--host", "b.example", "--username-key", "U", "--password-key", "P"]);
  await add([
    "--name",
    "six",
    "--host",
    "c.example",
    "--api-key-key",
    "K",
    "--api-key-header",
    "X-Key",
    "--api-key-prefix",
    "Key ",
  ]);
  await add([
    "--name",
    "custom",
    "--host",
    "d.example",
    "--header",
    "X-A: a {{ A }}",
    "--disabled",
  ]);
  await add(["--name", "one", "--host", "a.example/api/*", "--auth-type", "passthrough"]);
  const { services } = await home.json([...SERVICE, "list"]);
  assert.deepEqual(services, [
    {
      name: "one",
      host: "a.example/api/*",
      enabled: true,
      auth: { type: "passthrough" },
      substitutions: [],
    },
    {
      name: "two",
      host: "b.example",
      enabled: true,
      auth: { type: "basic", username: "U", password: "P" },
      substitutions: [],
    },
    {
      name: "six",
      host: "c.example",
      enabled: true,
      auth: { type: "api-key", key: "K", header: "X-Key", prefix: "Key " },
      substitutions: [],
    },
    {
      name: "custom",
      host: "d.example",
      enabled: false,
      auth: { type: "custom", headers: { "X-A": "a {{ A }}" } },
      substitutions: [],
    },
  ]);
});

Deno.test("service add adopts the name when host and path mean one service already", async () => {
  using home = new TestHome();
  await home.done([...SERVICE, "add", "--name", "one", "--host", "a.example", "--token-key", "T"]);
  const adopted = await home.json([...SERVICE, "add", "--host", "a.example", "--token-key", "T2"]);
  assert.deepEqual(adopted.upserted, ["one"]);
  const nameless = await home.broker([
    ...SERVICE,
    "add",
    "--host",
    "b.example",
    "--token-key",
    "T",
  ]);
  assert.equal(nameless.status, 1);
  assert.match(nameless.stderr, /\n {2}name: /);
});

Deno.test("service add says which credentials the vault does not hold yet", async () => {
  using home = new TestHome();
  const add = [...SERVICE, "add", "--name", "one", "--host", "a.example", "--token-key", "T"];
  assert.match((await home.done(add)).stderr, /warning: .* T .*credential set T/);
  await home.done(["vault", "credential", "set", "T"], { stdin: "x" });
  assert.equal((await home.done(add)).stderr.includes("warning"), false);
});

Deno.test("a service is shown, switched and removed by its name or its bare host", async () => {
  using home = new TestHome();
  await home.done([...SERVICE, "set", "-f", home.file("s.yaml", SERVICES)]);
  const shown = await home.json([...SERVICE, "show", "api.github.com"]);
  assert.equal(shown.service.name, "github");
  const yaml = (await home.done([...SERVICE, "show", "github"])).stdout;
  assert.match(yaml, /^services:\n {2}- name: github\n {4}host: api.github.com\n/);
  const off = await home.json([...SERVICE, "disable", "github"]);
  assert.deepEqual([off.vault, off.service.name, off.service.enabled], [
    "default",
    "github",
    false,
  ]);
  assert.match((await home.done([...SERVICE, "list"])).stdout, /github .*bearer .*disabled\n/);
  assert.equal((await home.json([...SERVICE, "enable", "github"])).service.enabled, true);
  const asked = await home.broker([...SERVICE, "remove", "api.github.com"]);
  assert.equal(asked.status, 1);
  assert.match(asked.stderr, /hint: broker vault service remove github --yes/);
  assert.deepEqual(await home.json([...SERVICE, "remove", "api.github.com", "--yes"]), {
    vault: "default",
    removed: "github",
    removed_host: "api.github.com",
    services_count: 4,
  });
  const gone = await home.broker([...SERVICE, "show", "github"]);
  assert.equal(gone.status, 1);
  assert.match(gone.stderr, /github/);
});

Deno.test("a bare host of several services lists them as commands ready to copy", async () => {
  using home = new TestHome();
  for (const [name, path] of [["one", "/a/*"], ["two", "/b/*"]] as const) {
    await home.done([
      ...SERVICE,
      "add",
      "--name",
      name,
      "--host",
      `a.example${path}`,
      "--token-key",
      "T",
    ]);
  }
  for (const verb of ["show", "enable", "disable", "remove"]) {
    const failed = await home.broker([...SERVICE, verb, "a.example"]);
    assert.equal(failed.status, 1);
    assert.match(failed.stderr, /multiple services match host/i);
    assert.ok(failed.stderr.includes(`  broker vault service ${verb} one   # a.example/a/*\n`));
    assert.ok(failed.stderr.includes(`  broker vault service ${verb} two   # a.example/b/*\n`));
  }
  const json = JSON.parse(
    (await home.broker([...SERVICE, "remove", "a.example", "--json"])).stderr,
  );
  assert.equal(json.error, "ambiguous_host");
  assert.deepEqual(json.candidates, [
    { name: "one", host: "a.example/a/*" },
    { name: "two", host: "a.example/b/*" },
  ]);
});

Deno.test("service clear asks, and removes all with --yes", async () => {
  using home = new TestHome();
  await home.done([...SERVICE, "set", "-f", home.file("s.yaml", SERVICES)]);
  const asked = await home.broker([...SERVICE, "clear"]);
  assert.equal(asked.status, 1);
  assert.match(asked.stderr, /hint: broker vault service clear --yes/);
  assert.deepEqual(await home.json([...SERVICE, "clear", "--yes"]), {
    vault: "default",
    cleared: true,
  });
  assert.deepEqual((await home.json([...SERVICE, "list"])).services, []);
});

Deno.test("the list of services fits a narrow terminal with every name whole", async () => {
  using home = new TestHome();
  await home.done([...SERVICE, "set", "-f", home.file("s.yaml", SERVICES)]);
  const wide = await home.onTerminal([...SERVICE, "list"], { steps: [], columns: 200 });
  assert.match(wide.output, /NAME +HOST +AUTH +KEYS/);
  const narrow = await home.onTerminal([...SERVICE, "list"], { steps: [], columns: 40 });
  assert.equal(narrow.status, 0);
  assert.match(narrow.output, /github-uploads\r\n/);
  for (const line of narrow.output.split("\r\n")) {
    // deno-lint-ignore no-control-regex -- the marks take no room
    assert.ok(line.replace(/\x1b\[\d+m/g, "").length <= 40, line);
  }
});

const RANKED = `services:
  - { name: wild, host: "*.example.com/api/*", auth: { type: passthrough } }
  - { name: bare, host: api.example.com, auth: { type: passthrough } }
  - { name: deep, host: api.example.com/api/*, auth: { type: bearer, token: T } }
  - { name: port, host: api.example.com:8443, auth: { type: bearer, token: T } }
  - { name: off, host: off.example.com, enabled: false, auth: { type: passthrough } }
  - { name: other, host: other.example.net, auth: { type: bearer, token: MISSING } }
`;

Deno.test("service explain names the winner and the rule that each other service loses by", async () => {
  using home = new TestHome();
  await home.done([...SERVICE, "set", "-f", home.file("r.yaml", RANKED)]);
  await home.done(["vault", "credential", "set", "T"], { stdin: "x" });
  const explained = await home.json([
    ...SERVICE,
    "explain",
    "https://API.example.com/api/v1?q=1#f",
  ]);
  const { candidates, message, ...rest } = explained;
  assert.deepEqual(rest, {
    vault: "default",
    host: "api.example.com",
    port: 443,
    path: "/api/v1",
    answer: "forwarded_with_credentials",
    service: "deep",
  });
  assert.match(message, /"deep".* with T$/);
  assert.deepEqual(
    candidates.map((one: { name: string; outcome: string; by?: string }) => [
      one.name,
      one.outcome,
      one.by,
    ]),
    [
      ["deep", "wins", undefined],
      ["bare", "loses", "path_prefix"],
      ["wild", "loses", "host_tier"],
      ["port", "does_not_match", "port"],
      ["off", "does_not_match", "host"],
      ["other", "does_not_match", "host"],
    ],
  );
  const text = (await home.done([...SERVICE, "explain", "api.example.com/api/v1"])).stdout;
  assert.match(text, /^Service "deep" .*\n\nSERVICE +HOST +OUTCOME +WHY\ndeep .* wins /);
});

const ANSWERS: readonly [url: string, answer: string, service: string | null][] = [
  ["https://off.example.com/", "service_disabled", "off"],
  ["https://other.example.net", "credential_not_found", "other"],
  ["http://api.example.com:8443/api/x", "forwarded_with_credentials", "port"],
  ["https://api.example.com/plain", "forwarded", "bare"],
  ["https://elsewhere.example/", "forwarded", null],
  ["https://api.example.com/api/../plain", "bad_request", null],
  ["https://api.example.com/api/%2e%2e/plain", "bad_request", null],
];

Deno.test("service explain tells what the proxy will answer", async () => {
  using home = new TestHome();
  await home.done([...SERVICE, "set", "-f", home.file("r.yaml", RANKED)]);
  await home.done(["vault", "credential", "set", "T"], { stdin: "x" });
  const explain = async (url: string) => {
    const { answer, service } = await home.json([...SERVICE, "explain", url]);
    return [url, answer, service];
  };
  for (const row of ANSWERS) assert.deepEqual(await explain(row[0]), row);
  await home.done(["vault", "settings", "set", "unmatched_host_policy", "deny"]);
  assert.deepEqual(await explain("https://elsewhere.example/"), [
    "https://elsewhere.example/",
    "forbidden",
    null,
  ]);
  await home.done([...SERVICE, "clear", "--yes"]);
  assert.deepEqual(await explain("https://off.example.com/"), [
    "https://off.example.com/",
    "no_services",
    null,
  ]);
});

for (const url of ["", "ftp://a.example/", "https://", "https://user@a.example/", "https://a b/"]) {
  Deno.test(`service explain refuses ${JSON.stringify(url)}`, async () => {
    using home = new TestHome();
    const failed = await home.broker([...SERVICE, "explain", url]);
    assert.equal(failed.status, 1);
    assert.match(failed.stderr, /Read the URL: [^]*broker: hint: /);
  });
}
