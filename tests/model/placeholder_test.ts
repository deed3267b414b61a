import assert from "node:assert/strict";
import fc from "fast-check";
import { isPlaceholder, placeholderIssue } from "../../src/model/placeholder.ts";

/** One row for each sentence of the spec's Placeholder validation. */
const SENTENCES: [sentence: string, rows: [placeholder: string, refused: RegExp | undefined][]][] =
  [
    ["Its length is at least 4 characters.", [
      ["", /fewer than 4/],
      ["_-a", /fewer than 4/],
      ["a.b", /fewer than 4/],
      ["a.bc", undefined],
      ["__a", /fewer than 4/],
      ["__a_", undefined],
    ]],
    ["It contains a `__` sequence or a character outside `[A-Za-z0-9_]`.", [
      ["sid_value", /bare word/],
      ["_sid_", /bare word/],
      ["SIDVALUE", /bare word/],
      ["a__b", undefined],
      ["sid.", undefined],
      ["sid~", undefined],
      ["-sid", undefined],
    ]],
    ["It contains at least one alphanumeric character.", [
      ["____", /no letter or digit/],
      ["_-.~", /no letter or digit/],
      ["__1_", undefined],
    ]],
    ["It uses only the characters `A-Z a-z 0-9 _ - . ~`.", [
      ["{{sid}}", /"\{" at column 1/],
      ["__sid__ ", /" " at column 8/],
      ["__sïd__", /"ï" at column 4/],
      ["__si%64__", /"%" at column 5/],
      ["__a\n__", /"\\n" at column 4/],
      ["__Az09_-.~__", undefined],
    ]],
    ["A bare word such as `account_sid` is rejected.", [["account_sid", /bare word/]]],
    ["`__account_sid__`, `sid.value`, `sid-val` and `~sid~` are accepted.", [
      ["__account_sid__", undefined],
      ["sid.value", undefined],
      ["sid-val", undefined],
      ["~sid~", undefined],
    ]],
  ];

for (const [sentence, rows] of SENTENCES) {
  Deno.test(`Placeholder validation: ${sentence}`, () => {
    for (const [placeholder, refused] of rows) {
      const issue = placeholderIssue(placeholder);
      if (refused === undefined) assert.equal(issue, undefined, placeholder);
      else assert.match(issue ?? "accepted", refused);
    }
  });
}

Deno.test("a refused placeholder comes with one that is accepted", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 12 }), (text) => {
    const issue = placeholderIssue(text);
    if (issue === undefined) return;
    const suggested = /such as "([^"]+)"$/.exec(issue)?.[1] ?? "";
    assert.equal(isPlaceholder(suggested), true, issue);
  }));
});

Deno.test("isPlaceholder() is the four rules taken together", () => {
  const unit = fc.constantFrom("a", "Z", "0", "_", "-", ".", "~", "{", " ");
  fc.assert(fc.property(fc.string({ unit, maxLength: 8 }), (text) => {
    const expected = text.length >= 4 && (text.includes("__") || /[^A-Za-z0-9_]/.test(text)) &&
      /[A-Za-z0-9]/.test(text) && /^[A-Za-z0-9_\-.~]*$/.test(text);
    assert.equal(isPlaceholder(text), expected, text);
  }));
});
