import assert from "node:assert/strict";
import fc from "fast-check";
import { findJsonFault } from "../../src/api/json_fault.ts";

const FAULTS: [text: string, line: number, column: number, expected: string][] = [
  ["", 1, 1, "a value"],
  ["  ", 1, 3, "a value"],
  ["{", 1, 2, 'a quoted name or "}"'],
  ['{"a": 1,}', 1, 9, "a quoted name"],
  ['{"a" 1}', 1, 6, '":"'],
  ['{"a": }', 1, 7, "a value"],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, '"," or "}"'],
  ["[1,]", 1, 4, "a value"],
  ["[1 2]", 1, 4, '"," or "]"'],
  ["[", 1, 2, 'a value or "]"'],
  ["[}", 1, 2, 'a value or "]"'],
  ["{]", 1, 2, 'a quoted name or "}"'],
  ["[1]]", 1, 4, "the end of the text"],
  ["{} {}", 1, 4, "the end of the text"],
  ["tru", 1, 1, "a value"],
  ["'a'", 1, 1, "a value"],
  ["01", 1, 2, "the end of the text"],
  ["-", 1, 1, "a value"],
  ["1.", 1, 2, "the end of the text"],
  ["+1", 1, 1, "a value"],
  ["NaN", 1, 1, "a value"],
  ['"abc', 1, 5, "a closing quote"],
  ['"a\nb"', 1, 3, "an escaped control character"],
  ['"a\\x"', 1, 4, "an escape"],
  ['"\\u12G4"', 1, 4, "four hexadecimal digits"],
  ["\u00a0{}", 1, 1, "a value"],
  ["[".repeat(200_000), 1, 200_001, 'a value or "]"'],
];

for (const [text, line, column, expected] of FAULTS) {
  Deno.test(`findJsonFault() of ${JSON.stringify(text.slice(0, 30))} points at ${line}:${column}`, () => {
    assert.deepEqual(findJsonFault(text), { line, column, expected });
    assert.throws(() => JSON.parse(text), SyntaxError);
  });
}

Deno.test("findJsonFault() finds nothing in what JSON.stringify writes", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.nat(4), (value, indent) => {
    assert.equal(findJsonFault(JSON.stringify(value, null, indent)), undefined);
  }));
});

Deno.test("findJsonFault() and JSON.parse agree on damaged JSON", () => {
  const damaged = fc.tuple(
    fc.json(),
    fc.nat(),
    fc.nat(3),
    fc.constantFrom(...'{}[]",:\\\n\t 0-.eEtn\u0001'),
  );
  fc.assert(
    fc.property(damaged, ([text, place, cut, insert]) => {
      const at = place % (text.length + 1);
      const input = text.slice(0, at) + insert + text.slice(at + cut);
      assert.equal(findJsonFault(input) === undefined, isJson(input), input);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("findJsonFault() takes a string of a megabyte without running out of stack", () => {
  assert.equal(findJsonFault(`"${"a".repeat(1_000_000)}"`), undefined);
  assert.equal(findJsonFault(`"${"a".repeat(1_000_000)}`)?.column, 1_000_002);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
