/** Plays a person at a terminal against a real shell: pty_session.py types and reads the screen. */
import assert from "node:assert/strict";

type Step =
  | readonly ["expect", text: string]
  | readonly ["type", text: string]
  | readonly ["hang up"];

interface Played {
  /** The step that did not come true. */
  readonly failed: number | null;
  readonly screen: string;
  readonly status: number | null;
}

const HERE = new URL(".", import.meta.url).pathname;
const DRIVER = `'${Deno.execPath()}' run -A --quiet '${HERE}launch_driver.ts'`;
const CTRL_C = "\x03";
const CTRL_Z = "\x1a";
const CTRL_BACKSLASH = "\x1c";

/** The pseudo-terminal comes from Python, the job control from bash. */
const ignore = !(await canRun("python3", "import pty, termios") && await canRun("bash", "exit 0"));

async function canRun(program: string, script: string): Promise<boolean> {
  try {
    return (await new Deno.Command(program, { args: ["-c", script] }).output()).success;
  } catch {
    return false;
  }
}

/** Plays the steps on a terminal of its own and asserts that each came true. */
async function play(argv: readonly string[], steps: readonly Step[]): Promise<Played> {
  const { stdout, stderr } = await new Deno.Command("python3", {
    args: [`${HERE}pty_session.py`, JSON.stringify({ argv, steps })],
    env: { TERM: "dumb" },
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert.ok(text.startsWith("{"), new TextDecoder().decode(stderr));
  const played = JSON.parse(text) as Played;
  if (played.failed !== null) {
    assert.fail(`Step ${JSON.stringify(steps[played.failed])} failed:\n${played.screen}`);
  }
  return played;
}

/** Plays the steps in an interactive bash whose prompt is `OUT> `. */
function playInShell(steps: readonly Step[]): Promise<Played> {
  return play(["bash", "--norc", "--noprofile", "-i"], [
    // The quotes keep the echo of what is typed from looking like the prompt itself.
    ["type", `PS1='OUT''> '\n`],
    ["expect", "OUT> "],
    ...steps,
    ["type", "exit\n"],
  ]);
}

/** A child that says when it is there, and then echoes line by line. */
const ECHO = `sh -c 'echo child-"ready"; exec cat'`;

function terminalTest(name: string, fn: () => Promise<unknown>): void {
  Deno.test({ name, ignore, fn: async () => void await fn() });
}

terminalTest("Ctrl-C ends a child that does not catch it, and the driver gives 130", async () => {
  await playInShell([
    ["type", `DRIVER_REPORT=1 ${DRIVER} ${ECHO}\n`],
    ["expect", "child-ready"],
    ["type", CTRL_C],
    ["expect", "child gave 130"],
    ["expect", "OUT> "],
    ["type", "echo status=$?\n"],
    ["expect", "status=130"],
  ]);
});

terminalTest("Ctrl-\\ ends a child that does not catch it, and the driver gives 131", async () => {
  await playInShell([
    ["type", `ulimit -c 0; DRIVER_REPORT=1 ${DRIVER} ${ECHO}\n`],
    ["expect", "child-ready"],
    ["type", CTRL_BACKSLASH],
    ["expect", "child gave 131"],
  ]);
});

terminalTest("a child that catches Ctrl-C gets each one once and decides when to end", async () => {
  // Python, because a shell runs its trap once for two signals that come close together.
  // The handler writes without Python's buffer, which must not be entered twice.
  const script = `import os, signal, time
count = 0
def caught(*_):
    global count
    count += 1
    os.write(1, b"got %d\\n" % count)
signal.signal(signal.SIGINT, caught)
print("child", "ready", flush=True)
while count < 2: time.sleep(0.01)
limit = time.monotonic() + 0.5
while time.monotonic() < limit: time.sleep(0.01)
print("total", count, flush=True)
raise SystemExit(5)
`;
  const file = await Deno.makeTempFile({ suffix: ".py" });
  try {
    await Deno.writeTextFile(file, script);
    await playInShell([
      ["type", `DRIVER_REPORT=1 ${DRIVER} python3 '${file}'\n`],
      ["expect", "child ready"],
      ["type", CTRL_C],
      ["expect", "got 1"],
      ["type", CTRL_C],
      ["expect", "got 2"],
      ["expect", "total 2\r"],
      ["expect", "child gave 5"],
    ]);
  } finally {
    await Deno.remove(file);
  }
});

terminalTest("Ctrl-Z stops child and driver as one job, and fg resumes both", async () => {
  await playInShell([
    ["type", `DRIVER_REPORT=1 ${DRIVER} ${ECHO}\n`],
    ["expect", "child-ready"],
    ["type", CTRL_Z],
    ["expect", "Stopped"],
    ["expect", "OUT> "],
    ["type", "fg\n"],
    ["expect", "launch_driver.ts"],
    ["type", "hello\n"],
    ["expect", "hello\r\nhello"],
    ["type", CTRL_Z],
    ["expect", "Stopped"],
    ["expect", "OUT> "],
    ["type", "fg\n"],
    ["expect", "launch_driver.ts"],
    ["type", "again\n"],
    ["expect", "again\r\nagain"],
    ["type", "\x04"],
    ["expect", "child gave 0"],
  ]);
});

terminalTest(
  "a child that stops itself alone stops the driver, so that the shell returns",
  async () => {
    const script = `echo before-"stop"; kill -STOP $$; echo after-"stop"; exit 8`;
    await playInShell([
      ["type", `DRIVER_REPORT=1 ${DRIVER} sh -c '${script}'\n`],
      ["expect", "before-stop"],
      ["expect", "Stopped"],
      ["expect", "OUT> "],
      ["type", "fg\n"],
      ["expect", "after-stop"],
      ["expect", "child gave 8"],
    ]);
  },
);

terminalTest("a child that catches Ctrl-Z and goes on does not lose its terminal", async () => {
  const script = `trap 'echo caught-"it"' TSTP; echo child-"ready"
read line; echo read-"$line"-; read line; echo read-"$line"-; exit 2`;
  await playInShell([
    ["type", `DRIVER_REPORT=1 ${DRIVER} bash -c '${script.replaceAll("'", `'\\''`)}'\n`],
    ["expect", "child-ready"],
    ["type", "one\n"],
    ["expect", "read-one-"],
    ["type", CTRL_Z],
    ["type", "two\n"],
    ["expect", "read-two-"],
    ["expect", "child gave 2"],
  ]);
});

// A listener for SIGTSTP that ran only after the stop once took "in the background" for "sent to this
// process alone", passed the signal on, and stopped the job that bg had just resumed.
terminalTest("bg lets a stopped job run on, and its end is the shell's to report", async () => {
  // No shell: one that starts programs by vfork cannot stop while a stopped child has not begun its own.
  const script = `import os, sys, time
print("child", "ready", sep="-", flush=True)
while not os.path.exists(sys.argv[1]): time.sleep(0.05)
sys.exit(3)
`;
  const directory = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${directory}/wait.py`, script);
    await playInShell([
      ["type", `DRIVER_REPORT=1 ${DRIVER} python3 '${directory}/wait.py' '${directory}/go'\n`],
      ["expect", "child-ready"],
      ["type", CTRL_Z],
      ["expect", "Stopped"],
      ["expect", "OUT> "],
      ["type", "bg\n"],
      ["expect", "OUT> "],
      ["type", "jobs\n"],
      ["expect", "Running"],
      ["expect", "OUT> "],
      ["type", `touch '${directory}/go'; wait %1; echo status=$?\n`],
      ["expect", "child gave 3"],
      ["expect", "status=3"],
    ]);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

terminalTest("a shell under the driver has its own job control, and can be suspended", async () => {
  await playInShell([
    ["type", `DRIVER_REPORT=1 ${DRIVER} bash --norc --noprofile -i\n`],
    ["expect", "bash"],
    ["type", `PS1='IN''> '\n`],
    ["expect", "IN> "],
    ["type", `${ECHO}\n`],
    ["expect", "child-ready"],
    ["type", CTRL_Z],
    ["expect", "Stopped"],
    ["expect", "IN> "],
    ["type", "fg\n"],
    ["expect", "exec cat"],
    ["type", "inner\n"],
    ["expect", "inner\r\ninner"],
    // Ctrl-C goes to the inner job alone: the shell, and the driver above it, go on.
    ["type", CTRL_C],
    ["expect", "IN> "],
    ["type", "suspend\n"],
    ["expect", "Stopped"],
    ["expect", "OUT> "],
    ["type", "fg\n"],
    ["expect", "IN> "],
    ["type", "echo resumed-$((40 + 2))\n"],
    ["expect", "resumed-42"],
    ["type", "exit 7\n"],
    ["expect", "child gave 7"],
  ]);
});

terminalTest("the child has the terminal itself: name, size and raw mode", async () => {
  const script = `test -t 0 && test -t 1 && test -t 2 && stty -icanon -echo && tty
echo mode-"$(stty -a | grep -c -- -icanon)"-; stty sane; exit 0`;
  await playInShell([
    ["type", `tty; stty rows 31 cols 97; DRIVER_REPORT=1 ${DRIVER} sh -c '${script}'\n`],
    ["expect", "mode-1-"],
    ["expect", "child gave 0"],
    ["type", `${DRIVER} stty size\n`],
    ["expect", "31 97"],
  ]);
});

terminalTest("a hangup of a terminal that belongs to the driver reaches the child", async () => {
  const directory = await Deno.makeTempDir();
  const log = `${directory}/log`;
  // No shell above: the driver leads the session, so the kernel sends SIGHUP to it alone.
  const script = `trap 'echo hup >> "$0"; exit 4' HUP; echo child-"ready"
while :; do sleep 0.05; done`;
  try {
    const { status } = await play(
      [Deno.execPath(), "run", "-A", "--quiet", `${HERE}launch_driver.ts`, "sh", "-c", script, log],
      [["expect", "child-ready"], ["hang up"]],
    );
    assert.equal(await Deno.readTextFile(log), "hup\n");
    assert.equal(status, 4);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
