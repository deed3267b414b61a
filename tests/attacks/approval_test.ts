/** An agent under `vault run` that has curl, the link and every token it was given approves for itself. */
import assert from "node:assert/strict";
import { TestHome } from "../cli/test_home.ts";

const PASSPHRASE = "canary-horse-battery";

const PROPOSAL = JSON.stringify({
  services: [{
    action: "set",
    name: "mine",
    host: "mine.test",
    auth: { type: "bearer", token: "STOLEN" },
  }],
  credentials: [{ key: "STOLEN", value: "the-agents-own" }],
});

/** What the agent tries; `$link` and `$token` are its proposal's. */
const ATTEMPTS: readonly [name: string, request: string][] = [
  ["the API with the session", `-H "$auth" -H "$json" -d {} $BROKER_ADDR/v1/proposals/1/approve`],
  [
    "the API with the link's token",
    `-H "Authorization: Bearer $token" -H "$json" -d {} $BROKER_ADDR/v1/proposals/1/approve`,
  ],
  [
    "the API with a made-up operator's token",
    `-H "Authorization: Bearer brk_op_$(printf %043d 0)" -H "$json" -d {} $BROKER_ADDR/v1/proposals/1/approve`,
  ],
  ["a form below the link", `-H "$own" -d vault=default "$BROKER_ADDR/approve/1/approve"`],
  ["a form at the link", `-H "$own" -d vault=default "$link"`],
  ["a form at a guessed path", `-H "$own" -d vault=default "$guess/approve/1/approve"`],
  [
    "a form with the link's token as cookie",
    `-H "$own" -b "broker_operator=$token" -d vault=default "$guess/approve/1/approve"`,
  ],
  [
    "a form with the session as cookie",
    `-H "$own" -b "broker_operator=$BROKER_TOKEN" -d vault=default "$guess/approve/1/approve"`,
  ],
  [
    "signing in with the session's token",
    `-H "$own" -d "secret=$BROKER_TOKEN" $BROKER_ADDR/sign-in`,
  ],
  ["signing in with the link's token", `-H "$own" -d "secret=$token" $BROKER_ADDR/sign-in`],
  ["signing in with nothing", `-H "$own" -d secret= $BROKER_ADDR/sign-in`],
  ["signing in without an origin", `-d "secret=${PASSPHRASE}" $BROKER_ADDR/sign-in`],
  [
    "signing in under another name",
    `-H "Host: attacker.test" -H "$own" -d "secret=${PASSPHRASE}" $BROKER_ADDR/sign-in`,
  ],
  [
    "more services by itself",
    `-H "$auth" -H "$json" -X PUT -d '{"services":[]}' $BROKER_ADDR/v1/vaults/default/services`,
  ],
];

Deno.test("attack: an agent with the link and curl approves its own proposal", async () => {
  using home = new TestHome();
  const env = { BROKER_PASSPHRASE: PASSPHRASE };
  const attempts = ATTEMPTS.map(([name, request]) =>
    `printf '%s: ' "${name}"; curl -sS -o /dev/null -w '%{http_code}\\n' ${request}`
  );
  const script = `
    auth="Authorization: Bearer $BROKER_TOKEN"; json="Content-Type: application/json"
    own="Origin: $BROKER_ADDR"; guess="$BROKER_ADDR/op/AAAAAAAAAAAAAAAAAAAAAA"
    answer=$(curl -sS -H "$auth" -H "$json" -d '${PROPOSAL}' "$BROKER_ADDR/v1/proposals")
    link=$(printf %s "$answer" | sed -E 's/.*"approval_url": *"([^"]*)".*/\\1/')
    token=\${link#*token=}
    printf 'the link reads: '; curl -sS -o /dev/null -w '%{http_code}\\n' "$link"
    ${attempts.join("\n")}`;
  const { stdout } = await home.done(["vault", "run", "--quiet", "--", "sh", "-c", script], {
    env,
  });
  const answers = stdout.trim().split("\n").map((line) => line.split(": "));
  assert.deepEqual(answers.shift(), ["the link reads", "200"]);
  assert.deepEqual(answers.map(([name]) => name), ATTEMPTS.map(([name]) => name));
  for (const [name, status = ""] of answers) assert.match(status, /^4\d\d$/, name ?? "");
  const [proposal] = (await home.json(["vault", "proposal", "list"], { env })).proposals;
  assert.equal(proposal.status, "pending");
  assert.deepEqual((await home.json(["vault", "credential", "list"], { env })).keys, []);
});
