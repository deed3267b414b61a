import { checkData } from "../../doctor/check_data.ts";
import { checkNetwork } from "../../doctor/check_network.ts";
import type { Finding } from "../../doctor/finding.ts";
import { Lab } from "../../doctor/lab.ts";
import type { ToolResult, ToolState } from "../../doctor/tool.ts";
import { TOOLS } from "../../doctor/tools.ts";
import { tryTools } from "../../doctor/try_tools.ts";
import { VERSION } from "../../version.ts";
import type { Invocation } from "../command_spec.ts";
import type { Mark, Output } from "../output.ts";
import { printable } from "../table.ts";

const TOOL_WORDS: Readonly<Record<ToolState, readonly [word: string, mark: Mark]>> = {
  works: ["ok", "green"],
  works_with_remedy: ["ok, with", "yellow"],
  fails: ["fails", "red"],
  untried: ["not tried", "dim"],
  missing: ["missing", "dim"],
};

const FINDING_MARKS: Readonly<Record<Finding["state"], Mark>> = {
  ok: "green",
  note: "yellow",
  fault: "red",
};

/** Tries what is installed against a broker of its own, and looks at the data directory and the network. */
export async function examine({ context }: Invocation): Promise<number> {
  const { output, env, passphrase } = context;
  const data = await checkData({ home: context.home(), passphrase, now: Date.now() });
  const network = checkNetwork({ environment: env, serviceHostnames: data.serviceHostnames });
  const findings = [...data.findings, ...network];
  output.note("trying the tools of this machine; nothing leaves it");
  const tools = await tryAll(env);
  const isFine = tools.every(({ state }) => state !== "fails") &&
    findings.every(({ state }) => state !== "fault");
  const system = `${Deno.build.os} ${Deno.build.arch}, Deno ${Deno.version.deno}`;
  output.print({ version: VERSION, system, ok: isFine, tools, findings }, () => {
    output.line(output.mark("bold", `broker ${VERSION}, ${system}`));
    for (const finding of findings) printFinding(output, finding);
    output.line("");
    for (const result of tools) printTool(output, result);
    const missing = tools.filter(({ state }) => state === "missing").map(({ name }) => name);
    if (missing.length > 0) output.line(output.mark("dim", `not found: ${missing.join(", ")}`));
  });
  return isFine ? 0 : 1;
}

async function tryAll(env: Readonly<Record<string, string>>): Promise<ToolResult[]> {
  await using lab = await Lab.start(env);
  return await tryTools(lab, TOOLS);
}

function printFinding(output: Output, { name, state, text, remedy }: Finding): void {
  output.line(`${name.padEnd(WIDTH)}  ${output.mark(FINDING_MARKS[state], text)}`);
  if (remedy !== undefined) printRemedy(output, remedy);
}

function printTool(output: Output, { name, state, reason, remedy }: ToolResult): void {
  if (state === "missing") return;
  const [word, mark] = TOOL_WORDS[state];
  const why = state === "fails" && reason !== "" ? `: ${reason}` : "";
  output.line(`${name.padEnd(WIDTH)}  ${output.mark(mark, word)}${printable(why)}`);
  if (state !== "works") printRemedy(output, remedy);
}

function printRemedy(output: Output, remedy: string): void {
  output.line(`${" ".repeat(WIDTH)}  -> ${remedy}`);
}

/** Characters of the longest name of a tool or a finding. */
const WIDTH = Math.max(...TOOLS.map(({ name }) => name.length));
