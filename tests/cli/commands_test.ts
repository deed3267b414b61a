import assert from "node:assert/strict";
import { TestHome } from "./test_home.ts";

const CANARY = "sk-canary-0123456789";

Deno.test("no command prints a stored value except those that are asked for it", async () => {
  using home = new TestHome();
  await home.done(["vault", "credential", "set", "API_KEY"], { stdin: CANARY });
  await home.done(["vault", "credential", "set", `OTHER=${CANARY}-2`]);
  await home.broker(["vault", "credential", "set", "BAD"], { stdin: `${CANARY}\nsecond line` });
  await home.broker(["vault", "credential", "set", "API_KEY", CANARY]);
  await home.broker(["vault", "credential", "set", `lower=${CANARY}`]);
  await home.broker(["vault", "credential", "get", "API_KEY", CANARY]);
  await home.broker(["vault", "credential", "set", "-f", home.file(".env", `lower=${CANARY}\n`)]);
  await home.broker(["vault", "service", "add", "--header", CANARY]);
  await home.done([
    "vault",
    "service",
    "add",
    "--name",
    "one",
    "--host",
    "api.example.com",
    "--token-key",
    "API_KEY",
  ]);
  for (const json of [[], ["--json"]]) {
    for (
      const words of [
        "init",
        "vault list",
        "vault settings",
        "vault credential list",
        "vault service list",
        "vault service show one",
        "vault discover",
        "vault service explain https://api.example.com/",
        "ca print",
        "vault credential delete MISSING",
      ]
    ) await home.broker([...words.split(" "), ...json], { env: { BROKER_LOG: "debug" } });
  }
  await home.done(["vault", "service", "list", "--yaml"]);
  assert.equal(home.printed.includes("canary"), false, home.printed);

  const { stdout } = await home.done(["vault", "credential", "get", "API_KEY"]);
  assert.equal(stdout, `${CANARY}\n`);
});

Deno.test("the first command creates the home, owned by the user alone, and says so once", async () => {
  using home = new TestHome();
  const first = await home.done(["vault", "list"]);
  assert.match(first.stderr, /^broker: created .* without a passphrase/);
  const second = await home.done(["vault", "list"]);
  assert.equal(second.stderr, "");
  assert.match(second.stdout, /^ +NAME +SERVICES +CREDENTIALS +CREATED\n\* +default +0 +0 /);
  if (Deno.build.os !== "windows") {
    assert.equal(Deno.statSync(home.directory).mode! & 0o777, 0o700);
    for (const entry of Deno.readDirSync(home.directory)) {
      const mode = Deno.statSync(`${home.directory}/${entry.name}`).mode! & 0o077;
      assert.ok(entry.name.endsWith(".pem") || mode === 0, `${entry.name} is open to others`);
    }
  }
});

Deno.test("init creates the home once and is harmless the second time", async () => {
  using home = new TestHome();
  const first = await home.json(["init"]);
  assert.deepEqual(first, {
    home: home.directory,
    created: true,
    protection: "key_file",
    vault: "default",
  });
  assert.deepEqual(await home.json(["init"]), { ...first, created: false });
});

Deno.test("vaults are created, used, renamed and deleted", async () => {
  using home = new TestHome();
  assert.deepEqual(await home.json(["vault", "create", "work"]), { vault: "work", created: true });
  assert.deepEqual(await home.json(["vault", "use", "work"]), { vault: "work", selected: true });
  assert.deepEqual(await home.json(["vault", "rename", "work", "office"]), {
    vault: "office",
    renamed_from: "work",
  });
  const { vaults } = await home.json(["vault", "list"]);
  assert.deepEqual(
    vaults.map((vault: { name: string; selected: boolean }) => [vault.name, vault.selected]),
    [["default", false], ["office", true]],
  );
  assert.deepEqual(Object.keys(vaults[0]), [
    "name",
    "selected",
    "services",
    "credentials",
    "created_at",
  ]);
  const refused = await home.broker(["vault", "delete", "office"]);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /hint: broker vault delete office --yes/);
  assert.deepEqual(await home.json(["vault", "delete", "office", "--yes"]), {
    vault: "office",
    deleted: true,
  });
  assert.equal((await home.json(["vault", "settings"])).vault, "default");
});

