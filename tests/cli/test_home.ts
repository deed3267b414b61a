import assert from "node:assert/strict";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type RunningProcess, runProcess, startProcess } from "../support/run_process.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Path of a built executable that is tested in place of the source, from the root of the repository. */
const EXECUTABLE = Deno.env.get("BROKER_TEST_EXECUTABLE");

/** How the program is started. */
const PROGRAM: readonly [command: string, ...args: string[]] = EXECUTABLE
  ? [resolve(ROOT, EXECUTABLE)]
  : [Deno.execPath(), "run", "-A", `${ROOT}main.ts`];
const DRIVER = fileURLToPath(new URL("./pty_driver.py", import.meta.url));

/** What a finished `broker` process left behind. */
export interface Finished {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How {@link TestHome.broker} starts the program. */
export interface CallOptions {
  /** Given on a pipe; without it standard input is empty. */
  readonly stdin?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** What {@link TestHome.onTerminal} plays. */
export interface TerminalOptions extends CallOptions {
  /** Text to wait for, and what to type then. */
  readonly steps: readonly (readonly [expect: string, type: string])[];
  readonly columns?: number;
}

/** What a person saw on a pseudo-terminal. */
export interface Played {
  readonly status: number;
  readonly output: string;
  /** The text of {@link TerminalOptions.steps} that never came. */
  readonly missed: string | null;
}

/** A data directory of its own for the real program, removed when the test ends. */
export class TestHome implements Disposable {
  readonly directory: string;
  /** Everything that any call printed, for a search for secrets. */
  printed = "";
  readonly #root: string;

  constructor() {
    this.#root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "broker-cli-" }));
    this.directory = `${this.#root}/home`;
  }

  /** Path of a file beside the data directory, written with the text. */
  file(name: string, text: string): string {
    const path = `${this.#root}/${name}`;
    Deno.writeTextFileSync(path, text);
    return path;
  }

  /** The program as another program starts it. */
  command(args: readonly string[]): string[] {
    return [...PROGRAM, ...args];
  }

  /** Runs the program without a terminal until it ends. */
  async broker(args: readonly string[], options: CallOptions = {}): Promise<Finished> {
    const [command, ...before] = PROGRAM;
    return await this.#run(command, [...before, ...args], options);
  }

  /** Runs a shell line in which `broker` is the program. */
  async shell(line: string, options: CallOptions = {}): Promise<Finished> {
    const words = PROGRAM.map((word) => `'${word}'`).join(" ");
    const broker = `broker() { ${words} "$@"; }`;
    return await this.#run("sh", ["-c", `${broker}\n${line}`], options);
  }

  /** As {@link broker}, for a call that must succeed. */
  async done(args: readonly string[], options: CallOptions = {}): Promise<Finished> {
    const finished = await this.broker(args, options);
    assert.equal(finished.status, 0, `broker ${args.join(" ")}: ${finished.stderr}`);
    return finished;
  }

  /** The JSON document that a call which must succeed printed. */
  // deno-lint-ignore no-explicit-any -- the assertions are the check of its shape
  async json(args: readonly string[], options: CallOptions = {}): Promise<any> {
    return JSON.parse((await this.done([...args, "--json"], options)).stdout);
  }

  /** Starts the program and leaves it running. */
  start(args: readonly string[], options: CallOptions = {}): RunningProcess {
    const [command, ...before] = PROGRAM;
    return startProcess(command, [...before, ...args], {
      env: this.#env(options),
      clearEnv: true,
      cwd: this.#root,
    });
  }

  /** Runs the program on a pseudo-terminal with somebody who answers. */
  async onTerminal(args: readonly string[], options: TerminalOptions): Promise<Played> {
    const { code, stdout, stderr } = await runProcess("python3", [DRIVER], {
      input: JSON.stringify({
        command: this.command(args),
        env: { TERM: "xterm", ...this.#env(options) },
        steps: options.steps,
        columns: options.columns ?? 80,
        piped: options.stdin ?? null,
      }),
      cwd: this.#root,
      timeoutMs: 120_000,
    });
    assert.equal(code, 0, stderr);
    const played: Played = JSON.parse(stdout);
    this.printed += played.output;
    return played;
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.#root, { recursive: true });
  }

  async #run(command: string, args: readonly string[], options: CallOptions): Promise<Finished> {
    const { code, stdout, stderr } = await runProcess(command, args, {
      env: this.#env(options),
      clearEnv: true,
      cwd: this.#root,
      ...(options.stdin === undefined ? {} : { input: options.stdin }),
    });
    this.printed += stdout + stderr;
    return { status: code, stdout, stderr };
  }

  #env(options: CallOptions): Record<string, string> {
    // The test's own environment may hold a proxy or a real home; only what Deno needs comes along.
    const kept = ["PATH", "HOME", "DENO_DIR", "SystemRoot", "TMPDIR"].flatMap((name) => {
      const value = Deno.env.get(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    return {
      ...Object.fromEntries(kept),
      DENO_NO_UPDATE_CHECK: "1",
      BROKER_HOME: this.directory,
      ...options.env,
    };
  }
}
