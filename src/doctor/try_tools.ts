import { resolveCommand } from "../run/child_command.ts";
import type { Lab } from "./lab.ts";
import { MISSING_LIBRARY, type Tool, type ToolResult } from "./tool.ts";

/** Seconds that an attempt may take unless the tool says otherwise. */
const USUAL_SECONDS = 20;

/** Attempts at a time; more would only wait for the processors. */
const AT_ONCE = 4;

/** Characters of a tool's last words that are shown. */
const REASON_LENGTH = 160;

/** Lets every tool that is installed make a request through the laboratory's broker. */
export async function tryTools(lab: Lab, tools: readonly Tool[]): Promise<ToolResult[]> {
  const results: ToolResult[] = [];
  const waiting = [...tools.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, tool] = next;
      results[index] = await tryTool(lab, tool, `tool-${index}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}

async function tryTool(lab: Lab, tool: Tool, path: string): Promise<ToolResult> {
  const { name, remedy } = tool;
  const program = findProgram(lab, tool.program);
  if (program === undefined) return { name, state: "missing", reason: "", remedy };
  if (tool.attempt === undefined) return { name, state: "untried", reason: "", remedy };
  const directory = `${lab.directory}/${path}`;
  await Deno.mkdir(directory);
  const url = `${lab.url}/${path}`;
  if (tool.file !== undefined) {
    await Deno.writeTextFile(`${directory}/${tool.file.name}`, tool.file.text(url));
  }
  const extra = await tool.extraEnvironment?.(lab.environment);
  const end = await runLimited(program, tool.attempt(url, directory), {
    env: { ...lab.environment, ...extra },
    cwd: directory,
    seconds: tool.seconds ?? USUAL_SECONDS,
  });
  if (end.code === MISSING_LIBRARY) return { name, state: "missing", reason: "", remedy };
  // What the tool makes of the answer is its own affair; that the credential arrived is the question.
  if (lab.hasArrived(path)) {
    return { name, state: extra === undefined ? "works" : "works_with_remedy", reason: "", remedy };
  }
  return { name, state: "fails", reason: end.reason, remedy };
}

function findProgram(lab: Lab, program: string): string | undefined {
  const windows = Deno.build.os === "windows";
  try {
    return resolveCommand(program, {
      path: lab.environment["PATH"],
      windows,
      pathExtensions: lab.environment["PATHEXT"],
    });
  } catch {
    return undefined;
  }
}

async function runLimited(
  program: string,
  args: readonly string[],
  options: {
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
    readonly seconds: number;
  },
): Promise<{ readonly code: number; readonly reason: string }> {
  const { env, cwd, seconds } = options;
  let late = false;
  try {
    const child = new Deno.Command(program, {
      args: [...args],
      env: { ...env },
      clearEnv: true,
      cwd,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const timer = setTimeout(() => {
      late = true;
      try {
        child.kill("SIGKILL");
      } catch {
        // It has just ended.
      }
    }, seconds * 1000);
    try {
      const { code, stderr } = await child.output();
      const reason = late
        ? `no answer in ${seconds} s`
        : lastWords(new TextDecoder().decode(stderr));
      return { code, reason: reason === "" && code !== 0 ? `exit status ${code}` : reason };
    } finally {
      clearTimeout(timer);
    }
  } catch (error) {
    return { code: 1, reason: error instanceof Error ? error.message : "it cannot be started" };
  }
}

/** The last line that says something, which is where tools put the reason. */
function lastWords(text: string): string {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => /\w/.test(line));
  const line = lines.findLast((one) => /error|fail|refus|certificate|verify/i.test(one)) ??
    lines.at(-1);
  // A proxy URL holds the session's token, which ends with the laboratory, but is no reading.
  return (line ?? "").replaceAll(/\/\/[^\s/@]+@/g, "//").slice(0, REASON_LENGTH);
}
