import assert from "node:assert/strict";
import fc from "fast-check";
import { BrokerError } from "../../src/errors.ts";
import { parseDotenv } from "../../src/cli/dotenv.ts";

function read(text: string): [string, string][] {
  return parseDotenv(text, "x.env").map(({ key, value }) => [key, value.reveal()]);
}

function faults(text: string): string[] {
  try {
    parseDotenv(text, "x.env");
  } catch (error) {
    assert.ok(error instanceof BrokerError);
    assert.equal(error.code, "validation_failed");
    return error.issues.map((issue) => {
      const { line, column } = issue as unknown as { line: number; column: number };
      return `${line}:${column} ${issue.message}`;
    });
  }
  return [];
}

Deno.test("parseDotenv() never repeats a line's text in an error", () => {
  for (const text of ["sk-canary", "lower=sk-canary", 'A="sk-canary', "A=1\nA=sk-canary"]) {
    try {
      parseDotenv(text, "x.env");
      assert.fail(`"${text}" was taken`);
    } catch (error) {
      assert.ok(error instanceof BrokerError);
      assert.equal(Deno.inspect(error).includes("canary"), false);
    }
  }
});

const CASES: readonly [text: string, entries: [string, string][]][] = [
  ["", []],
  ["# only a comment\n\n   \n", []],
  ["A=1", [["A", "1"]]],
  ["A=1\r\nB=2\r\n", [["A", "1"], ["B", "2"]]],
  ["export A_KEY=x=y==", [["A_KEY", "x=y=="]]],
  ["  A = 1  ", [["A", "1"]]],
  ["A=a#b # comment", [["A", "a#b"]]],
  ["A=# comment", [["A", ""]]],
  ["A='a # \\n \"b' # comment", [["A", 'a # \\n "b']]],
  ['A="a\\"b\\\\n\\tc\\$d"', [["A", 'a"b\\n\tc$d']]],
  ["A=$HOME and ${B} and $& and $$", [["A", "$HOME and ${B} and $& and $$"]]],
  ['A=""', [["A", ""]]],
];

for (const [text, entries] of CASES) {
  Deno.test(`parseDotenv() reads ${JSON.stringify(text)}`, () => {
    assert.deepEqual(read(text), entries);
  });
}

Deno.test("parseDotenv() names every faulty line at once", () => {
  assert.deepEqual(faults('A=1\n  just words\nlower=1\nA=2\nB=\'open\nC="a" b\n'), [
    "2:3 write KEY=VALUE",
    "3:1 a key is upper case letters, digits and underscores, first a letter",
    '4:1 "A" stands on line 1 already',
    '5:1 the value of "B" has an opening quote and no closing one',
    '6:1 the value of "C" has an opening quote and no closing one',
  ]);
});

Deno.test("parseDotenv() reads back any value between single quotes", () => {
  fc.assert(fc.property(fc.stringMatching(/^[^'\r\n]*$/), (value) => {
    assert.deepEqual(read(`A='${value}'`), [["A", value]]);
  }));
});

Deno.test("parseDotenv() gives entries or a broker error for any text", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    try {
      parseDotenv(text, "x.env");
    } catch (error) {
      assert.ok(error instanceof BrokerError);
    }
  }));
});