Deno.test("--vault comes before BROKER_VAULT, and that before the vault in use", async () => {
  using home = new TestHome();
  for (const name of ["used", "env-one", "flag-one"]) await home.done(["vault", "create", name]);
  await home.done(["vault", "use", "used"]);
  const settings = ["vault", "settings"];
  const env = { BROKER_VAULT: "env-one" };
  assert.equal((await home.json(settings)).vault, "used");
  assert.equal((await home.json(settings, { env })).vault, "env-one");
  assert.equal((await home.json([...settings, "--vault", "flag-one"], { env })).vault, "flag-one");
  const missing = await home.broker([...settings, "--vault", "flag-on"]);
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /flag-one/);
});

Deno.test("vault settings are listed, got and set by name", async () => {
  using home = new TestHome();
  assert.deepEqual(await home.json(["vault", "settings"]), {
    vault: "default",
    unmatched_host_policy: "passthrough",
    plaintext_credentials: "local",
    notifications: "on",
  });
  await home.done(["vault", "settings", "set", "unmatched_host_policy", "deny"]);
  await home.done(["vault", "settings", "set", "plaintext_credentials", "always"]);
  const { stdout } = await home.done(["vault", "settings", "get", "unmatched_host_policy"]);
  assert.equal(stdout, "deny\n");
  assert.deepEqual(await home.json(["vault", "settings", "get", "plaintext_credentials"]), {
    vault: "default",
    plaintext_credentials: "always",
  });
  const value = await home.broker(["vault", "settings", "set", "unmatched_host_policy", "maybe"]);
  assert.equal(value.status, 1);
  assert.match(value.stderr, /no value "maybe"[^]*hint: .*passthrough.*deny/);
  const key = await home.broker(["vault", "settings", "get", "polic"]);
  assert.equal(key.status, 1);
  assert.match(key.stderr, /no setting "polic"/);
});

Deno.test("credentials come from a pipe, the command line and a file, and go", async () => {
  using home = new TestHome();
  const credential = ["vault", "credential"];
  assert.deepEqual(await home.json([...credential, "set", "A"], { stdin: "one\n" }), {
    vault: "default",
    set: ["A"],
  });
  const warned = await home.done([...credential, "set", "B=t=wo"]);
  assert.match(warned.stderr, /warning: .*history/);
  await home.done([...credential, "set", "-f", "-"], { stdin: "C='th ree'\nD=four # c\n" });
  assert.deepEqual(await home.json([...credential, "list"]), {
    vault: "default",
    keys: ["A", "B", "C", "D"],
  });
  assert.deepEqual(await home.json([...credential, "list", "--reveal"]), {
    vault: "default",
    credentials: { A: "one", B: "t=wo", C: "th ree", D: "four" },
  });
  assert.deepEqual(await home.json([...credential, "get", "B"]), {
    vault: "default",
    key: "B",
    value: "t=wo",
  });
  assert.deepEqual(await home.json([...credential, "delete", "A", "B"]), {
    vault: "default",
    deleted: ["A", "B"],
  });
  assert.equal((await home.done([...credential, "list"])).stdout, "C\nD\n");
});

Deno.test("a set of credentials is stored whole or not at all", async () => {
  using home = new TestHome();
  const file = home.file("bad.env", "A=1\nB=\n");
  const failed = await home.broker(["vault", "credential", "set", "-f", file]);
  assert.equal(failed.status, 1);
  assert.match(failed.stderr, /"B": it is empty/);
  assert.deepEqual((await home.json(["vault", "credential", "list"])).keys, []);
});

Deno.test("a faulty .env names file, line and column", async () => {
  using home = new TestHome();
  const file = home.file("bad.env", "A=1\n  what\n");
  const failed = await home.broker(["vault", "credential", "set", "-f", file]);
  assert.equal(failed.status, 1);
  assert.ok(failed.stderr.includes(`${file}:2:3: write KEY=VALUE`), failed.stderr);
});

const CREDENTIAL_FAULTS: readonly [
  args: string,
  stdin: string | undefined,
  told: RegExp,
  status: number,
][] = [
  ["set", undefined, /Neither a key nor a file/, 2],
  ["set A -f x.env", undefined, /Both keys and a file/, 2],
  ["set A A", undefined, /"A" is given twice/, 2],
  ["set A B", "x", /one value, and 2 keys[^]*set -f -/, 2],
  ["set A", "", /standard input: it is empty/, 1],
  ["set A", undefined, /standard input: it is empty/, 1],
  ["set lower", "x", /capital letters/, 1],
  ["set -f missing.env", undefined, /"missing.env": there is no such file/, 1],
  ["set -f .", undefined, /"\.": it is a directory/, 1],
  ["set -f -", "# nothing\n", /holds no KEY=VALUE line/, 1],
  ["get MISSING", undefined, /MISSING/, 1],
  ["delete MISSING", undefined, /MISSING/, 1],
];

