import assert from "node:assert/strict";
import { TestHome } from "./test_home.ts";

/** A pseudo-terminal is driven by Python's pty module, which Windows does not have. */
const ignore = Deno.build.os === "windows" || !hasPython();

const CANARY = "sk-canary-0123456789";
const CTRL_C = "\x03";
const CREDENTIAL = ["vault", "credential"];

function hasPython(): boolean {
  try {
    return new Deno.Command("python3", { args: ["-c", "import pty"] }).outputSync().success;
  } catch {
    return false;
  }
}

Deno.test({
  name: "a prompt for a secret never shows what is typed, not even after Ctrl-T",
  ignore,
  async fn() {
    using home = new TestHome();
    await home.done(["init"]);
    const played = await home.onTerminal([...CREDENTIAL, "set", "API_KEY"], {
      steps: [["Value of API_KEY", `sk-can\x14${CANARY.slice(6)}\r`]],
    });
    assert.equal(played.missed, null);
    assert.equal(played.status, 0, played.output);
    assert.equal(played.output.includes("can"), false, played.output);
    assert.equal(played.output.includes("toggle"), false);
    assert.equal((await home.done([...CREDENTIAL, "get", "API_KEY"])).stdout, `${CANARY}\n`);
  },
});

Deno.test({
  name: "credential set asks for each key in turn and stores none when the last is interrupted",
  ignore,
  async fn() {
    using home = new TestHome();
    await home.done(["init"]);
    const played = await home.onTerminal([...CREDENTIAL, "set", "A", "B"], {
      steps: [["Value of A", "one\r"], ["Value of B", CTRL_C]],
    });
    assert.equal(played.missed, null);
    assert.equal(played.status, 130);
    assert.match(played.output, /Cancelled, nothing was changed/);
    assert.equal(/\bat .*:\d+:\d+/.test(played.output), false, played.output);
    assert.deepEqual((await home.json([...CREDENTIAL, "list"])).keys, []);
    const both = await home.onTerminal([...CREDENTIAL, "set", "A", "B"], {
      steps: [["Value of A", "one\r"], ["Value of B", "two\r"]],
    });
    assert.equal(both.status, 0);
    assert.deepEqual((await home.json([...CREDENTIAL, "list", "--reveal"])).credentials, {
      A: "one",
      B: "two",
    });
  },
});

Deno.test({
  name: "the first command on a terminal asks for a passphrase twice, until both are the same",
  ignore,
  async fn() {
    using home = new TestHome();
    const played = await home.onTerminal(["init"], {
      steps: [
        ["Passphrase for it", "correct canary\r"],
        ["Repeat it", "correct horse\r"],
        ["Passphrase for it", "correct canary\r"],
        ["Repeat it", "correct canary\r"],
      ],
    });
    assert.equal(played.missed, null, played.output);
    assert.equal(played.status, 0, played.output);
    assert.match(played.output, /once more/);
    assert.match(played.output, /protected by the passphrase/);
    assert.equal(home.printed.includes("canary"), false);
    const env = { BROKER_PASSPHRASE: "correct canary" };
    assert.equal((await home.json(["init"], { env })).protection, "passphrase");
  },
});

Deno.test({
  name: "Return alone at first use makes a home without a passphrase",
  ignore,
  async fn() {
    using home = new TestHome();
    const played = await home.onTerminal(["vault", "list"], {
      steps: [["Passphrase for it", "\r"]],
    });
    assert.equal(played.status, 0, played.output);
    assert.equal((await home.json(["init"])).protection, "key_file");
  },
});

Deno.test({
  name: "Ctrl-C at first use leaves nothing behind",
  ignore,
  async fn() {
    using home = new TestHome();
    const played = await home.onTerminal(["vault", "list"], {
      steps: [["Passphrase for it", CTRL_C]],
    });
    assert.equal(played.status, 130);
    assert.throws(() => Deno.statSync(home.directory), Deno.errors.NotFound);
  },
});

