import assert from "node:assert/strict";
import fc from "fast-check";
import { formatTable, printable } from "../../src/cli/table.ts";

const COLUMNS = [{ title: "NAME" }, { title: "SERVICES", align: "right" as const }, {
  title: "HOST",
}];
const ROWS = [["github", "3", "api.github.com"], ["s", "12", "*.example.com/api/*"]];

Deno.test("printable() shows what would steer a terminal and leaves text alone", () => {
  assert.equal(printable("a\x1b[2Jb\r\n\x07\x9b"), "a\\x1b[2Jb\\x0d\\x0a\\x07\\x9b");
  assert.equal(printable("left\u202eright"), "left\\u202eright");
  assert.equal(printable("Größe ✔ 日本"), "Größe ✔ 日本");
});

Deno.test("formatTable() aligns columns and leaves no blanks at line ends", () => {
  assert.deepEqual(formatTable(COLUMNS, ROWS, { width: 80 }), [
    "NAME    SERVICES  HOST",
    "github         3  api.github.com",
    "s             12  *.example.com/api/*",
  ]);
});

Deno.test("formatTable() turns rows into blocks where a line would not fit", () => {
  assert.deepEqual(formatTable(COLUMNS, ROWS, { width: 34 }), [
    "NAME      github",
    "SERVICES  3",
    "HOST      api.github.com",
    "",
    "NAME      s",
    "SERVICES  12",
    "HOST      *.example.com/api/*",
  ]);
});

Deno.test("formatTable() holds every cell whole at any width", () => {
  const cell = fc.stringMatching(/^[a-z0-9.*/-]{1,30}$/);
  fc.assert(fc.property(
    fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }),
    fc.integer({ min: 1, max: 120 }),
    (rows, width) => {
      const text = formatTable(COLUMNS, rows, { width }).join("\n");
      for (const row of rows) for (const one of row) assert.ok(text.includes(one));
    },
  ));
});
