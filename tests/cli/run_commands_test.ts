import assert from "node:assert/strict";
import { runProcess } from "../support/run_process.ts";
import { TestHome } from "./test_home.ts";

const ignore = Deno.build.os === "windows";
const CANARY = "sk-canary-0123456789";

async function addService(home: TestHome): Promise<void> {
  await home.done(["vault", "credential", "set", "API_KEY"], { stdin: CANARY });
  await home.done([
    "vault",
    "service",
    "add",
    "--name",
    "one",
    "--host",
    "a.example",
    "--token-key",
    "API_KEY",
  ]);
}

Deno.test({
  name: "the child never gets a stored value, its passphrase or a stale broker variable",
  ignore,
  async fn() {
    using home = new TestHome();
    const env = { BROKER_PASSPHRASE: "horse canary" };
    await home.done(["vault", "credential", "set", "API_KEY"], { stdin: CANARY, env });
    const { stdout, stderr } = await home.done(["run", "--", "env"], {
      env: { ...env, LEAK: CANARY, BROKER_ADDR: "http://stale.example" },
    });
    assert.equal(stdout.includes("canary"), false);
    assert.equal(stderr.includes("canary"), false);
    assert.match(stdout, /^LEAK=__api_key__$/m);
    assert.match(stderr, /broker: warning: .*LEAK/);
    assert.match(stdout, /^BROKER_ADDR=http:\/\/127\.0\.0\.1:\d+$/m);
    assert.equal(stdout.includes("BROKER_PASSPHRASE"), false);
  },
});

Deno.test({
  name: "a command that cannot be started ends with 127 or 126 before anything is created",
  ignore,
  async fn() {
    using home = new TestHome();
    const file = home.file("not-executable", "x");
    for (const [command, status] of [["no-such-program", 127], [file, 126]] as const) {
      const failed = await home.broker(["vault", "run", "--", command]);
      assert.equal(failed.status, status, failed.stderr);
      assert.match(failed.stderr, /broker: error: [^]*broker: hint: /);
      assert.throws(() => Deno.statSync(home.directory), Deno.errors.NotFound);
    }
  },
});

for (const [line, status] of [["exit 0", 0], ["exit 7", 7], ["kill -TERM $$", 143]] as const) {
  Deno.test({
    name: `vault run ends with ${status} for a child that does "${line}"`,
    ignore,
    async fn() {
      using home = new TestHome();
      const { status: ended } = await home.broker(["vault", "run", "--", "sh", "-c", line]);
      assert.equal(ended, status);
    },
  });
}

Deno.test({
  name: "vault run without services says in one line what to do next, and nothing with --quiet",
  ignore,
  async fn() {
    using home = new TestHome();
    await home.done(["init"]);
    const told = await home.done(["run", "--", "true"]);
    assert.match(told.stderr, /^broker: vault "default" has no services.*service add.*\n$/);
    assert.equal((await home.done(["run", "--quiet", "--", "true"])).stderr, "");
    await addService(home);
    assert.equal((await home.done(["run", "--", "true"])).stderr, "");
  },
});

Deno.test({
  name: "the token of a run works while the child runs and not after",
  ignore,
  async fn() {
    using home = new TestHome();
    await addService(home);
    const script = "printf '%s %s\\n' $BROKER_ADDR $BROKER_TOKEN; cat \"$NODE_EXTRA_CA_CERTS\"";
    const { stdout } = await home.done(["run", "--", "sh", "-c", script]);
    const [, token = ""] = stdout.split("\n")[0]!.split(" ");
    assert.match(token, /^brk_sess_/);
    assert.match(stdout, /-----BEGIN CERTIFICATE-----/);
    const running = home.start(["server", "--port", "0", "--proxy-port", "0", "--json"]);
    try {
      const [, api] = await running.waitFor(/"api": "([^"]+)"/);
      const answer = await fetch(`${api}/discover`, {
        headers: { authorization: `Bearer ${token}` },
      });
      assert.equal(answer.status, 401);
      await answer.body?.cancel();
    } finally {
      running.kill("SIGTERM");
      assert.equal((await running.finished()).code, 0);
    }
  },
});

Deno.test({
  name: "discover works in the child, and commands of the operator do not",
  ignore,
  async fn() {
    using home = new TestHome();
    await addService(home);
    const inChild = (...args: string[]) => home.broker(["run", "--", ...home.command(args)]);
    const refused = await inChild("vault", "credential", "get", "API_KEY");
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /another terminal/);
    assert.equal(home.printed.includes("canary"), false);
    const { stdout } = await inChild("vault", "discover", "--json");
    assert.deepEqual(JSON.parse(stdout), {
      vault: "default",
      services: [{ name: "one", host: "a.example" }],
      available_credentials: ["API_KEY"],
    });
  },
});

Deno.test({
  name: "placeholders stand for the keys of services, unless --no-placeholders",
  ignore,
  async fn() {
    using home = new TestHome();
    await addService(home);
    const print = ["--", "sh", "-c", 'echo "[$API_KEY] $NO_PROXY"'];
    assert.match((await home.done(["run", ...print])).stdout, /^\[__api_key__\]/);
    const bare = await home.done(["run", "--no-placeholders", "--no-proxy", "x.example", ...print]);
    assert.match(bare.stdout, /^\[\] .*x\.example/);
  },
});

