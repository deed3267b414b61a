import type { CommandSpec } from "../command_spec.ts";

/** The settings, for every help text that is about them. */
export const SETTINGS_DETAILS =
  "unmatched_host_policy    passthrough | deny: a request that no service matches\n" +
  "plaintext_credentials    local | always: where credentials may go over plain HTTP\n" +
  "notifications            on | off: a desktop notification when an agent makes a proposal";

/** Commands for vaults and their settings. */
export const VAULT_COMMANDS: readonly CommandSpec[] = [
  {
    path: "vault list",
    summary: "list the vaults",
    examples: ["broker vault list"],
    json: true,
    load: async () => (await import("../commands/vault.ts")).listVaults,
  },
  {
    path: "vault create",
    arguments: "<NAME>",
    summary: "create a vault",
    examples: ["broker vault create work"],
    json: true,
    load: async () => (await import("../commands/vault.ts")).createVault,
  },
  {
    path: "vault rename",
    arguments: "<OLD> <NEW>",
    summary: "give a vault another name",
    examples: ["broker vault rename work office"],
    json: true,
    load: async () => (await import("../commands/vault.ts")).renameVault,
  },
  {
    path: "vault delete",
    arguments: "<NAME>",
    summary: "delete a vault with its services and credentials",
    options: [{ flags: "--yes", summary: "do not ask" }],
    examples: ["broker vault delete work", "broker vault delete work --yes"],
    json: true,
    load: async () => (await import("../commands/vault.ts")).deleteVault,
  },
  {
    path: "vault use",
    arguments: "<NAME>",
    summary: "choose the vault of commands that name none",
    examples: ["broker vault use work"],
    json: true,
    load: async () => (await import("../commands/vault.ts")).useVault,
  },
  {
    path: "vault settings list",
    summary: "show every setting (the same without a further word)",
    details: SETTINGS_DETAILS,
    examples: ["broker vault settings"],
    isDefault: true,
    json: true,
    load: async () => (await import("../commands/vault_settings.ts")).listSettings,
  },
  {
    path: "vault settings get",
    arguments: "<KEY>",
    summary: "print one setting",
    examples: ["broker vault settings get unmatched_host_policy"],
    json: true,
    load: async () => (await import("../commands/vault_settings.ts")).getSetting,
  },
  {
    path: "vault settings set",
    arguments: "<KEY> <VALUE>",
    summary: "change one setting",
    examples: ["broker vault settings set unmatched_host_policy deny"],
    json: true,
    load: async () => (await import("../commands/vault_settings.ts")).setSetting,
  },
  {
    path: "vault discover",
    summary: "show what an agent can reach, and the keys of the credentials",
    details: 'Inside "vault run" the broker that started the program answers.',
    examples: ["broker vault discover --json"],
    json: true,
    agent: true,
    load: async () => (await import("../commands/discover.ts")).discover,
  },
];
