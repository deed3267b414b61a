import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { runDeno } from "../support/run_process.ts";

Deno.test("the demo shows the main job and ends with 0", async () => {
  const script = fileURLToPath(new URL("../../scripts/demo.ts", import.meta.url));
  const { code, stdout, stderr } = await runDeno(["run", "-A", script]);
  assert.equal(code, 0, stdout + stderr);
  assert.ok(stdout.includes("Everything above is so."));
  assert.ok(!stdout.includes("WRONG"));
});
