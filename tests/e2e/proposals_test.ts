import assert from "node:assert/strict";
import { BrokeredHome } from "./brokered_home.ts";

const AGENTS = "canary-e2e-agent-9b10";
const PERSONS = "canary-e2e-person-9b10";
const ignore = Deno.build.os === "windows";

/** What `until` waits for at most; a stopped clock and not a pace. */
const PATIENCE_MS = 60_000;

/** Runs a look until it finds something. */
async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
    const found = await look();
    if (found !== undefined) return found;
  }
  return assert.fail("It never came");
}

/** Approves the first proposal from a process of its own as soon as it is there. */
async function approveFirst(scene: BrokeredHome): Promise<void> {
  const { home } = scene;
  await until(async () => (await home.json(["vault", "proposal", "list"])).proposals[0]);
  await home.done(["vault", "proposal", "approve", "1", "--yes"], {
    stdin: `ASKED_KEY=${PERSONS}\n`,
  });
}

/** A script in which `broker` is the program, run by a child that the broker started. */
function child(scene: BrokeredHome, script: string, env: Record<string, string> = {}) {
  const broker = scene.home.command([]).map((word) => `'${word}'`).join(" ");
  return scene.run(["sh", "-ec", `broker() { ${broker} "$@"; }\n${script}`], { env });
}

const SERVICE = {
  action: "set",
  name: "asked-one",
  host: "api.test",
  auth: { type: "basic", username: "GIVEN_KEY", password: "ASKED_KEY" },
};

const BODY = {
  services: [SERVICE],
  credentials: [{ key: "ASKED_KEY" }, { key: "GIVEN_KEY", value: AGENTS }],
  user_message: "I need it",
};

const WAYS: readonly (readonly [name: string, propose: string])[] = [
  [
    "the command line",
    `broker vault proposal create -f "$BODY_FILE" --json > /dev/null
     broker vault proposal wait 1`,
  ],
  [
    "HTTP",
    `curl -sS --fail-with-body -X POST "$BROKER_ADDR/v1/proposals" -o /dev/null \\
       -H "Authorization: Bearer $BROKER_TOKEN" -H "Content-Type: application/json" \\
       --data-binary @"$BODY_FILE"
     until curl -sS "$BROKER_ADDR/v1/proposals/1?wait=60" \\
       -H "Authorization: Bearer $BROKER_TOKEN" | grep -o '"status":"applied"'; do :; done`,
  ],
];

