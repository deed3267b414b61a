import assert from "node:assert/strict";
import { parseHeaderTemplate } from "../../src/model/header_template.ts";

const FAULTS: [template: string, says: RegExp][] = [
  ["Bearer {{ KEY", /column 8 is not closed/],
  ["{{", /column 1 is not closed/],
  ["{{}}", /column 1 names no credential:/],
  ["{{  }}", /column 1 names no credential:/],
  ["{{ ghp_secret }}", /column 1 names no credential key/],
  ["{{ KEY }} {{ ke-y }}", /column 11 names no credential key/],
  ["{{ {{ KEY }} }}", /column 1 names no credential key/],
  ["{{{ KEY }}}", /column 1 names no credential key/],
  ["{{ KEY\n}}", /column 1 names no credential key/],
];

for (const [template, says] of FAULTS) {
  Deno.test(`the template ${JSON.stringify(template)} is refused with the place of the fault`, () => {
    const parsed = parseHeaderTemplate(template);
    assert.equal(parsed.kind, "fault");
    assert.match(parsed.kind === "fault" ? parsed.message : "", says);
    assert.doesNotMatch(JSON.stringify(parsed), /ghp_secret/);
  });
}

Deno.test("parseHeaderTemplate() takes text and several placeholders apart", () => {
  assert.deepEqual(parseHeaderTemplate('a {{ KEY_1 }}{{B}}:{{\tC }}"}}'), {
    kind: "template",
    parts: [
      { kind: "text", text: "a " },
      { kind: "credential", key: "KEY_1" },
      { kind: "credential", key: "B" },
      { kind: "text", text: ":" },
      { kind: "credential", key: "C" },
      { kind: "text", text: '"}}' },
    ],
  });
  assert.deepEqual(parseHeaderTemplate('{"a":{"b":"{{ K }}"}}'), {
    kind: "template",
    parts: [
      { kind: "text", text: '{"a":{"b":"' },
      { kind: "credential", key: "K" },
      { kind: "text", text: '"}}' },
    ],
  });
});