const WRONG: readonly [args: string[], status: number, told: RegExp][] = [
  [["run"], 2, /Missing required argument "COMMAND"/],
  [["run", "--ttl", "10", "--", "true"], 2, /needs a unit/],
  [["run", "--ttl", "1s", "--", "true"], 1, /too short/],
  [["run", "--ttl", "8d", "--", "true"], 1, /too long/],
  [["run", "--vault", "nope", "--", "true"], 1, /nope/],
  [["server", "--port", "70000"], 2, /--port/],
  [["server", "--proxy-port", "x"], 2, /--proxy-port/],
  [["server", "--host", "banana"], 2, /--host: "banana" is no address/],
  [["server", "--host", "203.0.113.7"], 1, /not one of this machine/],
];

for (const [args, status, told] of WRONG) {
  Deno.test({
    name: `"broker ${args.join(" ")}" ends with ${status}`,
    ignore,
    async fn() {
      using home = new TestHome();
      const failed = await home.broker(args);
      assert.equal(failed.status, status, failed.stderr);
      assert.match(failed.stderr, told);
    },
  });
}

Deno.test({
  name: "server says where it listens and names a way out when a port is taken",
  ignore,
  async fn() {
    using home = new TestHome();
    await home.done(["init"]);
    await using running = home.start(["server", "--port", "0", "--proxy-port", "0"]);
    const [, port = ""] = await running.waitFor(/API on http:\/\/127\.0\.0\.1:(\d+),/, "stderr");
    const health = await fetch(`http://127.0.0.1:${port}/healthz`);
    assert.equal((await health.json()).status, "ok");
    const second = await home.broker(["server", "--port", port, "--proxy-port", "0"]);
    assert.equal(second.status, 1);
    assert.match(second.stderr, /a port is taken[^]*--port 0/);
    running.kill("SIGINT");
    assert.equal((await running.finished()).code, 0);
  },
});

Deno.test({
  name: "server on another address of this machine writes it as a URL does",
  ignore,
  async fn() {
    using home = new TestHome();
    await home.done(["init"]);
    const ports = ["--port", "0", "--proxy-port", "0"];
    for (
      const [host, written] of [
        ["localhost", "localhost"],
        ["127.0.0.2", "127\\.0\\.0\\.2"],
        ...(hasIpv6() ? [["::1", "\\[::1\\]"] as const] : []),
      ] as const
    ) {
      await using running = home.start(["server", "--host", host, ...ports]);
      const address = new RegExp(`API on http://${written}:\\d+, proxy on http://${written}:\\d+;`);
      await running.waitFor(address, "stderr");
      running.kill("SIGINT");
      const { code, stderr } = await running.finished();
      assert.equal(code, 0);
      assert.ok(!stderr.includes("warning"), stderr);
    }
  },
});

Deno.test({
  // Neither 127.0.0.1 nor the address of an interface was a name of such a listener.
  name: "server on every address answers under each of them, and under no foreign name",
  ignore,
  async fn() {
    using home = new TestHome();
    await home.done(["init"]);
    const ports = ["--port", "0", "--proxy-port", "0"];
    await using running = home.start(["server", "--host", "0.0.0.0", ...ports]);
    const [, port] = await running.waitFor(/API on http:\/\/127\.0\.0\.1:(\d+),/, "stderr");
    const addresses = Deno.networkInterfaces().filter(({ family }) => family === "IPv4")
      .map(({ address }) => address);
    for (const address of ["localhost", ...addresses]) {
      const answer = await fetch(`http://${address}:${port}/healthz`);
      assert.equal((await answer.json()).status, "ok", address);
    }
    const foreign = await runProcess("curl", [
      ...["-sS", "--noproxy", "*", "-H", `Host: rebound.test:${port}`],
      `http://127.0.0.1:${port}/healthz`,
    ]);
    assert.match(foreign.stdout, /host_not_allowed/);
    running.kill("SIGINT");
    const { code, stderr } = await running.finished();
    assert.equal(code, 0);
    assert.match(stderr, /broker: warning: "0\.0\.0\.0" is not of this machine alone/);
  },
});

function hasIpv6(): boolean {
  try {
    Deno.listen({ hostname: "::1", port: 0 }).close();
    return true;
  } catch {
    return false;
  }
}

Deno.test("ca print, path and bundle give the same certificate every time", async () => {
  using home = new TestHome();
  const { stdout: pem } = await home.done(["ca", "print"]);
  assert.match(pem, /^-----BEGIN CERTIFICATE-----\n[^]*-----END CERTIFICATE-----\n$/);
  assert.equal((await home.json(["ca", "print"])).certificate, pem);
  const { path } = await home.json(["ca", "path"]);
  assert.equal((await home.done(["ca", "path"])).stdout, `${path}\n`);
  assert.equal(Deno.readTextFileSync(path).trim(), pem.trim());
  const { path: bundle } = await home.json(["ca", "bundle"]);
  assert.ok(Deno.readTextFileSync(bundle).includes(pem.trim()));
});
