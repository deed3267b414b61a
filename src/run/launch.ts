/**
 * Starts the child and stands aside. The child stays in this process's group and session, so the
 * terminal treats both as one job of the user's shell:
 * - what the terminal sends (Ctrl-C, Ctrl-\, a new size) reaches the child without help, and must
 *   not end the broker before it;
 * - what is sent to this process alone (`kill`, a supervisor, a hangup) is passed on;
 * - this process stops exactly when the child has stopped, so that the shell reports the job, and a
 *   resumed job resumes both. The child decides: a program that catches Ctrl-Z keeps running.
 */
import { CommandError, EXIT_NOT_EXECUTABLE, EXIT_NOT_FOUND } from "./child_command.ts";
import { IgnoredSignals } from "./ignored_signals.ts";
import { type JobState, readJobState, UNKNOWN_JOB } from "./job_state.ts";

/** How the child is started. */
export interface LaunchOptions {
  /** The child's whole environment: nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** What must be done once the child has ended, such as revoking its session: a second, impatient
   * Ctrl-C does not end this process before it is done. */
  readonly finish?: () => void | Promise<void>;
}

/** Added to the number of the signal that ended a command (POSIX XCU 2.8.2). */
const EXIT_SIGNALLED = 128;

/** Sent to one process by a person or a supervisor, hence always passed on. */
const DIRECTED_SIGNALS: readonly Deno.Signal[] = ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"];
/** Sent by the terminal to its whole foreground group, hence passed on only outside of it. */
const TERMINAL_SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGQUIT"];
/** A console sends these to all its processes; nothing else delivers them on Windows. */
const WINDOWS_SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGBREAK", "SIGHUP"];

/**
 * Runs a command with this process's standard streams and terminal, until it ends.
 *
 * @param path as `resolveCommand` gives it
 * @returns the child's exit status; 128+N when signal N ended it
 * @throws {CommandError} 126 or 127: the file went away or the system would not execute it
 */
export async function launch(
  path: string,
  args: readonly string[],
  options: LaunchOptions,
): Promise<number> {
  let child: Deno.ChildProcess | undefined;
  // A child that is quick to say that it is ready may be signalled at once, so listening comes first.
  const removeListeners = listen(() => child);
  try {
    child = spawn(path, args, options);
    const status = await exitStatus(child);
    await options.finish?.();
    return status;
  } finally {
    removeListeners();
  }
}

function spawn(path: string, args: readonly string[], options: LaunchOptions): Deno.ChildProcess {
  try {
    return new Deno.Command(path, {
      args: [...args],
      env: { ...options.env },
      clearEnv: true,
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    }).spawn();
  } catch (cause) {
    throw spawnError(path, cause);
  }
}

function spawnError(path: string, cause: unknown): Error {
  if (cause instanceof Deno.errors.NotFound) {
    // The kernel says "not found" for a script whose first line names a missing interpreter.
    return isFile(path)
      ? new CommandError(EXIT_NOT_EXECUTABLE, `Start "${path}": its interpreter is not there`, {
        hint: `install what the first line names: head -n 1 ${path}`,
        cause,
      })
      : new CommandError(EXIT_NOT_FOUND, `Start "${path}": the file is not there`, {
        hint: "check the path and the working directory",
        cause,
      });
  }
  if (cause instanceof Deno.errors.PermissionDenied) {
    return new CommandError(EXIT_NOT_EXECUTABLE, `Start "${path}": permission denied`, {
      hint: "check its permissions, and that its file system is not mounted noexec",
      cause,
    });
  }
  // Anything else the system refuses to execute, such as a program for another processor.
  const reason = cause instanceof Error && /\(os error \d+\)/.test(cause.message)
    ? cause.message.replace(/^.*': /s, "")
    : undefined;
  if (reason === undefined) return cause instanceof Error ? cause : new Error(String(cause));
  return new CommandError(EXIT_NOT_EXECUTABLE, `Start "${path}": ${reason}`, {
    hint: "try it without the broker",
    cause,
  });
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

async function exitStatus(child: Deno.ChildProcess): Promise<number> {
  try {
    return (await child.status).code;
  } catch (error) {
    // Deno has no name for a real-time signal and throws instead of telling that one ended the child.
    const number = error instanceof TypeError && /signal: (\d+)/i.exec(error.message)?.[1];
    if (number) return EXIT_SIGNALLED + Number(number);
    throw error;
  }
}

/** Listens to what must not end this process before the child; what it ignores stays ignored. */
function listen(getChild: () => Deno.ChildProcess | undefined): () => void {
  if (Deno.build.os === "windows") {
    return addListeners(WINDOWS_SIGNALS.map((signal) => [signal, () => {}]));
  }
  using ignored = new IgnoredSignals();
  const removeListeners = addListeners(
    forwarding(getChild).filter(([signal]) => !ignored.signals.has(signal)),
  );
  ignored.reinstate();
  return removeListeners;
}

function forwarding(getChild: () => Deno.ChildProcess | undefined): readonly Listener[] {
  const pass = (signal: Deno.Signal): void => {
    try {
      getChild()?.kill(signal);
    } catch {
      // It has just ended, or runs as another user: there is nothing to be done about either.
    }
  };
  const follow = stopFollower(() => getChild()?.pid);
  return [
    ...DIRECTED_SIGNALS.map((signal): Listener => [signal, () => pass(signal)]),
    ...TERMINAL_SIGNALS.map((signal): Listener => [signal, () => {
      if (!follow.state().foreground) pass(signal);
    }]),
    // Ctrl-Z went to the whole group. Passing it on would stop the job twice: this may run only once
    // the process was stopped and resumed.
    ["SIGTSTP", () => {}],
    ["SIGCHLD", follow.onChildChange],
    ["SIGCONT", () => {
      // The shell resumed this group. A child with a group of its own, such as a shell that was
      // suspended, did not get that. One that runs already must not get it twice.
      if (follow.state().childStopped) pass("SIGCONT");
    }],
  ];
}

interface StopFollower {
  readonly state: () => JobState;
  readonly onChildChange: () => void;
}

/** Stops this process when the child has stopped and a shell is there to resume both. */
function stopFollower(getPid: () => number | undefined): StopFollower {
  // Where asking runs a "ps", its end is a SIGCHLD that must not lead to asking again, for ever.
  const asksPs = Deno.build.os !== "linux";
  let ownSignals = 0;
  const state = (): JobState => {
    const pid = getPid();
    if (pid === undefined) return UNKNOWN_JOB;
    if (asksPs) ownSignals += 1;
    return readJobState(pid);
  };
  const onChildChange = (): void => {
    if (ownSignals > 0) {
      ownSignals -= 1;
      return;
    }
    const { childStopped, resumable } = state();
    // SIGSTOP, because this process catches SIGTSTP.
    if (childStopped && resumable) Deno.kill(Deno.pid, "SIGSTOP");
  };
  return { state, onChildChange };
}

type Listener = readonly [signal: Deno.Signal, handler: () => void];

function addListeners(listeners: readonly Listener[]): () => void {
  for (const [signal, handler] of listeners) Deno.addSignalListener(signal, handler);
  return () => {
    for (const [signal, handler] of listeners) Deno.removeSignalListener(signal, handler);
  };
}