for (const [way, propose] of WAYS) {
  Deno.test({
    name:
      `an agent that is refused asks by ${way}, a person approves elsewhere, and the retry works`,
    ignore,
    async fn() {
      await using scene = new BrokeredHome();
      await scene.home.done(["vault", "settings", "set", "unmatched_host_policy", "deny"]);
      const url = `${scene.url}/v1/charge?x=1`;
      const file = scene.home.file("body.json", JSON.stringify(BODY));
      const running = child(
        scene,
        `curl -sS -o /dev/null -w 'first %{http_code}\\n' '${url}'
         curl -sS '${url}' | grep -o '"endpoint":"POST /v1/proposals"'
         ${propose}
         curl -sS -o /dev/null -w 'retry %{http_code}\\n' '${url}'`,
        { BODY_FILE: file, BROKER_NOTIFY: "0" },
      );
      await approveFirst(scene);
      const { status, stdout, stderr } = await running;
      assert.equal(status, 0, stdout + stderr);
      assert.equal(
        stderr.replace("broker: proposal 1 was approved; the same request works now\n", ""),
        "",
      );
      assert.match(stdout, /^first 403\n"endpoint":"POST \/v1\/proposals"\n/);
      assert.match(stdout, /applied"?\nretry 200\n$/);
      const sent = scene.upstream.requests.map((seen) => seen.values("authorization"));
      assert.deepEqual(sent, [[`Basic ${btoa(`${AGENTS}:${PERSONS}`)}`]]);
      assert.ok(!scene.home.printed.includes("canary-e2e"), scene.home.printed);
      for (const { name, isFile } of Deno.readDirSync(scene.home.directory)) {
        if (!isFile) continue;
        const bytes = Deno.readFileSync(`${scene.home.directory}/${name}`);
        assert.ok(!new TextDecoder("latin1").decode(bytes).includes("canary-e2e"), name);
      }
    },
  });
}

Deno.test({
  name: "in a child, show, list and create answer from the broker, and deciding is refused there",
  ignore,
  async fn() {
    await using scene = new BrokeredHome();
    await scene.prepare();
    const { status, stdout, stderr } = await child(
      scene,
      `broker vault proposal create --service-name asked-one --host other.test --token-key NEW_KEY \\
         --slot NEW_KEY
       broker vault proposal list
       broker vault proposal show 1
       broker vault proposal approve 1 --yes || echo "refused $?"
       curl -sS -X POST "$BROKER_ADDR/v1/proposals/1/approve" -o /dev/null -w '%{http_code}\\n' \\
         -H "Authorization: Bearer $BROKER_TOKEN" -H 'Content-Type: application/json' -d '{}'
       broker vault proposal create --host other.test/** --token-key NOPE || echo "faulty $?"`,
      { BROKER_NOTIFY: "0" },
    );
    assert.equal(status, 0, stderr);
    assert.match(stdout, /http:\/\/127\.0\.0\.1:\d+\/approve\/1\?token=brk_appr_/);
    assert.match(stdout, /Then wait for the decision: broker vault proposal wait 1/);
    assert.match(stdout, /1 +pending .*asked-one/);
    assert.match(stdout, /NEW_KEY: a person gives the value/);
    assert.match(stdout, /refused 1\n403\nfaulty 1/);
    assert.match(stderr, /another terminal/);
    assert.match(stderr, /\n {2}host: .*\*\*/);
    const { proposals } = await scene.home.json(["vault", "proposal", "list"]);
    assert.deepEqual(proposals.map((one: { status: string }) => one.status), ["pending"]);
  },
});

Deno.test({
  name: "a new proposal is announced on the desktop, once, and not where it is switched off",
  ignore: ignore || Deno.build.os === "darwin",
  async fn() {
    await using scene = new BrokeredHome();
    await scene.prepare();
    const seen = scene.home.file("seen", "");
    const notifier = scene.home.file(
      "notify-send",
      `#!/bin/sh\necho noise\necho "$4" >> '${seen}'\n`,
    );
    Deno.chmodSync(notifier, 0o755);
    const env = { PATH: `${notifier.slice(0, notifier.lastIndexOf("/"))}:${Deno.env.get("PATH")}` };
    const create = (wait: boolean) =>
      `broker vault proposal create --slot "KEY_$$" > /dev/null
       ${wait ? `while ! [ -s '${seen}' ]; do :; done` : ""}`;
    const announced = await child(scene, create(true), env);
    assert.equal(announced.status, 0, announced.stderr);
    assert.equal(announced.stdout + announced.stderr, "");
    const once = Deno.readTextFileSync(seen);
    assert.match(once, /^Proposal 1: KEY_\d+\. To decide: broker vault proposal approve 1 .*\n$/);
    await child(scene, create(false), { ...env, BROKER_NOTIFY: "0" });
    await scene.home.done(["vault", "settings", "set", "notifications", "off"]);
    await child(scene, create(false), env);
    assert.equal(Deno.readTextFileSync(seen), once);
  },
});

Deno.test({
  name: "a server stops at once while an agent waits for a decision",
  ignore,
  async fn() {
    await using scene = new BrokeredHome();
    await scene.prepare();
    // The child leaves a request waiting behind; the run ends all the same.
    const { status } = await child(
      scene,
      `broker vault proposal create --slot SOME_KEY > /dev/null
       curl -sS "$BROKER_ADDR/v1/proposals/1?wait=60" -H "Authorization: Bearer $BROKER_TOKEN" \\
         > /dev/null 2>&1 &`,
      { BROKER_NOTIFY: "0" },
    );
    assert.equal(status, 0);
  },
});