Deno.test({
  name: "the passphrase is asked for on the terminal, also while a value is piped in",
  ignore,
  async fn() {
    using home = new TestHome();
    const env = { BROKER_PASSPHRASE: "horse canary" };
    await home.done(["init"], { env });
    const steps = [["Passphrase of", "horse canary\r"]] as const;
    const piped = await home.onTerminal([...CREDENTIAL, "set", "A"], { steps, stdin: "value\n" });
    assert.equal(piped.missed, null);
    assert.equal(piped.status, 0, piped.output);
    const shown = await home.onTerminal([...CREDENTIAL, "get", "A"], { steps });
    assert.equal(shown.status, 0);
    assert.match(shown.output, /value\r\n$/);
    const wrong = await home.onTerminal([...CREDENTIAL, "get", "A"], {
      steps: [["Passphrase of", "another\r"]],
    });
    assert.equal(wrong.status, 1);
    assert.match(wrong.output, /broker: .*error:/);
    const stopped = await home.onTerminal([...CREDENTIAL, "get", "A"], {
      steps: [["Passphrase of", CTRL_C]],
    });
    assert.equal(stopped.status, 130);
    assert.equal(home.printed.includes("canary"), false);
  },
});

Deno.test({
  name: "the passphrase is changed on a terminal",
  ignore,
  async fn() {
    using home = new TestHome();
    await home.done(["init"], { env: { BROKER_PASSPHRASE: "old" } });
    const played = await home.onTerminal(["passphrase", "change"], {
      steps: [["Passphrase of", "old\r"], ["New passphrase", "new\r"], ["Repeat it", "new\r"]],
    });
    assert.equal(played.status, 0, played.output);
    assert.equal((await home.broker(["init"], { env: { BROKER_PASSPHRASE: "old" } })).status, 1);
    await home.done(["init"], { env: { BROKER_PASSPHRASE: "new" } });
  },
});

const CONFIRMED: readonly [args: string, question: string, survives: string][] = [
  ["vault service remove one", "Remove service", "vault service show one"],
  ["vault service clear", "Remove all 1 services", "vault service show one"],
  ["vault delete work", "Delete vault", "vault settings --vault work"],
];

for (const [args, question, survives] of CONFIRMED) {
  Deno.test({
    name: `"broker ${args}" asks, and changes nothing for no, Return or Ctrl-C`,
    ignore,
    async fn() {
      using home = new TestHome();
      await home.done(["vault", "create", "work"]);
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
      for (const [answer, status] of [["n\r", 1], ["\r", 1], [CTRL_C, 130]] as const) {
        const played = await home.onTerminal(args.split(" "), { steps: [[question, answer]] });
        assert.equal(played.missed, null);
        assert.equal(played.status, status, played.output);
        await home.done(survives.split(" "));
      }
      const agreed = await home.onTerminal(args.split(" "), { steps: [[question, "y\r"]] });
      assert.equal(agreed.status, 0, agreed.output);
      assert.equal((await home.broker(survives.split(" "))).status, 1);
    },
  });
}

Deno.test({
  name: "the child of vault run has the terminal to itself after a passphrase was typed",
  ignore,
  async fn() {
    using home = new TestHome();
    await home.done(["init"], { env: { BROKER_PASSPHRASE: "horse" } });
    const played = await home.onTerminal(
      ["run", "--", "sh", "-c", "echo ready; read a; echo again; read b; echo got $a $b"],
      { steps: [["Passphrase of", "horse\r"], ["ready", "first\r"], ["again", "second\r"]] },
    );
    assert.equal(played.missed, null, played.output);
    assert.match(played.output, /got first second/);
    assert.equal(played.status, 0);
  },
});

Deno.test({
  name: "colours show on a terminal, and not with --no-color or NO_COLOR",
  ignore,
  async fn() {
    using home = new TestHome();
    await home.done(["init"]);
    const isColored = async (args: string[], env = {}) => {
      const played = await home.onTerminal(["vault", "list", ...args], { steps: [], env });
      // deno-lint-ignore no-control-regex -- a mark; Deno itself moves the cursor
      return /\x1b\[\d+m/.test(played.output);
    };
    assert.equal(await isColored([]), true);
    assert.equal(await isColored(["--no-color"]), false);
    assert.equal(await isColored(["--json"]), false);
    assert.equal(await isColored([], { NO_COLOR: "1" }), false);
    assert.equal(await isColored([], { TERM: "dumb" }), false);
  },
});
