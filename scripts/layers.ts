/**
 * The import table of src/ as data. A unit is a folder of src/ or a file that lies directly in it; it
 * may import itself, the units listed and the packages listed, and nothing else. Type-only imports
 * count like any other. `lint_plugin.ts` enforces it, `README.md` need not repeat it.
 */

/** What one unit of src/ may use. */
export interface Layer {
  /** Other units that it may import. */
  readonly imports: readonly string[];
  /** npm packages, by their name in the import map of deno.json. */
  readonly packages?: readonly string[];
  /** Files outside src/, from the root of the repository. */
  readonly files?: readonly string[];
  /** Takes values and returns them: no I/O, clock, randomness, logging or `node:` modules. */
  readonly pure?: true;
}

const VALUES = ["errors", "model"];
const PURE_FOLDERS = ["model", "http1", "match", "inject", "substitute", "x509"];

/** The table, from the bottom up. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  errors: { pure: true, imports: [] },
  model: { pure: true, imports: ["errors"], packages: ["zod"] },
  http1: { pure: true, imports: ["errors"] },
  x509: { pure: true, imports: ["errors"], packages: ["node-forge"] },
  catalog: { pure: true, imports: VALUES },
  match: { pure: true, imports: [...VALUES, "http1"] },
  inject: { pure: true, imports: [...VALUES, "http1"] },
  substitute: { pure: true, imports: [...VALUES, "http1"] },
  // The logger knows Secret, in order to mask it, and tells a BrokerError's code.
  log: { imports: VALUES },
  // The number stands in deno.json alone; this unit is its only reader.
  version: { imports: [], files: ["deno.json"] },
  tls: { imports: ["errors", "log", "x509"] },
  store: { imports: VALUES },
  operator: { imports: VALUES },
  proxy: { imports: ["errors", "log", "tls", ...PURE_FOLDERS] },
  run: { imports: [...VALUES, "log"] },
  web: { imports: [...VALUES, "log"], packages: ["hono"] },
  // Bodies of requests are parsed from unknown where they come in, hence zod here too.
  skill: { pure: true, imports: [] },
  api: { imports: [...VALUES, "log", "web", "skill"], packages: ["hono", "zod"] },
  app: {
    imports: [
      ...VALUES,
      "log",
      "version",
      "match",
      "store",
      "tls",
      "proxy",
      "run",
      "operator",
      "api",
    ],
  },
  // Tries tools in a broker of its own.
  doctor: { imports: [...VALUES, "log", "x509", "tls", "store", "run", "app"] },
  // Commands edit the vault directly, without a server, hence store; `service explain` answers from the
  // matcher itself, so that it cannot say anything else than what the proxy will do, hence match.
  // `ca` and first use need the CA alone, not a broker, hence tls; `service explain` reads a URL as the
  // proxy does, hence http1.
  cli: {
    imports: [
      ...VALUES,
      "catalog",
      "skill",
      "http1",
      "log",
      "version",
      "match",
      "store",
      "tls",
      "run",
      "operator",
      "app",
      "doctor",
    ],
    packages: ["commander", "@inquirer/core", "@inquirer/prompts", "yaml"],
  },
};

/** What main.ts may import. */
export const MAIN: Layer = { imports: ["cli"] };

/** The only file that ends the process. */
export const EXIT_FILE = "main.ts";

/** The only file of the program that writes to the console. */
export const CONSOLE_FILE = "src/cli/output.ts";

/** File and folder names that say nothing about what is inside. */
export const EMPTY_NAMES: readonly string[] = [
  "common",
  "helper",
  "helpers",
  "index",
  "misc",
  "mod",
  "types",
  "util",
  "utils",
];

/** Globals that a pure unit may not touch: I/O, timers, clocks, randomness and other threads. */
export const IMPURE_GLOBALS: readonly string[] = [
  "Deno",
  "Temporal",
  "WebSocket",
  "Worker",
  "alert",
  "confirm",
  "console",
  "crypto",
  "fetch",
  "globalThis",
  "localStorage",
  "performance",
  "process",
  "prompt",
  "queueMicrotask",
  "self",
  "sessionStorage",
  "setImmediate",
  "setInterval",
  "setTimeout",
  "window",
];
