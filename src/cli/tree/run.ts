import type { CommandSpec } from "../command_spec.ts";

const RUN: Omit<CommandSpec, "path" | "examples"> = {
  summary: "start a program that reaches its services through the broker",
  details:
    "The program gets the proxy's address, a token that works while it runs, and the CA. Options after\n" +
    "COMMAND belong to it. The exit status is the program's own; 127 when it was not found, 126 when it\n" +
    "cannot be executed, 128+N when signal N ended it. On a terminal, a line says where the pages are on\n" +
    "which you approve proposals and watch requests, and the code to sign in, in a home without a passphrase.",
  arguments: "<COMMAND> [ARG...]",
  options: [
    { flags: "--ttl <DURATION>", summary: "how long the token works: 5m to 7d, default 24h" },
    {
      flags: "--quiet",
      summary: "print nothing but what the program prints; no code to sign in with",
    },
    { flags: "--no-proxy <HOSTS>", summary: "reach these hosts directly: a list for NO_PROXY" },
    {
      flags: "--no-placeholders",
      summary: "do not set KEY=__key__ for the credentials that services refer to",
    },
  ],
  passThrough: true,
  load: async () => (await import("../commands/run.ts")).run,
};

/** Commands that start the proxy. */
export const RUN_COMMANDS: readonly CommandSpec[] = [
  {
    ...RUN,
    path: "run",
    summary: `${RUN.summary} (short for "vault run")`,
    examples: ["broker run -- claude", "broker run --vault work -- npm test"],
  },
  {
    path: "server",
    summary: "serve API and proxy until Ctrl-C, for programs that were not started by the broker",
    details:
      "The API's address also serves the pages on which you approve proposals and watch requests. You sign\n" +
      "in with the passphrase, or with a code that is shown on the terminal in a home without one.",
    options: [
      { flags: "--host <ADDRESS>", summary: "address to listen on, default 127.0.0.1" },
      { flags: "--port <PORT>", summary: "port of the API, default 14321" },
      { flags: "--proxy-port <PORT>", summary: "port of the proxy, default 14322" },
    ],
    examples: ["broker server", "broker server --port 0 --proxy-port 0"],
    json: true,
    load: async () => (await import("../commands/server.ts")).server,
  },
  {
    ...RUN,
    path: "vault run",
    examples: ["broker vault run -- claude", "broker vault run --ttl 1h -- npm test"],
  },
];
