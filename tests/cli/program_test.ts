import assert from "node:assert/strict";
import { COMMANDS, GROUPS } from "../../src/cli/command_tree.ts";
import { Output } from "../../src/cli/output.ts";
import { createProgram, type GlobalOptions, HelpShown } from "../../src/cli/program.ts";
import { BrokerError } from "../../src/errors.ts";

interface Parsed {
  readonly path: string;
  readonly global: GlobalOptions;
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

async function parse(
  args: readonly string[],
): Promise<{ parsed: Parsed | undefined; error: unknown; out: string; err: string }> {
  const text = { out: "", err: "" };
  const output = new Output({
    out: { write: (part) => void (text.out += part), isTerminal: false, columns: Infinity },
    err: { write: (part) => void (text.err += part), isTerminal: false, columns: Infinity },
  }, { json: false, color: false });
  let parsed: Parsed | undefined;
  const program = createProgram({
    commands: COMMANDS,
    groups: GROUPS,
    output,
    version: "1.2.3",
    call: (spec, global, invocation) => {
      parsed = { path: spec.path, global, ...invocation };
      return Promise.resolve();
    },
  });
  let error: unknown;
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (caught) {
    error = caught;
  }
  return { parsed, error, ...text };
}

Deno.test("a surplus word is not repeated, because it may be a value", async () => {
  const { error, err } = await parse(["vault", "credential", "get", "KEY", "sk-canary"]);
  assert.ok(error instanceof BrokerError);
  assert.equal(error.code, "usage");
  assert.match(error.message, /expected 1 argument but got 2$/);
  assert.equal(err, "");
});

Deno.test("the value of an unknown option is not repeated", async () => {
  const { error } = await parse(["vault", "service", "add", "--token=sk-canary"]);
  assert.ok(error instanceof BrokerError);
  assert.equal(error.message, 'Unknown option "--token"');
});

const WRONG: readonly [args: string, message: RegExp, hint: RegExp][] = [
  ["vualt list", /Unknown command "vualt"/, /did you mean "vault"\? Else: broker --help/],
  ["vault lst", /Unknown command "lst"/, /"list"\? Else: broker vault --help/],
  ["vault service lsit", /Unknown command "lsit"/, /"list"\? Else: broker vault service --help/],
  ["vault service list --jsn", /option "--jsn"/, /"--json"\? Else: broker vault service list --/],
  ["vault create", /Missing required argument "NAME"/, /^broker vault create --help$/],
  ["vault list more", /expected 0 arguments but got 1$/, /^broker vault list --help$/],
  ["vault service set --file", /Option "-f, --file <FILE>" argument missing/, /set --help$/],
  ["run", /Missing required argument "COMMAND"/, /^broker run --help$/],
  ["run --json -- true", /Unknown option "--json"/, /broker run --help$/],
];

for (const [args, message, hint] of WRONG) {
  Deno.test(`"broker ${args}" is wrong usage with a hint`, async () => {
    const { parsed, error } = await parse(args.split(" "));
    assert.equal(parsed, undefined);
    assert.ok(error instanceof BrokerError, String(error));
    assert.equal(error.code, "usage");
    assert.match(error.message, message);
    assert.match(error.hint ?? "", hint);
  });
}

/** Groups that do something when they are named alone. */
const WITH_DEFAULT = new Set(["vault settings", "vault logs"]);

for (const { path, summary } of GROUPS.filter((group) => !WITH_DEFAULT.has(group.path))) {
  Deno.test(`"broker ${path}" without a further word shows its help and is wrong usage`, async () => {
    const { error, out, err } = await parse(path.split(" "));
    assert.ok(error instanceof HelpShown);
    assert.equal(error.exitStatus, 2);
    assert.equal(out, "");
    assert.ok(err.includes(summary));
  });
}

for (const { path, examples, json } of COMMANDS) {
  Deno.test(`"broker ${path} --help" shows a usage line and an example`, async () => {
    const { error, out } = await parse([...path.split(" "), "--help"]);
    assert.ok(error instanceof HelpShown);
    assert.equal(error.exitStatus, 0);
    assert.ok(out.startsWith(`Usage: broker ${path}`));
    assert.match(out, /\nExamples?:\n {2}\S/);
    for (const example of examples) {
      assert.ok(out.includes(example));
      assert.ok(example.includes(`broker ${path.replace(" list", "")}`), example);
    }
    assert.equal(out.includes("--json"), json === true);
  });
}

Deno.test("every command knows --vault before, between and after its words, the last one decides", async () => {
  const words = [
    "--vault a vault service list",
    "vault --vault a service list",
    "vault service --vault a list",
    "vault service list --vault a",
    "--vault b vault service list --vault a",
  ];
  for (const text of words) {
    const { parsed } = await parse(text.split(" "));
    assert.equal(parsed?.path, "vault service list");
    assert.equal(parsed?.global.vault, "a", text);
  }
});

Deno.test("--json and --no-color hold wherever they stand", async () => {
  for (const text of ["--json --no-color vault list", "vault list --json --no-color"]) {
    assert.deepEqual((await parse(text.split(" "))).parsed?.global, {
      vault: undefined,
      json: true,
      color: false,
    });
  }
});

const RUNS: readonly [args: string, positionals: string[], options: Record<string, unknown>][] = [
  ["run -- ls", ["ls"], {}],
  ["run ls", ["ls"], {}],
  ["vault run -- ls --quiet --vault x -- -l", ["ls", "--quiet", "--vault", "x", "--", "-l"], {}],
  ["run ls --help", ["ls", "--help"], {}],
  ["run ls --version", ["ls", "--version"], {}],
  ["run --quiet --ttl 1h ls", ["ls"], { quiet: true, ttl: "1h" }],
  ["run --no-proxy a,b -- ls", ["ls"], { proxy: "a,b" }],
  ["run --no-placeholders -- ls", ["ls"], { placeholders: false }],
];

for (const [args, positionals, options] of RUNS) {
  Deno.test(`"broker ${args}" starts ${JSON.stringify(positionals)}`, async () => {
    const { parsed, error } = await parse(args.split(" "));
    assert.equal(error, undefined);
    assert.deepEqual(parsed?.positionals, positionals);
    assert.deepEqual(
      { ...parsed?.options },
      { proxy: true, placeholders: true, color: true, ...options },
    );
    assert.equal(parsed?.global.vault, undefined);
  });
}

Deno.test('"broker run --vault x -- ls" gives the vault to the run', async () => {
  const { parsed } = await parse(["run", "--vault", "x", "--", "ls"]);
  assert.equal(parsed?.global.vault, "x");
});

Deno.test('"broker vault settings" lists the settings', async () => {
  const { parsed } = await parse(["vault", "settings"]);
  assert.equal(parsed?.path, "vault settings list");
});

Deno.test("a repeated --header makes a list", async () => {
  const { parsed } = await parse([
    "vault",
    "service",
    "add",
    "--header",
    "A: 1",
    "--header",
    "B: 2",
  ]);
  assert.deepEqual(parsed?.options["header"], ["A: 1", "B: 2"]);
});
