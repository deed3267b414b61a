import assert from "node:assert/strict";
import { fromPs, type JobState, readJobState } from "../../src/run/job_state.ts";

const hasPs = Deno.build.os !== "windows" && await exists("/bin/ps");

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch {
    return false;
  }
}

/** Asks until the answer is as wanted: a signal takes effect a moment after it was sent. */
async function waitFor(read: () => JobState, wanted: (state: JobState) => boolean): Promise<void> {
  while (!wanted(read())) await new Promise((resolve) => setTimeout(resolve, 10));
}

for (const [name, read] of [["readJobState", readJobState], ["fromPs", fromPs]] as const) {
  Deno.test({
    name: `${name}() tells a stopped child from a running one and from one that is gone`,
    ignore: Deno.build.os === "windows" || (name === "fromPs" && !hasPs),
    fn: async () => {
      const child = new Deno.Command("sleep", { args: ["600"], stdin: "null" }).spawn();
      const state = () => read(child.pid);
      try {
        assert.equal(state().childStopped, false);
        child.kill("SIGSTOP");
        await waitFor(state, ({ childStopped }) => childStopped);
        child.kill("SIGCONT");
        await waitFor(state, ({ childStopped }) => !childStopped);
      } finally {
        child.kill("SIGKILL");
        await child.status;
      }
      assert.equal(state().childStopped, false);
    },
  });
}

Deno.test({
  name: "both ways of asking agree about this process and its terminal",
  ignore: Deno.build.os !== "linux" || !hasPs,
  fn: () => {
    assert.deepEqual(fromPs(Deno.pid), readJobState(Deno.pid));
  },
});
