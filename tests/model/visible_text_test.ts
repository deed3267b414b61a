import assert from "node:assert/strict";
import { hasInvisibleCharacters, visibleLines, visibleText } from "../../src/model/visible_text.ts";

const CASES: readonly (readonly [name: string, text: string, shown: string])[] = [
  ["plain words", "I need it, thanks: 100 %", "I need it, thanks: 100 %"],
  ["letters of other scripts", "Bitte prüfen 検査", "Bitte prüfen 検査"],
  ["an escape sequence", "\x1b[2Jok", "\\u{1b}[2Jok"],
  ["a carriage return alone", "safe\rreally evil", "safe really evil"],
  ["a mark that turns the writing", "\u202egpj.exe", "\\u{202e}gpj.exe"],
  ["an isolate", "a\u2066b\u2069", "a\\u{2066}b\\u{2069}"],
  ["a character of no width", "git\u200bhub", "git\\u{200b}hub"],
  ["a soft hyphen", "git\u00adhub", "git\\u{ad}hub"],
  ["a filler letter", "a\u3164b", "a\\u{3164}b"],
  ["a tag character", "a\u{e0041}b", "a\\u{e0041}b"],
  ["a line separator", "a\u2028b", "a\\u{2028}b"],
  ["an 8-bit control", "a\x9bb", "a\\u{9b}b"],
  ["half of a surrogate pair", "a\ud800b", "a\\u{d800}b"],
];

for (const [name, text, shown] of CASES) {
  Deno.test(`visibleText() shows ${name}`, () => {
    assert.equal(visibleText(text), shown);
    assert.equal(hasInvisibleCharacters(text), text.replaceAll("\r", " ") !== shown);
  });
}

Deno.test("visibleLines() keeps lines and cuts a run of empty ones, which pushes text out of sight", () => {
  assert.deepEqual(visibleLines(`one\r\ntwo${"\n".repeat(50)}three\n`), [
    "one",
    "two",
    "",
    "three",
  ]);
});
