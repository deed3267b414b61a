import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { runDeno } from "../support/run_process.ts";
import { temporaryDirectory } from "../support/temporary_directory.ts";

const SCRIPT = fileURLToPath(new URL("../../scripts/compile.ts", import.meta.url));

/** Compiles a tiny program on a base binary of the test's choice. */
async function compile(
  options: { base: string; program?: string; args?: readonly string[]; existing?: string },
) {
  const directory = await temporaryDirectory();
  const entry = directory.join("program.ts");
  const output = directory.join("out");
  await Deno.writeTextFile(entry, options.program ?? "console.log(1);");
  if (options.existing !== undefined) await Deno.writeTextFile(output, options.existing);
  const args = ["run", "-A", SCRIPT, "--entry", entry, "--output", output, ...options.args ?? []];
  const result = await runDeno(args, { env: { DENORT_BIN: options.base } });
  return { ...result, output, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

Deno.test("a DENORT_BIN that does not exist is an error and not worked around", async () => {
  await using compiled = await compile({ base: "/nowhere/denort" });
  assert.equal(compiled.code, 1);
  assert.match(compiled.stderr, /Could not find denort at '\/nowhere\/denort'/);
  assert.match(compiled.stderr, /hint: DENORT_BIN must name a denort/);
  await assert.rejects(Deno.stat(compiled.output), Deno.errors.NotFound);
});

Deno.test("a program that does not type-check is not built", async () => {
  await using compiled = await compile({
    base: Deno.execPath(),
    program: "const text: string = 1; console.log(text);",
  });
  assert.equal(compiled.code, 1);
  assert.match(compiled.stderr, /Type 'number' is not assignable to type 'string'/);
});

Deno.test("deno compile is used where its base binary is to be had, over whatever was built before", async () => {
  // The full runtime stands in for the base binary: it is at hand, and it shows that a file is built.
  // A self-extracting file was not written over, because deno compile does not know it for its own.
  await using compiled = await compile({ base: Deno.execPath(), existing: "#!/bin/sh\n" });
  assert.equal(compiled.code, 0, compiled.stderr);
  const [built, base] = [Deno.statSync(compiled.output), Deno.statSync(Deno.execPath())];
  assert.ok(built.size > base.size);
  assert.doesNotMatch(compiled.stderr, /self-extracting/);
});
