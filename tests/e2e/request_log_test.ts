/** The request log as people use it: real requests, the table, a follower in another process, no secret. */
import assert from "node:assert/strict";
import { BrokeredHome, SECRET } from "./brokered_home.ts";
import { filesHolding } from "../store/temporary_home.ts";

const ignore = Deno.build.os === "windows";

function requests(scene: BrokeredHome): string[] {
  return [
    "sh",
    "-c",
    `curl -sS -o /dev/null "${scene.url}/brokered?token=canary-query" -H 'X-Note: canary-header' -d canary-body
     curl -sS -o /dev/null --proxy "http://wrong:canary-proxy@\${HTTPS_PROXY##*@}" "${scene.url}/refused" 2> /dev/null
     curl -sS -o /dev/null http://gone.test/failed
     curl -sSk -o /dev/null "https://other.test:${scene.upstream.port}/tunnel"`,
  ];
}

Deno.test({
  name: "each request, tunnel and refusal has its row, the run its line, and no file a secret",
  ignore,
  fn: async () => {
    await using scene = new BrokeredHome();
    await scene.prepare();
    const { home } = scene;
    const ran = await home.broker(["vault", "run", "--", ...requests(scene)], { env: scene.env });
    assert.match(
      ran.stderr,
      /broker: 3 requests, 1 brokered, 1 passed through, 0 refused, 1 failed/,
    );
    const lines = (await home.done(["vault", "logs", "--json"])).stdout.trim().split("\n");
    const rows = lines.map((line) => JSON.parse(line));
    assert.deepEqual(
      rows.map((row) => [row.ingress, row.path, row.status, row.matched_service, row.error_code]),
      [
        ["connect", "/brokered", 200, "api", null],
        ["connect", "", 407, null, "proxy_auth_required"],
        ["forward", "/failed", 502, null, "dns_failed"],
        ["tunnel", "", 200, null, null],
      ],
    );
    assert.deepEqual(rows[0].credential_keys, ["API_KEY"]);
    assert.equal(rows[0].actor_type, "session");
    assert.equal(rows[0].request_bytes, "canary-body".length);
    assert.ok(rows[3].request_bytes > 0 && rows[3].response_bytes > 0);
    for (const secret of [SECRET, "canary-query", "canary-header", "canary-body", "canary-proxy"]) {
      assert.deepEqual(filesHolding(home.directory, secret), [], secret);
      assert.ok(!home.printed.includes(secret), secret);
    }
    const quiet = await home.broker(["vault", "run", "--quiet", "--", ...requests(scene)], {
      env: scene.env,
    });
    assert.equal(quiet.stderr.includes("requests,"), false);
    const none = await home.broker(["vault", "run", "--", "true"], { env: scene.env });
    assert.ok(!none.stderr.includes("request"));
  },
});

Deno.test({
  name: "a follower in one process sees requests of another, and Ctrl-C ends it well",
  ignore,
  fn: async () => {
    await using scene = new BrokeredHome();
    await scene.prepare();
    await using follower = scene.home.start(["vault", "logs", "-f"]);
    for (const path of ["one", "two"]) {
      await scene.run(["curl", "-sS", "-o", "/dev/null", `${scene.url}/${path}`]);
      await follower.waitFor(new RegExp(`api\\.test:\\d+/${path}`));
    }
    follower.kill("SIGINT");
    assert.equal((await follower.finished()).code, 0);
  },
});