for (const [args, stdin, told, status] of CREDENTIAL_FAULTS) {
  Deno.test(`"credential ${args}" with ${JSON.stringify(stdin ?? null)} on stdin fails with ${status} and a hint`, async () => {
    using home = new TestHome();
    await home.done(["init"]);
    const failed = await home.broker(["vault", "credential", ...args.split(" ")], { stdin });
    assert.equal(failed.status, status, failed.stderr);
    assert.match(failed.stderr, told);
    assert.match(failed.stderr, /broker: hint: /);
    assert.equal(failed.stdout, "");
  });
}

Deno.test("deleting a credential that a service needs says so", async () => {
  using home = new TestHome();
  await home.done(["vault", "credential", "set", "T"], { stdin: "x" });
  await home.done([
    "vault",
    "service",
    "add",
    "--name",
    "one",
    "--host",
    "a.example",
    "--token-key",
    "T",
  ]);
  const { stderr } = await home.done(["vault", "credential", "delete", "T"]);
  assert.match(stderr, /warning: .*"one" needs T/);
});

Deno.test("the passphrase is set, asked for, changed and removed", async () => {
  using home = new TestHome();
  await home.done(["vault", "credential", "set", "T"], { stdin: "kept" });
  const old = { BROKER_PASSPHRASE: "first one" };
  const get = ["vault", "credential", "get", "T"];
  assert.equal((await home.json(["passphrase", "set"], { env: old })).protection, "passphrase");

  const without = await home.broker(get);
  assert.equal(without.status, 1);
  assert.match(without.stderr, /BROKER_PASSPHRASE/);
  const wrong = await home.broker(get, { env: { BROKER_PASSPHRASE: "second one" } });
  assert.equal(wrong.status, 1);
  assert.equal(wrong.stdout, "");
  assert.match(wrong.stderr, /passphrase/i);
  assert.equal((await home.done(get, { env: old })).stdout, "kept\n");

  const again = await home.broker(["passphrase", "set"], { env: old });
  assert.equal(again.status, 1);
  assert.match(again.stderr, /hint: broker passphrase change/);

  const next = { BROKER_PASSPHRASE: "second one" };
  await home.done(["passphrase", "change"], { env: old, stdin: "second one\n" });
  assert.equal((await home.broker(get, { env: old })).status, 1);
  assert.equal((await home.done(get, { env: next })).stdout, "kept\n");

  const asked = await home.broker(["passphrase", "remove"], { env: next });
  assert.equal(asked.status, 1);
  assert.match(asked.stderr, /hint: broker passphrase remove --yes/);
  await home.done(["passphrase", "remove", "--yes"], { env: next });
  assert.equal((await home.done(get)).stdout, "kept\n");
  const gone = await home.broker(["passphrase", "change"]);
  assert.match(gone.stderr, /has no passphrase[^]*hint: broker passphrase set/);
});

Deno.test("BROKER_PASSPHRASE protects a home that is created with it", async () => {
  using home = new TestHome();
  const env = { BROKER_PASSPHRASE: "at first" };
  assert.equal((await home.json(["init"], { env })).protection, "passphrase");
  assert.equal((await home.json(["init"], { env })).created, false);
});

Deno.test("commands of the operator refuse inside a child of vault run", async () => {
  using home = new TestHome();
  const env = { BROKER_TOKEN: "brk_sess_x", BROKER_ADDR: "http://127.0.0.1:9" };
  for (
    const words of [
      "init",
      "vault list",
      "vault credential get A",
      "vault credential set A=b",
      "vault service list",
      "vault service clear --yes",
      "passphrase remove --yes",
      "ca path",
      "run -- true",
      "server",
    ]
  ) {
    const refused = await home.broker(words.split(" "), { env });
    assert.equal(refused.status, 1, words);
    assert.equal(refused.stdout, "");
    assert.match(refused.stderr, /for the operator[^]*hint: type it in another terminal/);
  }
  assert.throws(() => Deno.statSync(home.directory), Deno.errors.NotFound);
  assert.equal((await home.broker(["--version"], { env })).status, 0);
});

