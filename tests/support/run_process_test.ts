import assert from "node:assert/strict";
import { runDeno, runProcess, startProcess } from "./run_process.ts";

Deno.test("a program that does not end in time fails the call", async () => {
  const forever = ["eval", "setInterval(() => {}, 1000)"];
  await assert.rejects(
    runProcess(Deno.execPath(), forever, { timeoutMs: 500 }),
    /Still running after 500 ms/,
  );
});

Deno.test("a finished program gives its status, its output and what it read", async () => {
  const script = `
    console.error(Deno.env.get("COLOUR"));
    console.log(await new Response(Deno.stdin.readable).text());
    Deno.exit(3);
  `;
  const result = await runDeno(["eval", script], { input: "typed", env: { COLOUR: "green" } });
  assert.deepEqual(result, { code: 3, signal: null, stdout: "typed\n", stderr: "green\n" });
});

Deno.test("a running program can be waited for and ends with the test", async () => {
  await using server = startProcess(Deno.execPath(), [
    "eval",
    `console.log("port 12"); setInterval(() => {}, 1000)`,
  ]);
  const match = await server.waitFor(/port (\d+)/);
  assert.equal(match[1], "12");
  await assert.rejects(
    async () => {
      await using ended = startProcess(Deno.execPath(), ["eval", "console.error('bye')"]);
      await ended.waitFor(/never/);
    },
    /Ended without \/never\/:[^]*bye/,
  );
});