Deno.test({
  name: "filters narrow, a run asks for its own vault, and explain says why, then and now",
  ignore,
  fn: async () => {
    await using scene = new BrokeredHome();
    await scene.prepare();
    const { home } = scene;
    await home.done([
      "vault",
      "service",
      "add",
      "--name",
      "nokey",
      "--host",
      "other.test",
      "--token-key",
      "NOPE",
    ]);
    const broker = home.command([]).map((word) => `'${word}'`).join(" ");
    const { stdout } = await scene.run([
      "sh",
      "-ec",
      `curl -sS -o /dev/null ${scene.url}/fine; curl -sS -o /dev/null https://other.test/closed
       ${broker} vault logs --status error --json`,
    ]);
    const failed = JSON.parse(stdout);
    assert.equal(failed.error_code, "credential_not_found");
    const paths = async (...flags: string[]) =>
      (await home.done(["vault", "logs", "--json", ...flags])).stdout.trim().split("\n")
        .filter(Boolean).map((line) => JSON.parse(line).path);
    assert.deepEqual(await paths("--status", "ok"), ["/fine"]);
    assert.deepEqual(await paths("--status", "5xx"), ["/closed"]);
    assert.deepEqual(await paths("--service", "nokey"), ["/closed"]);
    assert.deepEqual(await paths("--actor", failed.actor_name), ["/fine", "/closed"]);
    assert.deepEqual(await paths("--host", "OTHER.test"), ["/closed"]);
    assert.deepEqual(await paths("--since", "1h", "--limit", "1"), ["/closed"]);
    assert.deepEqual(await paths("--until", "1h"), []);
    const why = (await home.done(["vault", "logs", "explain", failed.id.slice(0, 8)])).stdout;
    assert.match(why, /then {2}502 credential_not_found, service "nokey" took it with NOPE/);
    await home.done(["vault", "service", "remove", "nokey", "--yes"]);
    const later = (await home.done(["vault", "logs", "explain", failed.id])).stdout;
    assert.match(later, /now {3}No service matches.*the services have changed since/);
    for (
      const [args, words] of [
        [["explain", "zz"], /first 6 characters/],
        [["explain", "000000"], /has no request/],
        [["--status", "9"], /4xx/],
        [["--limit", "0"], /--limit 50/],
        [["--since", "noon"], /30m/],
      ] as const
    ) {
      const refused = await home.broker(["vault", "logs", ...args]);
      assert.notEqual(refused.status, 0);
      assert.match(refused.stderr, words);
    }
  },
});

Deno.test({
  name: "on a narrow terminal a line still fits, and a hostile path steers nothing",
  ignore,
  fn: async () => {
    await using scene = new BrokeredHome();
    await scene.prepare();
    await scene.run(["curl", "-sS", "-o", "/dev/null", `${scene.url}/${"long/".repeat(40)}`]);
    for (const columns of [40, 60, 80, 120]) {
      const { output } = await scene.home.onTerminal(["vault", "logs"], { steps: [], columns });
      const line = output.split("\n").find((text) => text.includes("api.test"))!;
      // deno-lint-ignore no-control-regex -- colours are control sequences
      const shown = line.replaceAll(/\x1b\[[0-9;?]*[A-Za-z]/g, "").trimEnd();
      assert.ok([...shown].length <= columns, `${columns}: ${shown}`);
      assert.match(shown, /200/);
    }
  },
});

Deno.test({
  name: "a request to a disabled service is told as that service's, refused and without a key",
  ignore,
  fn: async () => {
    await using scene = new BrokeredHome();
    await scene.prepare();
    const { home } = scene;
    await home.done(["vault", "service", "disable", "api"]);
    const ran = await home.broker(
      ["vault", "run", "--", "curl", "-sS", "-o", "/dev/null", `${scene.url}/x`],
      { env: scene.env },
    );
    assert.match(ran.stderr, /broker: 1 request, 0 brokered, 1 refused, 0 failed/);
    const [row] = (await home.done(["vault", "logs", "--service", "api", "--json"])).stdout.trim()
      .split("\n").map((line) => JSON.parse(line));
    assert.deepEqual([row.status, row.error_code], [403, "service_disabled"]);
    assert.deepEqual(row.credential_keys, []);
    const { stdout } = await home.done(["vault", "logs", "explain", row.id]);
    assert.match(stdout, /then +403 service_disabled, service "api" took it\. .*service enable/);
    assert.doesNotMatch(stdout, /services have changed/);
  },
});
