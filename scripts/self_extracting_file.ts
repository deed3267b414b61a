/**
 * Builds the program as one file that needs no base binary: a shell script, then the bundled program
 * (tar, gzip), then the Deno runtime that runs this (gzip). `self_extracting.sh` is the script.
 */
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";

/** What goes into the file. */
export interface SelfExtractingOptions {
  /** Module that runs the program. */
  readonly entry: string;
  readonly output: string;
  readonly version: string;
  readonly commit: string;
  /** Command-line flags of Deno that grant what the program needs. */
  readonly permissions: readonly string[];
  /** Where the import map stands. */
  readonly config: string;
  /** The runtime to pack; the Deno that runs this unless told. */
  readonly runtime?: string;
}

/**
 * The script is filled up to this many bytes, so that it can name the places behind it before its own
 * length is known.
 */
const SCRIPT_LENGTH = 8192;

/** Where the operating systems keep what can be made again, below the home directory. */
const CACHE_BELOW_HOME = Deno.build.os === "darwin" ? "Library/Caches" : ".cache";

/** Builds the file and gives its size in bytes. @throws Error when a step fails. */
export async function buildSelfExtractingFile(options: SelfExtractingOptions): Promise<number> {
  const program = await packProgram(options);
  const runtime = await Deno.readFile(options.runtime ?? Deno.execPath());
  const runtimeSum = sha256(runtime);
  const programSum = sha256(program);
  const template = await Deno.readTextFile(new URL("self_extracting.sh", import.meta.url));
  const script = fillIn(template, {
    VERSION: options.version,
    TARGET: Deno.build.target,
    DENO_VERSION: Deno.version.deno,
    PROGRAM_ID: programSum.slice(0, 16),
    RUNTIME_ID: runtimeSum.slice(0, 16),
    PROGRAM_SHA256: programSum,
    RUNTIME_SHA256: runtimeSum,
    // tail counts from 1.
    PROGRAM_FROM: `${SCRIPT_LENGTH + 1}`,
    PROGRAM_LENGTH: `${program.length}`,
    RUNTIME_FROM: `${SCRIPT_LENGTH + program.length + 1}`,
    CACHE_BELOW_HOME,
    PERMISSIONS: options.permissions.join(" "),
  });
  const head = new TextEncoder().encode(script);
  if (head.length > SCRIPT_LENGTH) throw new Error(`Script of ${head.length} bytes is too long`);
  const padded = new Uint8Array(SCRIPT_LENGTH).fill("\n".charCodeAt(0));
  padded.set(head);
  return await writeExecutable(options.output, [padded, program, gzipSync(runtime)]);
}

async function writeExecutable(path: string, parts: readonly Uint8Array[]): Promise<number> {
  // Beside the target, then renamed: whoever starts the old file meanwhile keeps the old file.
  const draft = await Deno.makeTempFile({ dir: dirname(path), prefix: ".broker-" });
  let size = 0;
  try {
    using file = await Deno.open(draft, { write: true });
    const writer = file.writable.getWriter();
    for (const part of parts) {
      await writer.write(part);
      size += part.length;
    }
    await writer.close();
    await Deno.chmod(draft, 0o755);
    await Deno.rename(draft, path);
  } catch (error) {
    await Deno.remove(draft);
    throw error;
  }
  return size;
}

/** Bundles the program and packs it, with `start.js` to start it by, as files of one directory. */
async function packProgram(options: SelfExtractingOptions): Promise<Uint8Array> {
  const directory = await Deno.makeTempDir({ prefix: "broker-bundle-" });
  try {
    await run(Deno.execPath(), [
      "bundle",
      "--quiet",
      "--config",
      options.config,
      "--minify",
      // Names of error classes are compared and printed.
      "--keep-names",
      // What a command does not need is not even read.
      "--code-splitting",
      "--outdir",
      directory,
      options.entry,
    ]);
    const entry = options.entry.slice(options.entry.lastIndexOf("/") + 1).replace(/\.tsx?$/, ".js");
    await Deno.writeTextFile(`${directory}/start.js`, launcher(`./${entry}`, options.commit));
    await Deno.writeTextFile(`${directory}/package.json`, '{"type":"module"}\n');
    const archive = await run("tar", ["-C", directory, "-cf", "-", "."]);
    return gzipSync(archive);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** The module that sets up what the bundle expects, and then loads it. */
function launcher(entry: string, commit: string): string {
  return [
    // CommonJS packages in the bundle (node-forge) ask for node:crypto through a global `require`;
    // it is made at the first use, because node:module costs start time.
    'Object.defineProperty(globalThis, "require", {',
    "  configurable: true,",
    "  get() {",
    '    const { createRequire } = process.getBuiltinModule("node:module");',
    "    const value = createRequire(import.meta.url);",
    '    Object.defineProperty(globalThis, "require", { value });',
    "    return value;",
    "  },",
    "});",
    `globalThis[Symbol.for("broker.commit")] = ${JSON.stringify(commit)};`,
    `await import(${JSON.stringify(entry)});`,
    "",
  ].join("\n");
}

async function run(command: string, args: readonly string[]): Promise<Uint8Array> {
  const output = await new Deno.Command(command, { args: [...args], stderr: "inherit" }).output();
  if (!output.success) throw new Error(`Run ${command} ${args[0]}: exit status ${output.code}`);
  return output.stdout;
}

function fillIn(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/@([A-Z0-9_]+)@/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`No value for @${name}@`);
    return value;
  });
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
