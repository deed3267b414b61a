/** What the builder does when another terminal changes the vault while it asks. */

import assert from "node:assert/strict";
import { addServices, setServices } from "../../src/cli/commands/service_write.ts";
import { Output } from "../../src/cli/output.ts";
import type { Prompts } from "../../src/cli/prompt.ts";
import { Secret } from "../../src/model/secret.ts";
import { TestHome } from "./test_home.ts";

/** A person who takes what is offered, adds `api.example.com`, and answers the questions about conflicts. */
function person(
  atSave: () => Promise<void>,
  agrees: readonly boolean[],
): { prompts: Prompts; asked: string[] } {
  const asked: string[] = [];
  const answers = [...agrees];
  const listed = ["add", "review", "discard"];
  const prompts: Prompts = {
    interactive: true,
    hidden: () => Promise.resolve(new Secret("a value")),
    newSecret: () => Promise.reject(new Error("not asked")),
    search: ({ message }, find) => {
      if (message.startsWith("Services of")) {
        const kind = listed.shift();
        const choice = find("").find(({ value }) => (value as { kind: string }).kind === kind);
        return Promise.resolve(choice!.value);
      }
      const typed = message.startsWith("Which service") ? "api.example.com" : "";
      return Promise.resolve(find(typed)[0]!.value);
    },
    pick: (_question, choices) => Promise.resolve(choices.map(({ value }) => value)),
    text: ({ suggestion }) => Promise.resolve(suggestion ?? ""),
    async choose({ message }, choices) {
      if (/^Add this|^Make these/.test(message)) {
        asked.push(message);
        // The other terminal is done before this one's answer is.
        if (asked.length === 1) await atSave();
        else if (asked.length > 1) return choices.at(-1)!.value;
      }
      return choices[0]!.value;
    },
    confirm({ message }) {
      asked.push(message);
      return Promise.resolve(answers.shift()!);
    },
  };
  return { prompts, asked };
}

function invocation(home: TestHome, prompts: Prompts) {
  const sink = { write: () => {}, isTerminal: false, columns: 80 };
  const context = {
    output: new Output({ out: sink, err: sink }, { json: false, color: false }),
    prompts,
    env: {},
    passphrase: undefined,
    home: () => home.directory,
    vaultOption: undefined,
  };
  return { context, positionals: [], options: {}, childCommand: [] } as never;
}

async function names(home: TestHome): Promise<string[]> {
  const { services } = await home.json(["vault", "service", "list"]);
  return services.map(({ name }: { name: string }) => name);
}

const THEIRS = ["vault", "service", "add", "--name", "theirs", "--host", "theirs.test"];

async function addTheirs(home: TestHome): Promise<void> {
  await home.done([...THEIRS, "--auth-type", "passthrough"]);
}

for (const [command, run] of [["add", addServices], ["set", setServices]] as const) {
  Deno.test(`service ${command} asks before it saves into a vault that changed meanwhile`, async () => {
    using home = new TestHome();
    await home.done(["init"]);
    const { prompts, asked } = person(() => addTheirs(home), [true]);
    assert.equal(await run(invocation(home, prompts)), undefined);
    assert.match(asked[1] ?? "", /Another terminal changed the vault meanwhile/);
    assert.deepEqual(
      (await names(home)).sort(),
      command === "add" ? ["api-example-com", "theirs"] : ["api-example-com"],
    );
  });

  Deno.test(`service ${command} goes back to editing when that is not agreed to`, async () => {
    using home = new TestHome();
    await home.done(["init"]);
    const { prompts, asked } = person(() => addTheirs(home), [false]);
    assert.equal(await run(invocation(home, prompts)), 1);
    assert.equal(asked.length, command === "add" ? 3 : 2);
    assert.deepEqual(await names(home), ["theirs"]);
    assert.deepEqual((await home.json(["vault", "credential", "list"])).keys, []);
  });
}
