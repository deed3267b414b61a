/** What a finished process left behind. */
export interface ProcessResult {
  /** Exit status; 128+N when signal N ended it, as Deno reports it. */
  readonly code: number;
  readonly signal: Deno.Signal | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a process is started. */
export interface ProcessOptions {
  /** Added to the environment, or the whole of it with `clearEnv`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clearEnv?: boolean;
  readonly cwd?: string;
  /** Written to the standard input, which is then closed; without it, the input is empty. */
  readonly input?: string;
  /** Killed after this time, which fails the call: 60 s unless told. */
  readonly timeoutMs?: number;
}

/** Runs a program to its end. @throws Error when it does not end in time. */
export async function runProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<ProcessResult> {
  const timeoutMs = options.timeoutMs ?? 60_000;
  const child = new Deno.Command(command, {
    args: [...args],
    env: { ...options.env },
    clearEnv: options.clearEnv ?? false,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdin: options.input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, timeoutMs);
  try {
    const [output] = await Promise.all([child.output(), feed(child, options.input)]);
    const decoder = new TextDecoder();
    const stdout = decoder.decode(output.stdout);
    const stderr = decoder.decode(output.stderr);
    if (late) {
      throw new Error(`Still running after ${timeoutMs} ms: ${command}\n${stdout}${stderr}`);
    }
    return { code: output.code, signal: output.signal, stdout, stderr };
  } finally {
    clearTimeout(timer);
  }
}

/** Runs `deno` itself, the very executable that runs the test: none need be on the PATH. */
export async function runDeno(
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<ProcessResult> {
  return await runProcess(Deno.execPath(), args, {
    ...options,
    // Colours and the hint about newer versions would make the output depend on the machine.
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...options.env },
  });
}

async function feed(child: Deno.ChildProcess, input: string | undefined): Promise<void> {
  if (input === undefined) return;
  const writer = child.stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
  } catch (error) {
    // A program may end without having read its input.
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

/** A process that is still running: `await using server = startProcess(...)`. */
export class RunningProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #reading: Promise<unknown>;
  readonly #waiting = new Set<() => void>();
  #stdout = "";
  #stderr = "";
  #ended = false;

  constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.#reading = Promise.all([
      this.#collect(child.stdout, (text) => this.#stdout += text),
      this.#collect(child.stderr, (text) => this.#stderr += text),
    ]).finally(() => {
      this.#ended = true;
      this.#wake();
    });
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** What it has printed so far. */
  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Waits until a stream holds a match. @throws Error when the process ends without one. */
  async waitFor(pattern: RegExp, stream: "stdout" | "stderr" = "stdout"): Promise<RegExpExecArray> {
    while (true) {
      const match = pattern.exec(stream === "stdout" ? this.#stdout : this.#stderr);
      if (match !== null) return match;
      if (this.#ended) {
        throw new Error(`Ended without ${pattern}:\n${this.#stdout}\n${this.#stderr}`);
      }
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  kill(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** Waits for the end of the process and of its output. */
  async finished(): Promise<ProcessResult> {
    const [status] = await Promise.all([this.#child.status, this.#reading]);
    return {
      code: status.code,
      signal: status.signal,
      stdout: this.#stdout,
      stderr: this.#stderr,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
    await this.finished();
  }

  async #collect(stream: ReadableStream<Uint8Array>, add: (text: string) => void): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      add(decoder.decode(chunk, { stream: true }));
      this.#wake();
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

/** Starts a program and leaves it running; its input is empty. */
export function startProcess(
  command: string,
  args: readonly string[],
  options: Pick<ProcessOptions, "env" | "clearEnv" | "cwd"> = {},
): RunningProcess {
  return new RunningProcess(
    new Deno.Command(command, {
      args: [...args],
      env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...options.env },
      clearEnv: options.clearEnv ?? false,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn(),
  );
}
