import assert from "node:assert/strict";
import { dirname } from "node:path";
import { AGENT_COMMANDS } from "../../src/cli/tree/agent.ts";
import { proxyBasic } from "../support/raw_client.ts";
import { BrokeredHome, SECRET } from "../e2e/brokered_home.ts";
import { TestHome } from "./test_home.ts";

Deno.test("bad names, roles and vaults of agents are refused with what to type", async () => {
  using home = new TestHome();
  await home.done(["init"]);
  const cases: [string[], number, RegExp][] = [
    [["agent", "create", "Builder"], 1, /such as "builder"/],
    [["agent", "create", "builder", "--vault", "default:rea"], 1, /hint: default:read/],
    [["agent", "create", "builder", "--vault", "nope"], 1, /vault create nope/],
    [["agent", "create"], 2, /missing required argument/i],
    [["agent", "info", "nobody"], 1, /broker agent create NAME/],
    [["agent", "delete", "nobody", "--yes"], 1, /no agent "nobody"/],
    [["agent", "skill", "--install", "clade"], 2, /--install claude/],
  ];
  for (const [args, status, words] of cases) {
    const refused = await home.broker(args);
    assert.equal(refused.status, status, args.join(" "));
    assert.match(refused.stderr, words);
    assert.equal(refused.stdout, "");
  }
  assert.deepEqual((await home.json(["agent", "list"])).agents, []);
});

Deno.test("an agent is created, listed, granted, renamed, rotated, revoked and deleted", async () => {
  using home = new TestHome();
  await home.done(["vault", "create", "work"]);
  const created = await home.done(["agent", "create", "builder"]);
  assert.match(created.stdout, /^brk_agt_[A-Za-z0-9_-]{43}\n$/);
  assert.match(created.stderr, /shown only now/);
  assert.ok(!created.stderr.includes(created.stdout.trim()));
  await home.done(["agent", "grant", "builder", "work:read"]);
  const info = await home.json(["agent", "info", "builder"]);
  assert.deepEqual(info.vaults, [{ vault: "default", role: "proxy" }, {
    vault: "work",
    role: "read",
  }]);
  assert.ok(!JSON.stringify(info).includes("brk_agt_"));
  await home.done(["agent", "ungrant", "builder", "default"]);
  await home.done(["agent", "rename", "builder", "deployer"]);
  const rotated = await home.json(["agent", "rotate", "deployer"]);
  assert.notEqual(rotated.token, created.stdout.trim());
  assert.equal((await home.json(["agent", "revoke", "deployer"])).revoked, true);
  assert.match((await home.done(["agent", "list"])).stdout, /deployer +revoked +work:read/);
  const asked = await home.broker(["agent", "delete", "deployer"]);
  assert.equal(asked.status, 1);
  assert.match(asked.stderr, /--yes/);
  await home.done(["agent", "delete", "deployer", "--yes"]);
  const two = await home.json([
    "agent",
    "create",
    "two",
    "--vault",
    "work",
    "--vault",
    "default:read",
  ]);
  assert.deepEqual(two.vaults, [{ vault: "default", role: "read" }, {
    vault: "work",
    role: "proxy",
  }]);
});

Deno.test("inside a run, agents cannot be managed, and the skill can be read", async () => {
  using home = new TestHome();
  const env = { BROKER_TOKEN: "brk_sess_x", BROKER_ADDR: "http://127.0.0.1:1" };
  for (const { path, arguments: args = "" } of AGENT_COMMANDS) {
    if (path === "agent skill") continue;
    const words = [...path.split(" "), ...args.split(" ").filter(Boolean).map(() => "default")];
    const refused = await home.broker(words, { env });
    assert.equal(refused.status, 1, path);
    assert.match(refused.stderr, /another terminal/, path);
  }
  const skill = await home.done(["agent", "skill"], { env });
  assert.match(skill.stdout, /^# Reaching APIs through broker/);
});

Deno.test("the skill is written where programs look, never over another text unasked", async () => {
  using home = new TestHome();
  const place = home.file("marker", "");
  const user = place.replace(/marker$/, "user");
  // Another home has no cache of the program's packages.
  const cache = Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;
  const env = { HOME: user, DENO_DIR: cache, XDG_CACHE_HOME: dirname(cache) };
  const refused = await home.broker(["agent", "skill", "--install", "claude"], { env });
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /--yes/);
  await assert.rejects(Deno.stat(user));
  const programs = {
    claude: ".claude/skills/broker/SKILL.md",
    codex: ".codex/skills/broker/SKILL.md",
    cursor: ".cursor/rules/broker.mdc",
    opencode: ".config/opencode/skills/broker/SKILL.md",
  };
  const flags = Object.keys(programs).flatMap((name) => ["--install", name]);
  await home.done(["agent", "skill", ...flags, "--yes"], { env });
  for (const path of Object.values(programs)) {
    const text = await Deno.readTextFile(`${user}/${path}`);
    assert.match(
      text,
      /^---\n(name: broker\n)?description: ".*"\n(alwaysApply: false\n)?---\n\n# /,
    );
  }
  const again = await home.done(["agent", "skill", "--install", "claude"], { env });
  assert.match(again.stderr, /up to date/);
  const file = `${user}/${programs.claude}`;
  await Deno.writeTextFile(file, "my own words");
  const differs = await home.onTerminal(["agent", "skill", "--install", "claude"], {
    env,
    columns: 400,
    steps: [["Replace it?", "\r"]],
  });
  assert.equal(differs.missed, null);
  assert.equal(differs.status, 1);
  assert.equal(await Deno.readTextFile(file), "my own words");
  const project = await home.done(["agent", "skill", "--install", "cursor", "--project", "--yes"]);
  assert.match(project.stderr, /\.cursor\/rules\/broker\.mdc/);
});

