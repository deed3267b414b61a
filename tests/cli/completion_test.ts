import assert from "node:assert/strict";
import { dirname } from "node:path";
import { complete } from "../../src/cli/completion/complete.ts";
import { SHELLS } from "../../src/cli/completion/value_source.ts";
import { COMMANDS, GROUPS } from "../../src/cli/command_tree.ts";
import { TOPICS } from "../../src/cli/help_topics.ts";
import { runProcess } from "../support/run_process.ts";
import { TestHome } from "./test_home.ts";

const TREE = {
  commands: COMMANDS,
  groups: GROUPS,
  topics: TOPICS.map(({ name, summary }) => ({ word: name, description: summary })),
};

/** Every word after `broker `, with the one at the cursor last. */
function completed(line: string) {
  return complete(line.split(" "), TREE);
}

function words(line: string): string[] {
  const found = completed(line);
  assert.equal(found.kind, "words", line);
  return found.kind === "words" ? found.candidates.map(({ word }) => word) : [];
}

const WORDS: readonly (readonly [line: string, expected: readonly string[]])[] = [
  ["va", ["vault"]],
  ["vault cre", ["credential", "create"]],
  ["vault service e", ["enable", "explain"]],
  ["--vault work vault service e", ["enable", "explain"]],
  ["vault --no-color service e", ["enable", "explain"]],
  ["vault service add --auth-type b", ["bearer", "basic"]],
  ["vault service add --auth-type=b", ["--auth-type=bearer", "--auth-type=basic"]],
  ["vault service add --fr", ["--from"]],
  ["vault service add --from stripe --fr", []],
  ["vault service add --header x --hea", ["--header"]],
  ["vault settings set un", ["unmatched_host_policy"]],
  ["vault settings set unmatched_host_policy d", ["deny"]],
  ["vault logs ex", ["explain"]],
  ["vault logs --sta", ["--status"]],
  ["vault logs --status 4", ["4xx"]],
  ["vault proposal list --status re", ["rejected"]],
  ["agent skill --install c", ["claude", "codex", "cursor"]],
  ["completions z", ["zsh"]],
  ["help ex", ["exit-codes"]],
  ["help vau", ["vault"]],
  ["help vault service sh", ["show"]],
  ["vault run --q", ["--quiet"]],
  ["nonsense ", []],
  ["vault create ", []],
];

for (const [line, expected] of WORDS) {
  Deno.test(`"broker ${line}" is completed to ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(words(line), expected);
  });
}

const OTHERS: readonly (readonly [line: string, expected: unknown])[] = [
  ["vault service set -f ", { kind: "files" }],
  ["vault run -- ", { kind: "commands" }],
  ["run ", { kind: "commands" }],
  ["run -- git clo", { kind: "files" }],
  ["vault service disable g", { kind: "names", source: "services", prefix: "" }],
  ["vault use ", { kind: "names", source: "vaults", prefix: "" }],
  ["--vault ", { kind: "names", source: "vaults", prefix: "" }],
  ["vault list --vault=", { kind: "names", source: "vaults", prefix: "--vault=" }],
  ["vault credential delete A ", { kind: "names", source: "credentials", prefix: "" }],
  ["vault service add --token-key ", { kind: "names", source: "credentials", prefix: "" }],
  ["vault proposal approve ", { kind: "names", source: "proposals", prefix: "" }],
  ["agent grant builder ", { kind: "names", source: "vaults", prefix: "" }],
  ["catalog ", { kind: "names", source: "catalog", prefix: "" }],
];

for (const [line, expected] of OTHERS) {
  Deno.test(`"broker ${line}" is completed from ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(completed(line), expected);
  });
}

Deno.test("the first word is any group or command, and each has a description", () => {
  const found = completed("");
  assert.ok(found.kind === "words");
  const tops = [...COMMANDS, ...GROUPS].map(({ path }) => path.split(" ")[0]!);
  assert.deepEqual(
    found.candidates.map(({ word }) => word).sort(),
    [...new Set([...tops, "help"])].sort(),
  );
  assert.ok(found.candidates.every(({ description }) => description !== ""));
});

Deno.test("every command can be reached, and every option of it is offered", () => {
  for (const { path, options = [] } of COMMANDS) {
    const parts = path.split(" ");
    for (let i = 0; i < parts.length; i++) {
      assert.ok(words([...parts.slice(0, i), parts[i]!].join(" ")).includes(parts[i]!), path);
    }
    const offered = words(`${path} --`);
    for (const { flags } of options) {
      const long = /--[a-z-]+/.exec(flags)?.[0] ?? "";
      assert.ok(offered.includes(long), `${path} ${long}`);
    }
  }
});

