import assert from "node:assert/strict";
import { TOPICS } from "../../src/cli/help_topics.ts";
import { REFUSAL_STATUS } from "../../src/model/refusal_code.ts";
import { TestHome } from "./test_home.ts";

const README = Deno.readTextFileSync(new URL("../../README.md", import.meta.url));

/** First cells of the README's table whose head begins so, each name in backticks. */
function readmeNames(head: RegExp): string[] {
  const lines = README.split("\n");
  const at = lines.findIndex((line) => head.test(line));
  assert.notEqual(at, -1, `${head} heads no table`);
  const rows = lines.slice(at + 2, lines.findIndex((line, i) => i > at && line === ""));
  return rows.flatMap((row) =>
    [...row.split("|")[1]!.matchAll(/`([A-Za-z_]+)`/g)].map((m) => m[1]!)
  );
}

function topic(name: string): string {
  return TOPICS.find((one) => one.name === name)!.text();
}

for (const { name } of TOPICS) {
  Deno.test(`"broker help ${name}" prints the topic, and the help names it`, async () => {
    using home = new TestHome();
    const { stdout } = await home.done(["help", name]);
    assert.equal(stdout, topic(name));
    assert.ok(stdout.split("\n").every((line) => line.length <= 120));
    assert.match((await home.done(["--help"])).stdout, new RegExp(`broker help ${name}`));
  });
}

Deno.test("help for what is no command and no topic names it, and what was probably meant", async () => {
  using home = new TestHome();
  for (
    const [args, message, hint] of [
      ["help exit-code", 'command or topic "exit-code"', '"broker help exit-codes"?'],
      ["help vualt", 'command or topic "vualt"', '"broker help vault"?'],
      ["help foo", 'command or topic "foo"', "hint: broker --help"],
      ["help vault servce add", 'command "vault servce"', '"broker help vault service"?'],
      ["vault help rnu", 'command "vault rnu"', '"broker help vault run"?'],
    ] as const
  ) {
    const { status, stdout, stderr } = await home.broker(args.split(" "));
    assert.equal(status, 2, args);
    assert.equal(stdout, "");
    assert.ok(stderr.includes(`error: There is no ${message}`), stderr);
    assert.ok(stderr.includes(hint), stderr);
  }
});

Deno.test("help takes all the words of a command, before and behind those of its group", async () => {
  using home = new TestHome();
  const { stdout } = await home.done(["vault", "service", "add", "--help"]);
  assert.match(stdout, /^Usage: broker vault service add /);
  for (
    const args of ["help vault service add", "vault help service add", "vault service help add"]
  ) {
    assert.equal((await home.done(args.split(" "))).stdout, stdout, args);
  }
  const top = (await home.done(["--help"])).stdout;
  assert.equal((await home.done(["help"])).stdout, top);
});

Deno.test("the topics name every variable of the README's tables", () => {
  const text = topic("environment");
  const names = [
    ...readmeNames(/^\| variable +\| value/),
    ...readmeNames(/^\| variable +\| meaning/),
  ];
  assert.ok(names.length > 30);
  for (const name of names) assert.ok(text.includes(name), name);
});

Deno.test("the topic on errors and the README name every code with its status", () => {
  const named = readmeNames(/^\| status \| code +\| because/);
  for (const [code, status] of Object.entries(REFUSAL_STATUS)) {
    assert.match(topic("errors"), new RegExp(`^  ${status}  ${code}$`, "m"));
    assert.ok(README.includes(`\`${code}\``), `${code} is not among ${named}`);
  }
});
