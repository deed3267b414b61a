/**
 * Builds the executable: `deno task compile [--target TARGET|all] [--entry FILE] [--output FILE]
 * [--self-extracting]`. Without --target it is for this machine and goes to dist/broker. Where the base
 * binary of `deno compile` cannot be downloaded (DENORT_BIN is honoured first), the same program is
 * built as one self-extracting file around the Deno that runs this.
 */
import settings from "../deno.json" with { type: "json" };
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { buildSelfExtractingFile } from "./self_extracting_file.ts";

/** The systems that the program is released for. */
export const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
] as const;

/**
 * What the program may do; there is no prompt for more. It reads and writes its home and the files that a
 * command names, listens and dials, starts the child with an environment, asks the system for the host
 * name, ends connections through libc, and asks for the passphrase on /dev/tty while a value is piped in:
 * Deno opens a device for a program that has every permission, and for no other.
 */
export const PERMISSIONS = ["--no-prompt", "--allow-all"] as const;

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** What `deno compile` says when it could not download its base binary. */
const NO_BASE_BINARY = /Setting up base binary/;

interface CompileOptions {
  readonly entry: string;
  readonly target: string | undefined;
  readonly output: string;
  readonly commit: string;
}

/** Runs `deno compile` and says how it went. */
async function compileOnBase(options: CompileOptions): Promise<"done" | "no base" | "failed"> {
  const build = await Deno.makeTempDir({ prefix: "broker-build-" });
  try {
    // Two modules, because imports are evaluated before the text around them.
    const commit = `globalThis[Symbol.for("broker.commit")] = ${JSON.stringify(options.commit)};\n`;
    await Deno.writeTextFile(`${build}/commit.js`, commit);
    await Deno.writeTextFile(
      `${build}/entry.js`,
      `import "./commit.js";\nimport ${JSON.stringify(pathToFileURL(options.entry).href)};\n`,
    );
    // Deno does not write over a file that is no executable of its own, such as a self-extracting one.
    const draft = join(dirname(options.output), `draft-${basename(options.output)}`);
    await Deno.mkdir(dirname(options.output), { recursive: true });
    const target = options.target === undefined ? [] : ["--target", options.target];
    const output = await new Deno.Command(Deno.execPath(), {
      args: [
        "compile",
        ...["--config", `${ROOT}deno.json`, "--exclude-unused-npm", "--output", draft],
        ...target,
        ...PERMISSIONS,
        `${build}/entry.js`,
      ],
      env: { NO_COLOR: "1" },
      stdout: "inherit",
      stderr: "piped",
    }).output();
    const talk = new TextDecoder().decode(output.stderr);
    if (output.success) {
      await Deno.rename(draft, options.output);
      return "done";
    }
    // A base binary that was named and does not work is a mistake to be told, not to be worked around.
    const named = (Deno.env.get("DENORT_BIN") ?? "") !== "";
    if (!named && NO_BASE_BINARY.test(talk)) return "no base";
    console.error(talk.trimEnd());
    if (named) console.error("compile: hint: DENORT_BIN must name a denort of this Deno version");
    return "failed";
  } finally {
    await Deno.remove(build, { recursive: true });
  }
}

/** The commit that is built, marked when files differ from it; `unknown` outside a repository. */
async function currentCommit(): Promise<string> {
  try {
    const { success, stdout } = await new Deno.Command("git", {
      args: ["-C", ROOT, "describe", "--always", "--dirty", "--exclude", "*", "--abbrev=12"],
      stderr: "null",
    }).output();
    return success ? new TextDecoder().decode(stdout).trim() : "unknown";
  } catch {
    return "unknown";
  }
}

async function compileSelfExtracting(options: CompileOptions): Promise<number> {
  if (Deno.build.os === "windows") {
    console.error("compile: error: A self-extracting file needs a POSIX shell");
    console.error("compile: hint: set DENORT_BIN to a denort of this Deno version");
    return 1;
  }
  const size = await buildSelfExtractingFile({
    ...options,
    version: settings.version,
    permissions: PERMISSIONS,
    config: `${ROOT}deno.json`,
  });
  console.error(`compile: ${options.output}: self-extracting, ${megabytes(size)}`);
  return 0;
}

async function compileOne(options: CompileOptions, selfExtracting: boolean): Promise<number> {
  if (selfExtracting) return await compileSelfExtracting(options);
  switch (await compileOnBase(options)) {
    case "done": {
      const { size } = await Deno.stat(options.output);
      console.error(`compile: ${options.output}: ${megabytes(size)}`);
      return 0;
    }
    case "failed":
      return 1;
    case "no base":
      if (options.target === undefined || options.target === Deno.build.target) {
        console.error("compile: the base binary cannot be had; building a self-extracting file");
        return await compileSelfExtracting(options);
      }
      console.error(`compile: error: The base binary for ${options.target} cannot be had`);
      console.error("compile: hint: build where it can be downloaded, or set DENORT_BIN to it");
      return 1;
  }
}

function megabytes(size: number): string {
  return `${(size / 1e6).toFixed(1)} MB`;
}

/** Builds what the arguments say and gives the exit status. */
async function compile(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      target: { type: "string" },
      entry: { type: "string", default: `${ROOT}main.ts` },
      output: { type: "string" },
      "self-extracting": { type: "boolean", default: false },
    },
  });
  const targets = values.target === "all" ? TARGETS : [values.target];
  const commit = await currentCommit();
  await Deno.mkdir(`${ROOT}dist`, { recursive: true });
  for (const target of targets) {
    const windows = target?.includes("windows") ?? Deno.build.os === "windows";
    const name = target === undefined ? "broker" : `broker-${target}`;
    const output = values.output ?? `${ROOT}dist/${name}${windows ? ".exe" : ""}`;
    const entry = await Deno.realPath(values.entry);
    const status = await compileOne({ entry, target, output, commit }, values["self-extracting"]);
    if (status !== 0) return status;
  }
  return 0;
}

if (import.meta.main) Deno.exit(await compile(Deno.args));