/** Runs the hidden command that the scripts call. */
async function answer(home: TestHome, line: string, env = {}): Promise<string[]> {
  const { stdout } = await home.done(["__complete", ...line.split(" ")], { env });
  return stdout.trimEnd().split("\n").map((text) => text.split("\t")[0]!);
}

async function prepare(home: TestHome): Promise<void> {
  await home.done(["vault", "create", "work"]);
  await home.done(["vault", "credential", "set", "API_KEY"], { stdin: "canary-completion" });
  for (const [vault, name] of [["default", "github"], ["work", "gitlab"]] as const) {
    await home.done([
      ...["vault", "service", "add", "--vault", vault, "--name", name],
      ...["--host", `${name}.test`, "--token-key", "API_KEY"],
    ]);
  }
}

Deno.test("names come from the data directory, of the vault that is meant", async () => {
  using home = new TestHome();
  assert.deepEqual(await answer(home, "vault use "), ["words"]);
  assert.throws(() => Deno.statSync(home.directory), Deno.errors.NotFound);
  await prepare(home);
  assert.deepEqual(await answer(home, "vault use "), ["words", "default", "work"]);
  assert.deepEqual(await answer(home, "vault service show g"), ["words", "github"]);
  assert.deepEqual(await answer(home, "--vault work vault service show g"), ["words", "gitlab"]);
  assert.deepEqual(await answer(home, "vault service show g", { BROKER_VAULT: "work" }), [
    "words",
    "gitlab",
  ]);
  assert.deepEqual(await answer(home, "vault credential get "), ["words", "API_KEY"]);
  assert.deepEqual(await answer(home, "catalog strip"), ["words", "stripe"]);
  assert.deepEqual(await answer(home, "vault service show g", { BROKER_TOKEN: "x" }), ["words"]);
  assert.ok(!home.printed.includes("canary"));
});

Deno.test("a data directory with a passphrase is not asked for it", async () => {
  using home = new TestHome();
  await home.done(["init"], { env: { BROKER_PASSPHRASE: "correct horse" } });
  assert.deepEqual(await answer(home, "vault use "), ["words"]);
});

Deno.test("completions for another shell are wrong usage, and say which there are", async () => {
  using home = new TestHome();
  const { status, stderr } = await home.broker(["completions", "tcsh"]);
  assert.equal(status, 2);
  assert.match(stderr, /bash \| zsh \| fish \| powershell/);
  for (const shell of SHELLS) {
    assert.match((await home.done(["completions", shell])).stdout, /broker/);
  }
});

/** What a shell offers for a command line whose cursor stands at its end. */
const SHELL_PROGRAMS: Readonly<Record<string, (script: string, line: string) => string[]>> = {
  bash: (script, line) => [
    "-c",
    `source ${script}; COMP_WORDS=(${line} ''); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _broker
     printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  zsh: (script, line) => [
    "-c",
    // zsh completes on a terminal only; what it would list is caught from _describe. No dump is written.
    `autoload -Uz compinit && compinit -u -D
     _describe() { print -l -- "\${(@)candidates}"; }
     source ${script}; words=(${line} ''); CURRENT=$#words; _broker`,
  ],
  fish: (script, line) => ["-c", `source ${script}; complete -C '${line} '`],
};

for (const [shell, args] of Object.entries(SHELL_PROGRAMS)) {
  Deno.test({
    name: `${shell} offers what the script of "broker completions ${shell}" finds`,
    ignore: !await isInstalled(shell),
    async fn() {
      using home = new TestHome();
      await prepare(home);
      const script = home.file("script", (await home.done(["completions", shell])).stdout);
      const program = home.file("broker", `#!/bin/sh\nexec ${home.command([]).join(" ")} "$@"\n`);
      Deno.chmodSync(program, 0o755);
      const run = async (line: string) => {
        const { code, stdout, stderr } = await runProcess(shell, args(script, line), {
          env: {
            ...Deno.env.toObject(),
            BROKER_HOME: home.directory,
            PATH: `${dirname(program)}:${Deno.env.get("PATH")}`,
          },
        });
        assert.equal(code, 0, stderr);
        return stdout.trimEnd().split("\n").map((text) => text.split(/[\t:]/)[0]);
      };
      assert.deepEqual((await run("broker vault service show")).sort(), ["github"]);
      assert.deepEqual((await run("broker vault use")).sort(), ["default", "work"]);
      assert.ok((await run("broker vault")).includes("credential"));
    },
  });
}

async function isInstalled(program: string): Promise<boolean> {
  if (Deno.build.os === "windows") return false;
  try {
    return (await new Deno.Command(program, { args: ["-c", "true"] }).output()).success;
  } catch {
    return false;
  }
}
