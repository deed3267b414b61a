/**
 * What `nohup` or a shell's `&` made this process ignore, its child must ignore as well: a child
 * inherits that from its parent (POSIX, execve). But Deno's first listener, of whatever signal, makes
 * SIGHUP, SIGINT and SIGTERM caught, and has no way back; the C library has.
 */

/** What differs between the systems; undefined where signals are not inherited. */
const PLATFORM = Deno.build.os === "linux"
  ? { library: "libc.so.6", usr1: 10, usr2: 12, tstp: 20 }
  : Deno.build.os === "darwin"
  ? { library: "/usr/lib/libSystem.B.dylib", usr1: 30, usr2: 31, tstp: 18 }
  : undefined;

const SIG_IGN = 1n;

/** 64-bit words that hold a struct sigaction on either system; its first is the handler. */
const SIGACTION_WORDS = 32;

const SYMBOLS = {
  sigaction: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  signal: { parameters: ["i32", "usize"], result: "usize" },
} as const;

/** The signals of job control and of ending that this process was started to ignore. */
export class IgnoredSignals {
  /** Empty where the system does not tell: Windows, or no permission for FFI. */
  readonly signals: ReadonlySet<Deno.Signal>;
  readonly #library: Deno.DynamicLibrary<typeof SYMBOLS> | undefined;
  readonly #numbers: readonly number[];

  /** Reads them. Only true before the first listener was added, of whatever signal. */
  constructor() {
    this.#library = openLibrary();
    const ignored = [...numbers()].filter(([, number]) => this.#isIgnored(number));
    this.signals = new Set(ignored.map(([name]) => name));
    this.#numbers = ignored.map(([, number]) => number);
  }

  /** Makes this process, and every child from now on, ignore them again. */
  reinstate(): void {
    for (const number of this.#numbers) this.#library?.symbols.signal(number, SIG_IGN);
  }

  #isIgnored(number: number): boolean {
    const action = new BigUint64Array(SIGACTION_WORDS);
    return this.#library?.symbols.sigaction(number, null, action) === 0 &&
      action[0] === SIG_IGN;
  }

  /** Gives the library back. */
  [Symbol.dispose](): void {
    this.#library?.close();
  }
}

function numbers(): ReadonlyMap<Deno.Signal, number> {
  if (PLATFORM === undefined) return new Map();
  return new Map<Deno.Signal, number>([
    ["SIGHUP", 1],
    ["SIGINT", 2],
    ["SIGQUIT", 3],
    ["SIGTERM", 15],
    ["SIGUSR1", PLATFORM.usr1],
    ["SIGUSR2", PLATFORM.usr2],
    ["SIGTSTP", PLATFORM.tstp],
  ]);
}

function openLibrary(): Deno.DynamicLibrary<typeof SYMBOLS> | undefined {
  if (PLATFORM === undefined) return undefined;
  try {
    // Without the permission the call would ask for it on the terminal.
    if (Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return undefined;
    return Deno.dlopen(PLATFORM.library, SYMBOLS);
  } catch {
    return undefined;
  }
}
