import assert from "node:assert/strict";
import { Lab } from "../../src/doctor/lab.ts";
import type { Tool } from "../../src/doctor/tool.ts";
import { TOOLS } from "../../src/doctor/tools.ts";
import { tryTools } from "../../src/doctor/try_tools.ts";
import { temporaryDirectory } from "../support/temporary_directory.ts";

const ignore = Deno.build.os === "windows";

/** Programs of the test, in front of the machine's own. */
async function withPrograms(
  programs: Readonly<Record<string, string>>,
  run: (lab: Lab) => Promise<void>,
): Promise<void> {
  await using directory = await temporaryDirectory();
  for (const [name, text] of Object.entries(programs)) {
    await Deno.writeTextFile(directory.join(name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  const path = `${directory.path}:${Deno.env.get("PATH")}`;
  await using lab = await Lab.start({ ...Deno.env.toObject(), PATH: path });
  await run(lab);
}

function tool(program: string, change: Partial<Tool> = {}): Tool {
  return { name: program, program, attempt: (url) => [url], remedy: "do this", ...change };
}

Deno.test({
  name: "a tool's words are told without the session's token, and a silent one's exit status",
  ignore,
  fn: () =>
    withPrograms({
      leaking: 'echo "error: cannot reach $HTTPS_PROXY" >&2; exit 1',
      silent: "exit 7",
    }, async (lab) => {
      const results = await tryTools(lab, [tool("leaking"), tool("silent")]);
      assert.deepEqual(results.map(({ state }) => state), ["fails", "fails"]);
      assert.match(results[0]!.reason, /^error: cannot reach http:\/\/127\.0\.0\.1:\d+$/);
      assert.equal(results[1]!.reason, "exit status 7");
    }),
});

Deno.test({
  name: "a tool that does not end is ended, and the others are not kept waiting for it",
  ignore,
  fn: () =>
    withPrograms({ hanging: "exec sleep 600" }, async (lab) => {
      const [result] = await tryTools(lab, [tool("hanging", { seconds: 0.5 })]);
      assert.deepEqual([result?.state, result?.reason], ["fails", "no answer in 0.5 s"]);
    }),
});

Deno.test({
  name: "what is not there, has no library, or cannot be led to the server is told apart",
  ignore,
  fn: () =>
    withPrograms({ bare: "exit 42", led: "exit 0" }, async (lab) => {
      const { attempt: _none, ...untried } = tool("led");
      const results = await tryTools(lab, [tool("no-such-program"), tool("bare"), untried]);
      assert.deepEqual(results.map(({ state }) => state), ["missing", "missing", "untried"]);
    }),
});

Deno.test({
  name: "a tool works when its request arrived with the credential, and not by its exit status",
  ignore,
  fn: () =>
    withPrograms({
      honest: 'exec curl -sS -o /dev/null "$1"',
      // It reaches the server without the broker, and has no credential.
      direct: 'port=${1#https://*:}; port=${port%%/*}; exec curl -sSk --noproxy "*" ' +
        '--resolve "api.broker-doctor.test:$port:127.0.0.1" "$1"',
      boasting: "exit 0",
    }, async (lab) => {
      const tools = ["honest", "direct", "boasting"].map((name) => tool(name));
      const conditional = tool("honest", { extraEnvironment: () => Promise.resolve({ A: "b" }) });
      const results = await tryTools(lab, [...tools, conditional]);
      assert.deepEqual(results.map(({ state }) => state), [
        "works",
        "fails",
        "fails",
        "works_with_remedy",
      ]);
    }),
});

Deno.test("the laboratory's environment is that of a child, and holds no credential", async () => {
  await using lab = await Lab.start({ PATH: Deno.env.get("PATH") ?? "", BROKER_PASSPHRASE: "x" });
  assert.match(lab.environment["HTTPS_PROXY"] ?? "", /^http:\/\/brk_sess_.*@127\.0\.0\.1:\d+$/);
  assert.equal(lab.environment["DOCTOR_KEY"], "__doctor_key__");
  assert.equal(lab.environment["BROKER_PASSPHRASE"], undefined);
});

Deno.test("each tool has a name of its own and says what to do", () => {
  assert.equal(new Set(TOOLS.map(({ name }) => name)).size, TOOLS.length);
  for (const { remedy } of TOOLS) assert.ok(remedy.length > 20);
});