Deno.test({
  name: "a program with an agent token goes through the server, until the token is taken back",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await using scene = new BrokeredHome();
    await scene.prepare();
    const token = (await scene.home.json(["agent", "create", "builder"])).token;
    const server = scene.home.start(["server", "--port", "0", "--proxy-port", "0", "--json"], {
      env: scene.env,
    });
    try {
      const [, api = ""] = await server.waitFor(/"api": "([^"]+)"/);
      const [, proxy = ""] = await server.waitFor(/"proxy": "([^"]+)"/);
      const request = async (vault: string | undefined) =>
        await fetchThrough(proxy, { token, vault, url: scene.url, scene });
      assert.equal(await request(undefined), 403);
      assert.equal(await request("default"), 200);
      assert.deepEqual(scene.upstream.requests.at(-1)!.values("authorization"), [
        `Bearer ${SECRET}`,
      ]);
      const discover = (headers: Record<string, string>) =>
        fetch(`${api}/discover`, { headers: { Authorization: `Bearer ${token}`, ...headers } });
      const unnamed = await discover({});
      assert.equal(unnamed.status, 400);
      assert.match((await unnamed.json()).hint, /one of: default/);
      assert.equal((await (await discover({ "X-Vault": "default" })).json()).vault, "default");
      const inside = await scene.home.json(["vault", "discover"], {
        env: { BROKER_TOKEN: token, BROKER_ADDR: api, BROKER_VAULT: "default" },
      });
      assert.equal(inside.services[0].name, "api");
      const minted = await fetch(`${api}/v1/sessions`, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        body: JSON.stringify({ vault: "default" }),
      });
      const session = (await minted.json()).token;
      const again = await fetch(`${api}/v1/sessions`, {
        method: "POST",
        headers: { Authorization: `Bearer ${session}`, "Content-Type": "application/json" },
        body: "{}",
      });
      assert.equal(again.status, 403);
      await again.body?.cancel();
      const bySession = () =>
        fetchThrough(proxy, { token: session, vault: "default", url: scene.url, scene });
      assert.equal(await bySession(), 200);
      await scene.home.done(["agent", "revoke", "builder"]);
      assert.equal(await request("default"), 407);
      assert.equal(await bySession(), 407);
      const after = await discover({ "X-Vault": "default" });
      assert.equal(after.status, 401);
      await after.body?.cancel();
    } finally {
      server.kill("SIGTERM");
      assert.equal((await server.finished()).code, 0);
    }
  },
});

/** The status that curl gets through the proxy, whether from the CONNECT or from inside of it. */
async function fetchThrough(
  proxy: string,
  options: { token: string; vault: string | undefined; url: string; scene: BrokeredHome },
): Promise<number> {
  const ca = (await options.scene.home.done(["ca", "path"])).stdout.trim();
  const { stdout } = await new Deno.Command("curl", {
    args: [
      ...["-sS", "-o", "/dev/null", "-w", "%{http_code} %{http_connect}", "--cacert", ca],
      ...["--proxy", proxy, "--noproxy", ""],
      ...[
        "--proxy-header",
        `Proxy-Authorization: ${proxyBasic(options.token, options.vault ?? "")}`,
      ],
      options.url,
    ],
    stdout: "piped",
    stderr: "null",
  }).output();
  const [inside, connect] = new TextDecoder().decode(stdout).trim().split(" ").map(Number);
  return connect === 200 ? inside! : connect!;
}