Deno.test("discover asks the broker inside a child of vault run", async () => {
  using home = new TestHome();
  const seen: string[] = [];
  const found = { vault: "v", services: [{ name: "n", host: "h" }], available_credentials: ["K"] };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    seen.push(`${new URL(request.url).pathname} ${request.headers.get("authorization")}`);
    return request.headers.get("authorization") === "Bearer good"
      ? Response.json(found)
      : Response.json({ error: "unauthorized", message: "No such token" }, { status: 401 });
  });
  const env = { BROKER_TOKEN: "good", BROKER_ADDR: `http://127.0.0.1:${server.addr.port}` };
  assert.deepEqual(await home.json(["vault", "discover"], { env }), found);
  const text = await home.done(["vault", "discover"], { env });
  assert.equal(text.stdout, "SERVICE  HOST\nn        h\n\nCredentials: K\n");
  const bad = await home.broker(["vault", "discover"], { env: { ...env, BROKER_TOKEN: "bad" } });
  assert.equal(bad.status, 1);
  assert.match(bad.stderr, /No such token/);
  await server.shutdown();
  const away = await home.broker(["vault", "discover"], { env });
  assert.equal(away.status, 1);
  assert.match(away.stderr, /no answer/);
  assert.deepEqual([...new Set(seen)], ["/discover Bearer good", "/discover Bearer bad"]);
});

Deno.test("discover reads the vault outside, and leaves disabled services out", async () => {
  using home = new TestHome();
  const file = home.file(
    "s.yaml",
    `services:
  - { name: one, host: a.example, auth: { type: passthrough } }
  - { name: two, host: b.example, enabled: false, auth: { type: passthrough } }
`,
  );
  await home.done(["vault", "service", "set", "-f", file]);
  await home.done(["vault", "credential", "set", "K"], { stdin: "x" });
  assert.deepEqual(await home.json(["vault", "discover"]), {
    vault: "default",
    services: [{ name: "one", host: "a.example" }],
    available_credentials: ["K"],
  });
});

Deno.test("an error with --json is one JSON line on stderr and nothing on stdout", async () => {
  using home = new TestHome();
  const failed = await home.broker(["vault", "settings", "--vault", "nope", "--json"]);
  assert.equal(failed.status, 1);
  assert.equal(failed.stdout, "");
  assert.equal(JSON.parse(failed.stderr).error, "not_found");
  const usage = await home.broker(["vault", "list", "--jsn", "--json"]);
  assert.equal(usage.status, 2);
  assert.equal(JSON.parse(usage.stderr).error, "usage");
});

Deno.test("an unusable home is an error without a stack trace, and BROKER_LOG=debug shows it", async () => {
  using home = new TestHome();
  const env = { BROKER_HOME: home.file("a-file", "not a directory") };
  const plain = await home.broker(["vault", "list"], { env });
  assert.equal(plain.status, 1);
  assert.match(plain.stderr, /broker: error: [^]*broker: hint: /);
  assert.equal(/\.[jt]s:\d/.test(plain.stderr), false);
  const debug = await home.broker(["vault", "list"], { env: { ...env, BROKER_LOG: "debug" } });
  assert.ok(/\.[jt]s:\d/.test(debug.stderr), debug.stderr);
});

Deno.test("a reader that closes its end early ends the printing quietly", async () => {
  using home = new TestHome();
  const lines = Array.from({ length: 20_000 }, (_, index) => `K${index}=v`).join("\n");
  await home.done(["vault", "credential", "set", "-f", home.file("many.env", lines)]);
  const { status, stderr } = await home.shell(
    "{ broker vault credential list; echo $? >&2; } | head -n 1",
  );
  assert.equal(status, 0);
  assert.equal(stderr, "0\n");
});

Deno.test("--version is one line, and JSON when asked", async () => {
  using home = new TestHome();
  const { stdout } = await home.done(["--version"]);
  assert.match(stdout, /^\d+\.\d+\.\d+(?: \([0-9a-f]{12}(?:-dirty)?\))?\n$/);
  const [version, commit] = stdout.trim().split(/[ ()]+/);
  assert.deepEqual(await home.json(["--version"]), { version, ...(commit && { commit }) });
});

Deno.test("no command shows the help on stdout", async () => {
  using home = new TestHome();
  const { stdout, stderr } = await home.done([]);
  assert.match(stdout, /^Usage: broker/);
  assert.equal(stderr, "");
});

Deno.test("several first commands at once make one home and lose nothing", async () => {
  using home = new TestHome();
  const keys = ["A", "B", "C", "D"];
  await Promise.all(
    keys.map((key) => home.done(["vault", "credential", "set", key], { stdin: "x" })),
  );
  assert.deepEqual((await home.json(["vault", "credential", "list"])).keys, keys);
});

Deno.test({
  name: "data that cannot be written is a failure",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using home = new TestHome();
    await home.done(["init"]);
    const failed = await home.shell("broker vault list > /dev/full");
    assert.equal(failed.status, 1);
    assert.match(failed.stderr, /Write to standard output/);
  },
});
