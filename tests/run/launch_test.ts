import assert from "node:assert/strict";
import { CommandError } from "../../src/run/child_command.ts";
import { launch } from "../../src/run/launch.ts";

// The child of these tests is a Unix shell.
const ignore = Deno.build.os === "windows";
const SHELL = "/bin/sh";
const DRIVER = new URL("launch_driver.ts", import.meta.url).pathname;

/** Long enough for the slowest machine; only a failing test waits for it. */
const WATCHDOG_MS = 60_000;

interface DriverResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the driver to its end, without a terminal. */
async function runDriver(
  args: readonly string[],
  options: { readonly env?: Record<string, string>; readonly stdin?: string } = {},
): Promise<DriverResult> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", DRIVER, ...args],
    env: options.env ?? {},
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(options.stdin ?? ""));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/**
 * Starts the driver on a shell script in a session of its own (so without a terminal), signals the
 * driver whenever a line "ready" comes, one signal for each, and returns what was printed.
 */
async function signalDriver(
  script: string,
  signals: readonly Deno.Signal[],
): Promise<{ readonly code: number; readonly lines: string[] }> {
  const driver = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", DRIVER, SHELL, "-c", script],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
    detached: true,
  }).spawn();
  // A defect here shows as processes that wait for ever: end them, so that the test fails instead.
  const watchdog = setTimeout(() => Deno.kill(-driver.pid, "SIGKILL"), WATCHDOG_MS);
  const pending = [...signals];
  const lines: string[] = [];
  let rest = "";
  for await (const text of driver.stdout.pipeThrough(new TextDecoderStream())) {
    rest += text;
    const parts = rest.split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      lines.push(line);
      const signal = line === "ready" ? pending.shift() : undefined;
      if (signal !== undefined) driver.kill(signal);
    }
  }
  clearTimeout(watchdog);
  return { code: (await driver.status).code, lines };
}

Deno.test({
  name: "launch() gives the child no variable but those it was told",
  ignore,
  fn: async () => {
    const { code, stdout } = await runDriver(["env"], {
      env: { MARK: "kept", DRIVER_WITHOUT: "SECRET_ONE", SECRET_ONE: "must-not-arrive" },
    });
    assert.equal(code, 0);
    assert.match(stdout, /^MARK=kept$/m);
    assert.doesNotMatch(stdout, /must-not-arrive|SECRET_ONE=/);
  },
});

Deno.test({
  name: "launch() leaves no descriptor of its own open in the child",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const list = "for fd in /proc/$$/fd/*; do readlink $fd; done";
    const outside = await new Deno.Command(SHELL, { args: ["-c", list] }).output();
    const { stdout } = await runDriver([SHELL, "-c", list]);
    const count = (text: string) => text.trim().split("\n").length;
    assert.equal(count(stdout), count(new TextDecoder().decode(outside.stdout)), stdout);
    assert.doesNotMatch(stdout, /socket|anon_inode|\.db/);
  },
});

for (const status of [0, 1, 7, 126, 127, 255]) {
  Deno.test({
    name: `the driver ends with ${status} when the child does`,
    ignore,
    fn: async () => {
      assert.equal((await runDriver([SHELL, "-c", `exit ${status}`])).code, status);
    },
  });
}

const DEADLY: readonly (readonly [name: string, number: number])[] = [
  ["HUP", 1],
  ["INT", 2],
  ["QUIT", 3],
  ["KILL", 9],
  ["SEGV", 11],
  ["TERM", 15],
];

for (const [name, number] of DEADLY) {
  Deno.test({
    name: `a child that SIG${name} ends gives ${128 + number}`,
    ignore,
    fn: async () => {
      // No core file: it would hold the child's memory, and land in the working directory.
      const { code } = await runDriver([SHELL, "-c", `ulimit -c 0; kill -${name} $$`]);
      assert.equal(code, 128 + number);
    },
  });
}

Deno.test({
  // Deno knows no name for these signals and throws where it should give a status.
  name: "a child that a real-time signal ends gives 128 and its number",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    assert.equal((await runDriver([SHELL, "-c", "kill -34 $$"])).code, 162);
  },
});

for (const signal of ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"] as const) {
  Deno.test({
    name: `${signal} sent to the driver alone reaches the child once, which then decides`,
    ignore,
    fn: async () => {
      const script = `n=0; trap 'n=$((n+1))' ${signal.slice(3)}
echo ready
while [ $n -eq 0 ]; do sleep 0.05; done
sleep 0.3; echo "got $n"; exit 9`;
      const { code, lines } = await signalDriver(script, [signal]);
      assert.deepEqual(lines, ["ready", "got 1"]);
      assert.equal(code, 9);
    },
  });
}

Deno.test({
  name: "the driver outlives every SIGTERM that the child survives",
  ignore,
  fn: async () => {
    const script = `n=0; trap 'n=$((n+1)); echo ready' TERM
echo ready
while [ $n -lt 3 ]; do sleep 0.05; done
exit 4`;
    const { code, lines } = await signalDriver(script, ["SIGTERM", "SIGTERM", "SIGTERM"]);
    assert.equal(lines.filter((line) => line === "ready").length, 4);
    assert.equal(code, 4);
  },
});

