/**
 * What a shell's job control has made of this process and its child. The system calls that tell
 * (`waitid`, `tcgetpgrp`) are out of reach without foreign functions: Linux tells the same under
 * `/proc`, every other Unix through `ps`.
 */

/** How this process and its child stand towards the terminal. */
export interface JobState {
  /** A signal has stopped the child (state `T`). */
  readonly childStopped: boolean;
  /** This process is in the terminal's foreground process group: what the terminal sends, the
   * child of the same group got as well. */
  readonly foreground: boolean;
  /** A shell on the terminal can resume this process after a stop: it has a controlling terminal and
   * did not itself open the session. */
  readonly resumable: boolean;
}

/** What is assumed when nothing can be learnt: no terminal, nobody to resume a stopped process. */
export const UNKNOWN_JOB: JobState = { childStopped: false, foreground: false, resumable: false };

/** Reads the state of this process and of its child. Never throws. */
export function readJobState(childPid: number): JobState {
  try {
    return Deno.build.os === "linux" ? fromProc(childPid) : fromPs(childPid);
  } catch {
    return UNKNOWN_JOB;
  }
}

/** From `/proc/PID/stat` (proc(5)); the child's file is gone or unreadable for a set-uid child. */
function fromProc(childPid: number): JobState {
  const [, , group, session, terminal, foregroundGroup] = statFields("self");
  let childState = "";
  try {
    childState = statFields(childPid)[0] ?? "";
  } catch {
    // Ended, or hidden by hidepid: not known to be stopped.
  }
  return {
    childStopped: childState === "T",
    foreground: group === foregroundGroup,
    resumable: terminal !== "0" && session !== String(Deno.pid),
  };
}

/** The fields from `state` on; the name before them is in parentheses and may hold anything. */
function statFields(pid: number | "self"): string[] {
  const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

/**
 * From `ps`, whose state flags POSIX systems share: `T` stopped, `s` leads its session, `+` in the
 * foreground group of its terminal. Running it makes a SIGCHLD of its own.
 */
export function fromPs(childPid: number): JobState {
  const { stdout } = new Deno.Command("/bin/ps", {
    args: ["-o", "pid=,stat=,tty=", "-p", `${Deno.pid},${childPid}`],
    stdin: "null",
    stderr: "null",
  }).outputSync();
  const rows = new Map(
    new TextDecoder().decode(stdout).trim().split("\n").map((line) => {
      const [pid = "", flags = "", terminal = ""] = line.trim().split(/\s+/);
      return [Number(pid), { flags, terminal }];
    }),
  );
  const own = rows.get(Deno.pid);
  if (own === undefined) return UNKNOWN_JOB;
  return {
    childStopped: rows.get(childPid)?.flags.startsWith("T") ?? false,
    foreground: own.flags.includes("+"),
    resumable: !/^\?*-?$/.test(own.terminal) && !own.flags.includes("s"),
  };
}
