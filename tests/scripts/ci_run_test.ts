import assert from "node:assert/strict";
import { dirname } from "node:path";
import { runProcess } from "../support/run_process.ts";
import { temporaryDirectory } from "../support/temporary_directory.ts";

/** What the stand-in for npx does: prints this and exits so, for arguments that start so. */
interface Reply {
  readonly args: string;
  readonly output?: string;
  readonly code?: number;
}

/** Runs .ci/run with a stand-in for npx that succeeds silently unless a reply says otherwise. */
async function ci(...replies: readonly Reply[]) {
  await using directory = await temporaryDirectory();
  const cases = replies.map(({ args, output = "", code = 0 }, index) => {
    Deno.writeTextFileSync(directory.join(`reply${index}`), output);
    return `"-y deno@2.9.6 ${args}"*) cat "${directory.join(`reply${index}`)}"; exit ${code};;`;
  });
  await Deno.mkdir(directory.join("project", ".ci"), { recursive: true });
  await Deno.copyFile(new URL("../../.ci/run", import.meta.url), directory.join("project/.ci/run"));
  const npx = directory.join("bin", "npx");
  await Deno.mkdir(dirname(npx));
  await Deno.writeTextFile(npx, `#!/bin/sh\ncase "$*" in\n${cases.join("\n")}\nesac\n`);
  await Deno.chmod(npx, 0o755);
  const result = await runProcess("bash", [directory.join("project/.ci/run"), "--no-packages"], {
    clearEnv: true,
    env: { PATH: `${dirname(npx)}:/usr/bin:/bin`, HOME: directory.path },
  });
  return {
    code: result.code,
    output: result.stdout,
    last: result.stdout.trimEnd().split("\n").at(-1),
  };
}

const GOOD = { args: "task test", output: "ok | 12 passed (3 steps) | 0 failed (1s)\n" };
const PURE = { args: "task test:pure", output: "ok | 99 passed | 0 failed (1s)\n" };
const ignore = Deno.build.os === "windows";

Deno.test({
  name: "a run without any test fails",
  ignore,
  fn: async () => {
    for (
      const output of ["", "ok | 0 passed | 0 failed (0s)\n", "error: No test modules found\n"]
    ) {
      const run = await ci(PURE, { args: "task test", output });
      assert.equal(run.last, "0 passed, 0 failed", output);
      assert.equal(run.code, 1, output);
    }
  },
});

Deno.test({
  name: "a runner that ends before it counts is one failure",
  ignore,
  fn: async () => {
    const run = await ci(PURE, {
      args: "task test",
      output: "error: Type checking failed.\n",
      code: 1,
    });
    assert.equal(run.last, "0 passed, 1 failed");
    assert.equal(run.code, 1);
  },
});

Deno.test({
  name: "failed tests fail the run and are counted as the runner counts them",
  ignore,
  fn: async () => {
    const output = "FAILED | 7 passed (3 steps) | 2 failed (1 step) | 4 ignored (2s)\n\nerror: x\n";
    const run = await ci(PURE, { args: "task test", output, code: 1 });
    assert.equal(run.last, "7 passed, 2 failed");
    assert.match(run.output, /^4 ignored:$/m);
    assert.equal(run.code, 1);
  },
});

Deno.test({
  name: "a failed check fails the run although every test passes",
  ignore,
  fn: async () => {
    for (
      const [args, name] of [
        ["fmt --check", "fmt"],
        ["lint", "lint"],
        ["check", "types"],
        ["run -A scripts/check_cycles.ts", "cycles"],
        ["task test:pure", "pure"],
      ] as const
    ) {
      const run = await ci({ args, code: 1 }, GOOD);
      assert.match(run.output, new RegExp(`^failed checks: ${name}$`, "m"));
      assert.equal(run.last, "12 passed, 0 failed");
      assert.equal(run.code, 1, name);
    }
  },
});

Deno.test({
  name: "a clean run passes, and names what was ignored",
  ignore,
  fn: async () => {
    const lines = [
      "a thing works ... ok (1ms)",
      "nginx answers ... ignored (0ms)",
      "ok | 12 passed (3 steps) | 0 failed | 1 ignored (1m2s)",
    ];
    const run = await ci(PURE, { args: "task test", output: lines.join("\n") + "\n" });
    assert.match(run.output, /^1 ignored:\n {2}nginx answers$/m);
    assert.equal(run.last, "12 passed, 0 failed");
    assert.equal(run.code, 0);
  },
});
