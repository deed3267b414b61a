import assert from "node:assert/strict";
import { REFUSAL_STATUS } from "../../src/model/refusal_code.ts";
import { SKILL_DESCRIPTION, SKILL_TEXT } from "../../src/skill/skill.ts";
import { COMMANDS } from "../../src/cli/command_tree.ts";

Deno.test("the skill says what to do about every code of the proxy, and about no other", () => {
  const rows = SKILL_TEXT.split("\n").filter((line) => /^\| `/.test(line));
  const told = rows.flatMap((row) =>
    [...row.split("|")[1]!.matchAll(/`([a-z_]+)`/g)].map((match) => match[1]!)
  );
  assert.deepEqual(told.sort(), Object.keys(REFUSAL_STATUS).sort());
});

Deno.test("every command that the skill names exists", () => {
  const named = [...SKILL_TEXT.matchAll(/broker ((?:[a-z]+ ?)+)/g)].map((match) =>
    match[1]!.trim()
  );
  const paths = COMMANDS.map(({ path }) => path);
  const commands = named.filter((words) => /^(vault|agent|ca|service) /.test(words));
  assert.ok(commands.length >= 5);
  for (const words of commands) {
    assert.ok(paths.some((path) => words === path || words.startsWith(`${path} `)), words);
  }
});

Deno.test("the description fits the shortest limit of the programs that read it", () => {
  assert.ok(SKILL_DESCRIPTION.length <= 1024);
  assert.ok(!SKILL_DESCRIPTION.includes("\n"));
});
