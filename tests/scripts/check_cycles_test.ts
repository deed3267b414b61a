import assert from "node:assert/strict";
import { dirname } from "node:path";
import { findCycle } from "../../scripts/check_cycles.ts";
import { runDeno } from "../support/run_process.ts";
import { temporaryDirectory } from "../support/temporary_directory.ts";

const SCRIPT = new URL("../../scripts/check_cycles.ts", import.meta.url).pathname;

/** Runs the check on a folder with these files. */
async function check(files: Readonly<Record<string, string>>) {
  await using directory = await temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(directory.join(name)), { recursive: true });
    await Deno.writeTextFile(directory.join(name), text);
  }
  return await runDeno(["run", "-A", SCRIPT, directory.path]);
}

Deno.test("a cycle of any kind of import fails the check and is printed", async () => {
  const forms = [
    'import { a } from "../a.ts"; a;',
    'import type { A } from "../a.ts"; export type B = A;',
    'export { a } from "../a.ts";',
    'export * from "../a.ts";',
    'export const a = () => import("../a.ts");',
  ];
  for (const form of forms) {
    const result = await check({
      "a.ts": 'export const a = 1; export type A = 1; import "./b/c.ts";',
      "b/c.ts": form,
      "main.ts": 'import "./a.ts";',
    });
    assert.equal(result.stderr, "Import cycle: a.ts -> b/c.ts -> a.ts\n", form);
    assert.equal(result.code, 1);
  }
});

Deno.test("a file that imports itself is a cycle", async () => {
  const result = await check({ "a.ts": 'import "./a.ts";' });
  assert.equal(result.stderr, "Import cycle: a.ts -> a.ts\n");
  assert.equal(result.code, 1);
});

Deno.test("files that share an import without a way back pass", async () => {
  const result = await check({
    "a.ts": 'import "./b.ts"; import "./c.ts"; // import "./a.ts";',
    "b.ts": 'import "./d.ts"; export const text = \'import "./a.ts"\';',
    "c.ts": 'import "./d.ts";',
    "d.ts": "export {};",
  });
  assert.equal(result.stderr, "");
  assert.equal(result.stdout, "No import cycle in 4 files\n");
  assert.equal(result.code, 0);
});

Deno.test("a file that cannot be parsed or found fails the check", async () => {
  for (const text of ["import {", 'import "./gone.ts";']) {
    const result = await check({ "a.ts": text });
    assert.notEqual(result.code, 0, text);
    assert.doesNotMatch(result.stdout, /No import cycle/);
  }
});

Deno.test("an empty folder fails the check, so that a moved src/ is noticed", async () => {
  assert.notEqual((await check({})).code, 0);
});

Deno.test("findCycle() gives the shortest of several cycles", () => {
  const graph = new Map([
    ["a", ["b"]],
    ["b", ["c"]],
    ["c", ["a", "d"]],
    ["d", ["c"]],
    ["e", ["a"]],
  ]);
  assert.deepEqual(findCycle(graph), ["c", "d"]);
  assert.equal(findCycle(new Map([["a", ["b"]], ["b", []]])), undefined);
});

Deno.test("findCycle() ends soon where every file imports all later ones", () => {
  const graph = new Map<string, string[]>();
  for (let index = 0; index < 300; index++) {
    graph.set(
      `${index}`,
      Array.from({ length: 300 - index - 1 }, (_, more) => `${index + more + 1}`),
    );
  }
  assert.equal(findCycle(graph), undefined);
});
