import { BrokerError } from "../errors.ts";

/** Exit statuses of a command that was never started, as POSIX shells give them (XCU 2.8.2). */
export const EXIT_NOT_EXECUTABLE = 126;
export const EXIT_NOT_FOUND = 127;

/** The child cannot be started; carries the exit status that a shell would give. */
export class CommandError extends BrokerError {
  readonly exitStatus: typeof EXIT_NOT_EXECUTABLE | typeof EXIT_NOT_FOUND;

  constructor(
    exitStatus: typeof EXIT_NOT_EXECUTABLE | typeof EXIT_NOT_FOUND,
    message: string,
    options: { readonly hint: string; readonly cause?: unknown },
  ) {
    super(exitStatus === EXIT_NOT_FOUND ? "not_found" : "unavailable", message, options);
    this.exitStatus = exitStatus;
  }
}

/** What stands at a path, as far as starting it goes. */
export type Candidate = "executable" | "not_executable" | "directory" | "absent";

/** Where and how a command is looked up. */
export interface CommandLookup {
  /** The child's `PATH`. */
  readonly path: string | undefined;
  /** Windows rules: `;` between directories, and the endings of `pathExtensions`. */
  readonly windows?: boolean;
  /** `PATHEXT`, on Windows. */
  readonly pathExtensions?: string | undefined;
  /** Looks at the file system; replaced in tests of the other system's rules. */
  readonly inspect?: (path: string) => Candidate;
}

/** What Windows uses when `PATHEXT` is not set. */
const DEFAULT_PATH_EXTENSIONS = ".COM;.EXE;.BAT;.CMD";

/**
 * The file that a command names: itself when it holds a slash, else the first executable file of that
 * name on `PATH`. The current directory is searched only where `PATH` says so, on Windows too, so
 * that a cloned repository cannot put its own `git` in front.
 *
 * @returns a path that holds a slash, relative when the command or the `PATH` entry is
 * @throws {CommandError} 127 when nothing has that name, 126 when what has it cannot be executed
 */
export function resolveCommand(command: string, lookup: CommandLookup): string {
  const { windows = false, inspect = inspectFile } = lookup;
  if (command === "" || command.includes("\0")) {
    throw notFound(command, "broker vault run -- COMMAND [ARG...]");
  }
  const endings = windows ? windowsEndings(command, lookup.pathExtensions) : [""];
  const isPath = windows ? /[\\/]|^[a-z]:/i.test(command) : command.includes("/");
  const places = isPath ? [command] : pathPlaces(command, lookup.path ?? "", windows);

  let unusable: { readonly path: string; readonly candidate: Candidate } | undefined;
  for (const place of places) {
    for (const ending of endings) {
      const path = place + ending;
      const candidate = inspect(path);
      if (candidate === "executable") return path;
      // As execvp: a directory on PATH of that name is passed over and tells the user nothing.
      if (candidate === "not_executable" || (candidate === "directory" && isPath)) {
        unusable ??= { path, candidate };
      }
    }
  }
  if (unusable === undefined) {
    throw notFound(
      command,
      isPath
        ? `check the path: ls -l ${quote(command)}`
        : `install it, or give its path: ./${command}`,
    );
  }
  throw unusable.candidate === "directory"
    ? new CommandError(EXIT_NOT_EXECUTABLE, `Start "${unusable.path}": it is a directory`, {
      hint: "name the program in it, or a shell: broker vault run -- bash",
    })
    : new CommandError(EXIT_NOT_EXECUTABLE, `Start "${unusable.path}": it is not executable`, {
      hint: windows
        ? "run it with its interpreter: broker vault run -- python FILE"
        : `chmod +x ${quote(unusable.path)}`,
    });
}

function pathPlaces(command: string, path: string, windows: boolean): string[] {
  const directories = path.split(windows ? ";" : ":");
  const separator = windows ? "\\" : "/";
  return directories.flatMap((directory) => {
    // POSIX takes an empty entry for the current directory; Windows has none.
    if (directory === "") return windows || path === "" ? [] : [`./${command}`];
    return [/[\\/]$/.test(directory) ? directory + command : directory + separator + command];
  });
}

/** The name as it stands first, when it already has one of the endings. */
function windowsEndings(command: string, pathExtensions: string | undefined): string[] {
  const endings = (pathExtensions || DEFAULT_PATH_EXTENSIONS).split(";")
    .filter((ending) => ending.startsWith("."));
  const hasEnding = endings.some((ending) => command.toLowerCase().endsWith(ending.toLowerCase()));
  return hasEnding ? ["", ...endings] : endings;
}

function inspectFile(path: string): Candidate {
  let info: Deno.FileInfo;
  try {
    info = Deno.statSync(path);
  } catch (error) {
    // A directory on PATH that may not be searched hides its programs: shells pass over it too.
    if (error instanceof Deno.errors.NotCapable) throw error;
    return "absent";
  }
  if (info.isDirectory) return "directory";
  // No mode on Windows: there the ending alone makes a file executable.
  if (!info.isFile) return "not_executable";
  return info.mode === null || (info.mode & 0o111) !== 0 ? "executable" : "not_executable";
}

function notFound(command: string, hint: string): CommandError {
  return new CommandError(EXIT_NOT_FOUND, `Find "${command}": command not found`, { hint });
}

function quote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