Deno.test({
  name: "a SIGTERM that the child does not catch ends both with 143",
  ignore,
  fn: async () => {
    const { code } = await signalDriver("echo ready; exec sleep 600", ["SIGTERM"]);
    assert.equal(code, 143);
  },
});

Deno.test({
  name: "what nohup ignores, the child ignores too",
  ignore,
  fn: async () => {
    const script = `trap '' HUP; exec "$@"`;
    const child = `kill -HUP $$; kill -HUP $PPID; echo survived`;
    const { stdout, code } = await new Deno.Command(SHELL, {
      args: ["-c", script, "sh", Deno.execPath(), "run", "-A", DRIVER, SHELL, "-c", child],
    }).output();
    assert.equal(new TextDecoder().decode(stdout), "survived\n");
    assert.equal(code, 0);
  },
});

Deno.test({
  name: "a stopped child without a terminal does not stop the driver, whom nobody would resume",
  ignore,
  fn: async () => {
    // The child's own child resumes it, and then the driver must still hear the signal.
    const script = `(sleep 0.5; kill -CONT $$) & trap 'exit 6' TERM
kill -STOP $$
echo ready
while :; do sleep 0.05; done`;
    const { code } = await signalDriver(script, ["SIGTERM"]);
    assert.equal(code, 6);
  },
});

Deno.test({
  name: "SIGCONT sent to the driver alone resumes a stopped child",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const script = `shell=$$
(state=R; while [ "$state" != T ]; do read -r _ _ state _ < /proc/$shell/stat; done; echo ready) &
kill -STOP $$
wait; exit 5`;
    const { code, lines } = await signalDriver(script, ["SIGCONT"]);
    assert.deepEqual(lines, ["ready"]);
    assert.equal(code, 5);
  },
});

Deno.test({
  name: "standard input reaches the child to its end, and the streams stay apart",
  ignore,
  fn: async () => {
    const input = "line\n".repeat(20_000);
    const { stdout, stderr } = await runDriver([SHELL, "-c", "cat; echo talk >&2"], {
      stdin: input,
    });
    assert.equal(stdout, input);
    assert.equal(stderr, "talk\n");
  },
});

Deno.test({
  name: "arguments reach the child as they are",
  ignore,
  fn: async () => {
    const args = ["", " ", "a b", "$HOME", "*", "'", '"', "\\", "--", "-x", "\n", "ü"];
    const { stdout } = await runDriver([SHELL, "-c", `printf '%s|' "$@"`, "sh", ...args]);
    assert.equal(stdout, args.map((arg) => `${arg}|`).join(""));
  },
});

Deno.test({
  name: "a command that is missing gives 127, one that is not executable 126, with a hint",
  ignore,
  fn: async () => {
    const missing = await runDriver(["nonesuch-command"]);
    assert.equal(missing.code, 127);
    assert.match(missing.stderr, /"nonesuch-command": command not found \(.+\)/);
    const plain = await runDriver([new URL(import.meta.url).pathname]);
    assert.equal(plain.code, 126);
    assert.match(plain.stderr, /not executable \(chmod \+x .+\)/);
  },
});

Deno.test({
  name:
    "launch() names a missing interpreter (126), a file that is gone (127) and a directory (126)",
  ignore,
  fn: async () => {
    const directory = await Deno.makeTempDir();
    try {
      const script = `${directory}/script`;
      await Deno.writeTextFile(script, "#!/no/such/interpreter\n", { mode: 0o755 });
      await assert.rejects(launch(script, [], { env: {} }), (error) => {
        assert.ok(error instanceof CommandError);
        assert.equal(error.exitStatus, 126);
        assert.match(error.message, /interpreter/);
        return true;
      });
      await assert.rejects(launch(`${directory}/gone`, [], { env: {} }), (error) => {
        assert.ok(error instanceof CommandError);
        assert.equal(error.exitStatus, 127);
        return true;
      });
      await assert.rejects(launch(directory, [], { env: {} }), (error) => {
        assert.ok(error instanceof CommandError);
        assert.equal(error.exitStatus, 126);
        return true;
      });
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});

Deno.test({
  name: "launch() waits for finish() before it returns",
  ignore,
  fn: async () => {
    const order: string[] = [];
    const status = await launch(SHELL, ["-c", "exit 5"], {
      env: {},
      finish: async () => {
        await Promise.resolve();
        order.push("finish");
      },
    });
    order.push("returned");
    assert.equal(status, 5);
    assert.deepEqual(order, ["finish", "returned"]);
  },
});

Deno.test({
  name: "a signal during finish() does not end the driver before it is done",
  ignore,
  fn: async () => {
    const { code, stdout } = await runDriver([SHELL, "-c", "exit 3"], {
      env: { DRIVER_FINISH: "signal-self" },
    });
    assert.equal(stdout, "driver: finished\n");
    assert.equal(code, 3);
  },
});
