import type { CommandSpec, GroupSpec } from "./command_spec.ts";
import { AGENT_COMMANDS } from "./tree/agent.ts";
import { CATALOG_COMMANDS } from "./tree/catalog.ts";
import { CREDENTIAL_COMMANDS } from "./tree/credential.ts";
import { HOME_COMMANDS } from "./tree/home.ts";
import { PROPOSAL_COMMANDS } from "./tree/proposal.ts";
import { LOGS_COMMANDS } from "./tree/logs.ts";
import { RUN_COMMANDS } from "./tree/run.ts";
import { SERVICE_COMMANDS } from "./tree/service.ts";
import { SETTINGS_DETAILS, VAULT_COMMANDS } from "./tree/vault.ts";

/** Words that stand before commands. */
export const GROUPS: readonly GroupSpec[] = [
  { path: "passphrase", summary: "protect the data directory with a passphrase" },
  { path: "vault", summary: "vaults, what they hold, and programs that use them" },
  {
    path: "vault settings",
    summary: "show or change how a vault treats requests",
    details: SETTINGS_DETAILS,
  },
  { path: "vault credential", summary: "store and delete credentials" },
  { path: "vault service", summary: "say which hosts get which credential" },
  { path: "vault proposal", summary: "what agents ask for and people decide" },
  { path: "vault logs", summary: "show what happened to the requests" },
  { path: "agent", summary: "agents that bring a token of their own" },
  { path: "ca", summary: "the certificate authority that clients of the proxy trust" },
];

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandSpec[] = [
  ...RUN_COMMANDS,
  ...VAULT_COMMANDS,
  ...CREDENTIAL_COMMANDS,
  ...SERVICE_COMMANDS,
  ...CATALOG_COMMANDS,
  ...PROPOSAL_COMMANDS,
  ...LOGS_COMMANDS,
  ...AGENT_COMMANDS,
  ...HOME_COMMANDS,
];
