import type { CommandSpec } from "../command_spec.ts";

/** Commands for a vault's credentials. */
export const CREDENTIAL_COMMANDS: readonly CommandSpec[] = [
  {
    path: "vault credential list",
    summary: "list the keys",
    options: [{ flags: "--reveal", summary: "print the values too" }],
    examples: ["broker vault credential list"],
    json: true,
    load: async () => (await import("../commands/credential.ts")).listCredentials,
  },
  {
    path: "vault credential set",
    arguments: "[KEY...]",
    summary: "store credentials",
    details:
      "Values are asked for without showing them, or one is read from standard input when it is a\n" +
      "pipe. KEY=VALUE works too, but the value lands in the shell's history.",
    options: [{
      flags: "-f, --file <FILE>",
      summary: "read KEY=VALUE lines from a .env file, or from standard input with -",
    }],
    examples: [
      "broker vault credential set GITHUB_TOKEN",
      "gh auth token | broker vault credential set GITHUB_TOKEN",
      "broker vault credential set -f .env",
    ],
    json: true,
    load: async () => (await import("../commands/credential_set.ts")).setCredentials,
  },
  {
    path: "vault credential get",
    arguments: "<KEY>",
    summary: "print the value of a credential",
    examples: ["broker vault credential get GITHUB_TOKEN | pbcopy"],
    json: true,
    load: async () => (await import("../commands/credential.ts")).getCredential,
  },
  {
    path: "vault credential delete",
    arguments: "<KEY...>",
    summary: "delete credentials",
    examples: ["broker vault credential delete GITHUB_TOKEN"],
    json: true,
    load: async () => (await import("../commands/credential.ts")).deleteCredentials,
  },
];
