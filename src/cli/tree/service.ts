import type { CommandSpec } from "../command_spec.ts";

const NAME_OR_HOST = "<NAME-OR-HOST>";
const YES = { flags: "--yes", summary: "do not ask" };

/** Commands for a vault's services. */
export const SERVICE_COMMANDS: readonly CommandSpec[] = [
  {
    path: "vault service list",
    summary: "list the services",
    options: [{ flags: "--yaml", summary: 'print YAML that "service set -f" takes' }],
    examples: ["broker vault service list", "broker vault service list --yaml > services.yaml"],
    json: true,
    load: async () => (await import("../commands/service.ts")).listServices,
  },
  {
    path: "vault service show",
    arguments: NAME_OR_HOST,
    summary: "show one service",
    examples: ["broker vault service show github"],
    json: true,
    load: async () => (await import("../commands/service.ts")).showService,
  },
  {
    path: "vault service set",
    summary: "replace all services, in an interactive builder or by those of a YAML file",
    details:
      "Without -f, on a terminal, the builder lists the services: add, edit, remove, reorder, then save or\n" +
      "discard. Ctrl-C leaves everything as it was.",
    options: [
      { flags: "-f, --file <FILE>", summary: "the file, or - for standard input" },
      { flags: "--yes", summary: "do not ask before a file without services clears the vault" },
    ],
    examples: [
      "broker vault service set",
      "broker vault service set -f services.yaml",
      "broker vault service list --yaml | broker vault service set --vault work -f -",
    ],
    json: true,
    load: async () => (await import("../commands/service_write.ts")).setServices,
  },
  {
    path: "vault service add",
    summary: "add a service, or replace the one with the same name",
    details:
      "Without flags, on a terminal, a builder asks: pick from the catalog or name a host, choose how to\n" +
      "authenticate and with which credentials, then save, edit or discard. Ctrl-C leaves everything as\n" +
      "it was.\n\n" +
      "HOST is a host, *.DOMAIN, HOST/PATH*, HOST:PORT or HOST:PORT/PATH*. Keys name credentials of\n" +
      "the vault. Without --auth-type it follows from the keys that are given.",
    options: [
      {
        flags: "-f, --file <FILE>",
        summary: "read the services from YAML, or - for standard input",
      },
      { flags: "--from <ID>", summary: "add the services of an entry of the catalog" },
      {
        flags: "--set <PARAMETER=VALUE>",
        summary: "with --from: a part of the host that is yours; may be repeated",
        repeated: true,
      },
      { flags: "--name <NAME>", summary: "name of the service" },
      { flags: "--host <HOST>", summary: "hosts and paths that it stands for" },
      {
        flags: "--auth-type <TYPE>",
        summary: "bearer, basic, api-key, custom or passthrough",
      },
      { flags: "--token-key <KEY>", summary: "bearer: key of the token" },
      { flags: "--username-key <KEY>", summary: "basic: key of the user name" },
      { flags: "--password-key <KEY>", summary: "basic: key of the password" },
      { flags: "--api-key-key <KEY>", summary: "api-key: key of the API key" },
      {
        flags: "--api-key-header <NAME>",
        summary: "api-key: header to set, default Authorization",
      },
      { flags: "--api-key-prefix <TEXT>", summary: "api-key: text before the value" },
      {
        flags: "--header <'NAME: TEMPLATE'>",
        summary: "custom: header to set, with {{ KEY }} for values; may be repeated",
        repeated: true,
      },
      { flags: "--disabled", summary: "store it switched off" },
    ],
    examples: [
      "broker vault service add",
      "broker vault service add --from github",
      "broker vault service add --from jira --set site=example",
      "broker vault service add --name github --host api.github.com --token-key GITHUB_TOKEN",
      "broker vault service add --name anthropic --host api.anthropic.com --api-key-key ANTHROPIC_API_KEY --api-key-header x-api-key",
      "broker vault service add --name wiki --host wiki.example.com/api/* --auth-type passthrough",
    ],
    json: true,
    load: async () => (await import("../commands/service_write.ts")).addServices,
  },
  {
    path: "vault service remove",
    arguments: NAME_OR_HOST,
    summary: "remove a service",
    options: [YES],
    examples: ["broker vault service remove github"],
    json: true,
    load: async () => (await import("../commands/service.ts")).removeService,
  },
  {
    path: "vault service enable",
    arguments: NAME_OR_HOST,
    summary: "switch a service on",
    examples: ["broker vault service enable github"],
    json: true,
    load: async () => (await import("../commands/service.ts")).enableService,
  },
  {
    path: "vault service disable",
    arguments: NAME_OR_HOST,
    summary: "switch a service off: its requests get 403 service_disabled",
    examples: ["broker vault service disable github"],
    json: true,
    load: async () => (await import("../commands/service.ts")).disableService,
  },
  {
    path: "vault service clear",
    summary: "remove all services: every request gets 403 until there is one again",
    options: [YES],
    examples: ["broker vault service clear --yes"],
    json: true,
    load: async () => (await import("../commands/service.ts")).clearServices,
  },
  {
    path: "vault service explain",
    arguments: "<URL>",
    summary: "say which service would take a request, and why each other one would not",
    examples: ["broker vault service explain https://api.github.com/user"],
    json: true,
    load: async () => (await import("../commands/service_explain.ts")).explainUrl,
  },
];
