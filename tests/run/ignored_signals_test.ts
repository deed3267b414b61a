import assert from "node:assert/strict";

Deno.test({
  name: "IgnoredSignals finds what the process was started to ignore, and has it ignored again",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const module = new URL("../../src/run/ignored_signals.ts", import.meta.url).href;
    const code = `import { IgnoredSignals } from ${JSON.stringify(module)};
using ignored = new IgnoredSignals();
console.log([...ignored.signals].join());
Deno.addSignalListener("SIGTERM", () => {});
console.log([...new IgnoredSignals().signals].join());
ignored.reinstate();
console.log([...new IgnoredSignals().signals].join());
Deno.exit();`;
    const read = async (script: string, ...flags: string[]) => {
      const args = ["-c", script, "sh", Deno.execPath(), "run", "-q", ...flags, "-"];
      const child = new Deno.Command("/bin/sh", { args, stdin: "piped", stdout: "piped" }).spawn();
      await ReadableStream.from([new TextEncoder().encode(code)]).pipeTo(child.stdin);
      const { stdout } = await child.output();
      return new TextDecoder().decode(stdout).split("\n").slice(0, 3);
    };
    const some = `trap '' HUP USR1 TSTP; exec "$@"`;
    assert.deepEqual(await read(some, "-A"), [
      "SIGHUP,SIGUSR1,SIGTSTP",
      "SIGUSR1,SIGTSTP",
      "SIGHUP,SIGUSR1,SIGTSTP",
    ]);
    assert.deepEqual(await read(`exec "$@"`, "-A"), ["", "", ""]);
    assert.deepEqual(await read(some, "--allow-read", "--no-prompt"), ["", "", ""]);
  },
});
