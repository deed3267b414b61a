import assert from "node:assert/strict";
import { approveProposal } from "../../src/cli/commands/proposal_decide.ts";
import { Output } from "../../src/cli/output.ts";
import type { Prompts } from "../../src/cli/prompt.ts";
import type { BrokerError } from "../../src/errors.ts";
import { Secret } from "../../src/model/secret.ts";
import { TestHome } from "./test_home.ts";

const PROPOSAL = ["vault", "proposal"];
const AGENTS = "canary-cli-agent-5521";
const PERSONS = "canary-cli-person-5521";
const CTRL_C = "\x03";
const DOWN = "\x1b[B";

/** A pseudo-terminal is driven by Python's pty module, which Windows does not have. */
const ignore = Deno.build.os === "windows" || !hasPython();

function hasPython(): boolean {
  try {
    return new Deno.Command("python3", { args: ["-c", "import pty"] }).outputSync().success;
  } catch {
    return false;
  }
}

/** A home with a service and its credential. */
async function preparedHome(): Promise<TestHome> {
  const home = new TestHome();
  await home.done(["vault", "credential", "set", "OLD_KEY"], { stdin: "the stored one" });
  await home.done([
    ...["vault", "service", "add", "--name", "old-one", "--host", "old.test"],
    ...["--token-key", "OLD_KEY"],
  ]);
  return home;
}

const WHOLE = {
  services: [{
    action: "set",
    name: "new-one",
    host: "new.test",
    auth: { type: "basic", username: "OLD_KEY", password: "NEW_KEY" },
  }],
  credentials: [
    { key: "NEW_KEY", description: "a \u202ekey", obtain: "https://new.test/keys" },
    { key: "GIVEN_KEY", value: AGENTS },
  ],
  user_message: "please\n!! WARNING: none\x1b[2J",
};

async function propose(home: TestHome, body: unknown = WHOLE): Promise<void> {
  await home.done([...PROPOSAL, "create", "-f", "-"], { stdin: JSON.stringify(body) });
}

async function keysOf(home: TestHome): Promise<string[]> {
  return (await home.json(["vault", "credential", "list"])).keys;
}

Deno.test("flags and a file make the same proposal, and list and show tell of it", async () => {
  using home = await preparedHome();
  const created = await home.done([
    ...[...PROPOSAL, "create", "--service-name", "stripe", "--host", "api.stripe.test"],
    ...["--api-key-key", "STRIPE_KEY", "--api-key-header", "x-key"],
    ...["--slot", "STRIPE_KEY=a restricted key", "--user-message", "for the checkout"],
  ]);
  assert.match(created.stdout, /Proposal 1 waits.*\n.*vault proposal approve 1 --vault default/);
  const { proposals: [listed] } = await home.json([...PROPOSAL, "list"]);
  const { review, digest, ...shown } = await home.json([...PROPOSAL, "show", "1"]);
  assert.deepEqual(listed, shown);
  assert.equal(typeof digest, "string");
  assert.equal(review.services[0].action, "add");
  assert.deepEqual(shown.services[0].auth, { type: "api-key", key: "STRIPE_KEY", header: "x-key" });
  assert.equal(shown.credentials[0].description, "a restricted key");
  assert.equal(shown.user_message, "for the checkout");
  await propose(home);
  const { stdout } = await home.done([...PROPOSAL, "list", "--status", "pending"]);
  assert.match(stdout, /ID +STATUS +AGE +BY +ASKS FOR\n +2 +pending .*new-one.*\n +1 .*stripe/);
  assert.match((await home.done([...PROPOSAL, "get", "2"])).stdout, /NEW_KEY +you +new\.test/);
});

