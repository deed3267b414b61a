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

Deno.test("a topic that is none is told like a command that is none", async () => {
  using home = new TestHome();
  assert.notEqual((await home.broker(["help", "exit-code"])).status, 0);
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
