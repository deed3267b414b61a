import type { CommandSpec } from "../command_spec.ts";

const NAME = "<NAME>";

/** The roles, for every help text that is about them. */
export const ROLE_DETAILS = "ROLE is proxy (the default: requests, discovery, proposals) or\n" +
  "read (discovery, services and the log only).";

/** Commands for agents that bring a token of their own. */
export const AGENT_COMMANDS: readonly CommandSpec[] = [
  {
    path: "agent create",
    arguments: NAME,
    summary: "create an agent and print its token, which is shown only now",
    details: `For a program that "vault run" does not start: it goes through "broker server".\n` +
      `Without --vault it may use the vault in use.\n${ROLE_DETAILS}`,
    options: [{
      flags: "--vault <VAULT[:ROLE]>",
      summary: "a vault that it may use; may be repeated",
      repeated: true,
    }],
    examples: [
      "broker agent create builder",
      "broker agent create builder --vault work --vault default:read",
    ],
    json: true,
    load: async () => (await import("../commands/agent.ts")).createAgent,
  },
  {
    path: "agent list",
    summary: "list the agents",
    examples: ["broker agent list"],
    json: true,
    load: async () => (await import("../commands/agent.ts")).listAgents,
  },
  {
    path: "agent info",
    arguments: NAME,
    summary: "show one agent and what it may use",
    examples: ["broker agent info builder"],
    json: true,
    load: async () => (await import("../commands/agent.ts")).showAgent,
  },
  {
    path: "agent grant",
    arguments: `${NAME} <VAULT[:ROLE]>`,
    summary: "let an agent use a vault, or change what for",
    details: ROLE_DETAILS,
    examples: ["broker agent grant builder work", "broker agent grant builder work:read"],
    json: true,
    load: async () => (await import("../commands/agent.ts")).grantVault,
  },
  {
    path: "agent ungrant",
    arguments: `${NAME} <VAULT>`,
    summary: "take a vault away from an agent",
    examples: ["broker agent ungrant builder work"],
    json: true,
    load: async () => (await import("../commands/agent.ts")).ungrantVault,
  },
  {
    path: "agent rotate",
    arguments: NAME,
    summary: "replace an agent's token; the old one and its sessions end at once",
    details: "An agent that was revoked is let in again.",
    examples: ["broker agent rotate builder"],
    json: true,
    load: async () => (await import("../commands/agent.ts")).rotateAgent,
  },
  {
    path: "agent revoke",
    arguments: NAME,
    summary: "take an agent's token back, and keep its name and its vaults",
    examples: ["broker agent revoke builder"],
    json: true,
    load: async () => (await import("../commands/agent.ts")).revokeAgent,
  },
  {
    path: "agent delete",
    arguments: NAME,
    summary: "delete an agent",
    options: [{ flags: "--yes", summary: "do not ask" }],
    examples: ["broker agent delete builder", "broker agent delete builder --yes"],
    json: true,
    load: async () => (await import("../commands/agent.ts")).deleteAgent,
  },
  {
    path: "agent rename",
    arguments: "<OLD> <NEW>",
    summary: "give an agent another name",
    examples: ["broker agent rename builder deployer"],
    json: true,
    load: async () => (await import("../commands/agent.ts")).renameAgent,
  },
  {
    path: "agent skill",
    summary: "print what an agent should know, or put it where a program looks for it",
    details:
      "PROGRAM is claude, codex, cursor or opencode. Asks before it writes into your home\n" +
      "directory, and before it replaces a file that differs.",
    options: [
      { flags: "--install <PROGRAM>", summary: "write the file; may be repeated", repeated: true },
      { flags: "--project", summary: "below the current directory, not the home directory" },
      { flags: "--yes", summary: "do not ask" },
    ],
    examples: [
      "broker agent skill",
      "broker agent skill --install claude",
      "broker agent skill --install cursor --project --yes",
    ],
    agent: true,
    load: async () => (await import("../commands/agent_skill.ts")).agentSkill,
  },
];