Deno.test("what the agent wrote cannot steer the terminal or pass for a line of the broker", async () => {
  using home = await preparedHome();
  await propose(home);
  const { stdout } = await home.done([...PROPOSAL, "show", "1"]);
  assert.ok(!stdout.includes("\x1b"), stdout);
  assert.ok(!stdout.includes("\u202e"));
  assert.match(stdout, /^ {2}\| !! WARNING: none\\u\{1b\}\[2J$/m);
  assert.match(stdout, /^!! WARNING: The existing credential OLD_KEY would be sent to new\.test/m);
});

Deno.test("faults of flags and files are named, all at once, and nothing is stored", async () => {
  using home = await preparedHome();
  const broker = async (args: string[], stdin?: string) =>
    await home.broker([...PROPOSAL, ...args], { stdin });
  const usage: string[][] = [
    ["create"],
    ["create", "-f", "x", "--host", "a.test"],
    ["create", "--host", "a.test"],
    ["create", "--slot", "=x"],
    ["show"],
    ["show", "one"],
    ["wait", "1", "--timeout", "5"],
    ["list", "--status", "open"],
    ["approve", "0"],
  ];
  for (const args of usage) {
    const { status, stderr } = await broker(args);
    assert.equal(status, 2, `${args.join(" ")}: ${stderr}`);
    assert.match(stderr, /broker: error: [^]*broker: hint: /);
  }
  const blind = await broker(["approve", "1", "--json"]);
  assert.equal(blind.status, 2);
  assert.match(JSON.parse(blind.stderr).hint, /proposal show 1.*--yes/);
  const flags = await broker(["create", "--host", "a.test/**", "--token-key", "NOPE"]);
  assert.equal(flags.status, 1);
  assert.match(flags.stderr, /\n {2}host: .*\*\*/);
  const json = await broker(["create", "-f", "-"], `{"value": "${AGENTS}",}`);
  assert.match(json.stderr, /standard input": it is not JSON at line 1/);
  for (const action of ["show", "approve", "reject", "wait"]) {
    const { status, stderr } = await broker([action, "7"]);
    assert.equal(status, 1);
    assert.match(stderr, /There is no proposal 7 in vault "default"[^]*hint: .*proposal list/);
  }
  assert.deepEqual((await home.json([...PROPOSAL, "list"])).proposals, []);
});

Deno.test("approve takes values from a pipe with --yes, and asks for what is missing in words", async () => {
  using home = await preparedHome();
  await propose(home);
  const approve = [...PROPOSAL, "approve", "1"];
  const missing = await home.broker([...approve, "--yes"]);
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /NEW_KEY[^]*hint: pipe KEY=VALUE lines/);
  const unasked = await home.broker(approve, { stdin: `NEW_KEY=${PERSONS}\n` });
  assert.equal(unasked.status, 1);
  assert.match(unasked.stderr, /in spite of the warning above[^]*approve 1 --yes/);
  const foreign = await home.broker([...approve, "--yes"], {
    stdin: `NEW_KEY=${PERSONS}\nOTHER=${PERSONS}\n`,
  });
  assert.equal(foreign.status, 1);
  assert.match(foreign.stderr, /it takes NEW_KEY, GIVEN_KEY/);
  assert.deepEqual(await keysOf(home), ["OLD_KEY"]);
  const applied = await home.json([...approve, "--yes"], { stdin: `NEW_KEY=${PERSONS}\n` });
  assert.equal(applied.status, "applied");
  assert.deepEqual(await keysOf(home), ["GIVEN_KEY", "NEW_KEY", "OLD_KEY"]);
  assert.ok(!home.printed.includes("canary-cli"), home.printed);
  const get = async (key: string) =>
    (await home.done(["vault", "credential", "get", key])).stdout.trim();
  assert.deepEqual([await get("NEW_KEY"), await get("GIVEN_KEY")], [PERSONS, AGENTS]);
  const again = await home.broker([...approve, "--yes"]);
  assert.match(again.stderr, /applied already/);
  const rejected = await home.broker([...PROPOSAL, "reject", "1"]);
  assert.equal(rejected.status, 1);
});

Deno.test("no log, document or word of any proposal command holds a value", async () => {
  using home = await preparedHome();
  await propose(home);
  await propose(home);
  const env = { BROKER_LOG: "debug" };
  for (const json of [[], ["--json"]]) {
    for (const words of ["list", "show 1", "wait 1 --timeout 1s", "reject 9", "approve 9 --yes"]) {
      await home.broker([...PROPOSAL, ...words.split(" "), ...json], { env });
    }
  }
  await home.broker([...PROPOSAL, "approve", "1", "--yes"], { env, stdin: `NEW_KEY=${PERSONS}` });
  await home.broker([...PROPOSAL, "approve", "2", "--yes"], { env, stdin: `BAD LINE ${PERSONS}` });
  await home.broker([...PROPOSAL, "reject", "2", "--json"], { env });
  assert.ok(!home.printed.includes("canary-cli"), home.printed);
  const files = [...Deno.readDirSync(home.directory)].filter((entry) => entry.isFile);
  for (const { name } of files) {
    const text = new TextDecoder("latin1").decode(Deno.readFileSync(`${home.directory}/${name}`));
    assert.ok(!text.includes("canary-cli"), name);
  }
});

Deno.test("wait ends with 0 for an approval and with 1 and the reason for a rejection", async () => {
  using home = await preparedHome();
  const body = { credentials: [{ key: "GIVEN_KEY", value: AGENTS }] };
  await propose(home, body);
  await propose(home, body);
  const waiting = home.broker([...PROPOSAL, "wait", "1"]);
  await home.done([...PROPOSAL, "approve", "1", "--yes"]);
  const applied = await waiting;
  assert.equal(applied.status, 0, applied.stderr);
  assert.equal(applied.stdout, "applied\n");
  const late = await home.broker([...PROPOSAL, "wait", "2", "--timeout", "1s"]);
  assert.deepEqual([late.status, late.stdout], [1, "pending\n"]);
  await home.done([...PROPOSAL, "reject", "2", "--reason", "use\x1b[2J the test key"]);
  const rejected = await home.broker([...PROPOSAL, "wait", "2"]);
  assert.deepEqual([rejected.status, rejected.stdout], [1, "rejected\n"]);
  assert.match(rejected.stderr, /rejected: use\\u\{1b\}\[2J the test key/);
});

Deno.test({
  name:
    "on a terminal approve shows the warning, asks for the value without showing it, and for a yes",
  ignore,
  async fn() {
    using home = await preparedHome();
    await propose(home);
    const args = [...PROPOSAL, "approve", "1"];
    const interrupted = await home.onTerminal(args, { steps: [["Value of NEW_KEY", CTRL_C]] });
    assert.equal(interrupted.status, 130, interrupted.output);
    const late = await home.onTerminal(args, {
      steps: [["Value of NEW_KEY", `${PERSONS}\r`], ["in spite of", CTRL_C]],
    });
    assert.equal(late.status, 130, late.output);
    const no = await home.onTerminal(args, {
      steps: [["Value of NEW_KEY", `${PERSONS}\r`], ["in spite of", "\r"]],
    });
    assert.equal(no.status, 1);
    assert.match(no.output, /nothing was changed/);
    assert.deepEqual(await keysOf(home), ["OLD_KEY"]);
    const { proposals } = await home.json([...PROPOSAL, "list", "--status", "pending"]);
    assert.equal(proposals.length, 1);

    const yes = await home.onTerminal(args, {
      steps: [
        ["Value of NEW_KEY", "\r"],
        ["once more", `${PERSONS}\r`],
        ["in spite of the warning", "y\r"],
      ],
    });
    assert.equal(yes.missed, null, yes.output);
    assert.equal(yes.status, 0, yes.output);
    assert.ok(yes.output.includes("\x1b[1;97;41m!! WARNING: The existing credential OLD_KEY"));
    assert.match(yes.output, /applied proposal 1: service new-one/);
    assert.deepEqual(await keysOf(home), ["GIVEN_KEY", "NEW_KEY", "OLD_KEY"]);
    assert.ok(!home.printed.includes("canary-cli"), home.printed);
  },
});

Deno.test("a vault that changes while approve asks is not applied to, and says so", async () => {
  using home = await preparedHome();
  await propose(home);
  const sink = { write: () => {}, isTerminal: false, columns: 80 };
  const unasked = () => Promise.reject(new Error("not asked"));
  const prompts: Prompts = {
    interactive: true,
    // The other terminal is done before this one's answer is.
    async hidden() {
      await home.done([
        ...["vault", "service", "add", "--name", "new-one", "--host", "theirs.test"],
        ...["--auth-type", "passthrough"],
      ]);
      return new Secret("a value");
    },
    confirm: () => Promise.resolve(true),
    newSecret: unasked,
    choose: unasked,
    search: unasked,
    pick: unasked,
    text: unasked,
  };
  const context = {
    output: new Output({ out: sink, err: sink }, { json: false, color: false }),
    prompts,
    env: {},
    passphrase: undefined,
    home: () => home.directory,
    vaultOption: undefined,
  };
  await assert.rejects(
    approveProposal({ context, positionals: ["1"], options: {} }),
    ({ code, message }: BrokerError) =>
      code === "vault_changed" && /changed since proposal 1 was shown/.test(message),
  );
  assert.deepEqual(await keysOf(home), ["OLD_KEY"]);
  assert.equal((await home.json([...PROPOSAL, "show", "1"])).status, "pending");
});

Deno.test({
  name: "review walks through all that wait: skip, approve, reject with a reason, quit",
  ignore,
  async fn() {
    using home = await preparedHome();
    const ask = (key: string) => ({ credentials: [{ key }] });
    for (const key of ["FIRST_KEY", "SECOND_KEY", "THIRD_KEY", "FOURTH_KEY"]) {
      await propose(home, ask(key));
    }
    const played = await home.onTerminal([...PROPOSAL, "review"], {
      steps: [
        ["quit", "\r"],
        ["Proposal 2 in vault", `${DOWN}\r`],
        ["Value of SECOND_KEY", `${PERSONS}\r`],
        ["Proposal 3 in vault", `${DOWN}${DOWN}\r`],
        ["Reason", "not now\r"],
        ["Proposal 4 in vault", `${DOWN}${DOWN}${DOWN}\r`],
      ],
    });
    assert.equal(played.missed, null, played.output);
    assert.equal(played.status, 0, played.output);
    assert.match(played.output, /2 decisions, 2 proposals still waiting/);
    const { proposals } = await home.json([...PROPOSAL, "list"]);
    assert.deepEqual(
      proposals.map((one: { id: number; status: string; reject_reason: string | null }) => [
        one.id,
        one.status,
        one.reject_reason,
      ]),
      [[4, "pending", null], [3, "rejected", "not now"], [2, "applied", null], [
        1,
        "pending",
        null,
      ]],
    );
    assert.deepEqual(await keysOf(home), ["OLD_KEY", "SECOND_KEY"]);
    assert.ok(!home.printed.includes("canary-cli"));
  },
});

Deno.test({
  name: "Ctrl-C in a review leaves the proposal on the screen and says that earlier decisions hold",
  ignore,
  async fn() {
    using home = await preparedHome();
    for (const key of ["FIRST_KEY", "SECOND_KEY"]) await propose(home, { credentials: [{ key }] });
    const played = await home.onTerminal([...PROPOSAL, "review"], {
      steps: [
        ["quit", `${DOWN}${DOWN}\r`],
        ["Reason", "\r"],
        ["Proposal 2 in vault", `${DOWN}\r`],
        ["Value of SECOND_KEY", CTRL_C],
      ],
    });
    assert.equal(played.missed, null, played.output);
    assert.equal(played.status, 130, played.output);
    assert.match(played.output, /proposal 2 still waits; 1 decision before it holds/);
    const { proposals } = await home.json([...PROPOSAL, "list"]);
    const statuses = proposals.map((one: { status: string }) => one.status);
    assert.deepEqual(statuses, ["pending", "rejected"]);
  },
});

Deno.test("review without a terminal says what to type instead", async () => {
  using home = await preparedHome();
  await propose(home);
  const { status, stderr } = await home.broker([...PROPOSAL, "review"]);
  assert.equal(status, 1);
  assert.match(stderr, /not a terminal[^]*hint: .*approve ID/);
});

Deno.test("approve, reject and review refuse inside a child and name the other terminal", async () => {
  using home = await preparedHome();
  const env = { BROKER_TOKEN: "brk_sess_x", BROKER_ADDR: "http://127.0.0.1:9" };
  for (const words of ["approve 1", "approve 1 --yes", "reject 1", "review"]) {
    const { status, stderr } = await home.broker([...PROPOSAL, ...words.split(" ")], { env });
    assert.equal(status, 1);
    assert.match(stderr, /for the operator[^]*hint: type it in another terminal/);
  }
});
