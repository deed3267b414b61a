import { parseGrant, serializeGrant, type VaultGrant } from "../../model/agent_grant.ts";
import { parseVaultName } from "../../model/vault_name.ts";
import type { Secret } from "../../model/secret.ts";
import type { AgentSummary } from "../../store/agents.ts";
import type { Invocation } from "../command_spec.ts";
import type { Context } from "../context.ts";
import { chooseVault, openHome } from "../home.ts";

/** Creates an agent and prints its token. */
export async function createAgent({ context, positionals, options }: Invocation): Promise<void> {
  const [name = ""] = positionals;
  const given = options["vault"];
  const named = Array.isArray(given) ? given.map((text) => parseGrant(String(text))) : undefined;
  using store = await openHome(context);
  const grants = named ?? [{ vault: chooseVault(context, store), role: "proxy" } as const];
  const token = store.agents.create(name, grants);
  showToken(context, store.agents.get(name), token);
}

/** Lists the agents. */
export async function listAgents({ context }: Invocation): Promise<void> {
  using store = await openHome(context);
  const agents = store.agents.list();
  const { output } = context;
  output.print({ agents: agents.map(describe) }, () => {
    if (agents.length === 0) return output.note("there are no agents: broker agent create NAME");
    output.table(
      [{ title: "NAME" }, { title: "STATE" }, { title: "VAULTS" }, { title: "CREATED" }],
      agents.map((agent) => [
        agent.name,
        agent.revokedAt === undefined ? "active" : "revoked",
        grantsText(agent.grants),
        dateText(agent.createdAt),
      ]),
    );
  });
}

/** Shows one agent. */
export async function showAgent({ context, positionals }: Invocation): Promise<void> {
  const [name = ""] = positionals;
  using store = await openHome(context);
  const agent = store.agents.get(name);
  const { output } = context;
  output.print(describe(agent), () => {
    output.line(`name     ${agent.name}`);
    output.line(`state    ${agent.revokedAt === undefined ? "active" : "revoked"}`);
    output.line(`vaults   ${grantsText(agent.grants)}`);
    output.line(`created  ${dateText(agent.createdAt)}`);
    output.line(`token    made ${dateText(agent.rotatedAt)}`);
  });
}

/** Lets an agent use a vault. */
export async function grantVault({ context, positionals }: Invocation): Promise<void> {
  const [name = "", text = ""] = positionals;
  const grant = parseGrant(text);
  using store = await openHome(context);
  store.agents.grant(name, grant);
  context.output.print(describe(store.agents.get(name)), () => {
    context.output.note(`agent "${name}" may use ${serializeGrant(grant)}`);
  });
}

/** Takes a vault away. */
export async function ungrantVault({ context, positionals }: Invocation): Promise<void> {
  const [name = "", vault = ""] = positionals;
  parseVaultName(vault);
  using store = await openHome(context);
  store.agents.ungrant(name, vault);
  context.output.print(describe(store.agents.get(name)), () => {
    context.output.note(`agent "${name}" may no longer use vault "${vault}"`);
  });
}

/** Replaces an agent's token. */
export async function rotateAgent({ context, positionals }: Invocation): Promise<void> {
  const [name = ""] = positionals;
  using store = await openHome(context);
  const token = store.agents.rotate(name);
  showToken(context, store.agents.get(name), token);
}

/** Takes an agent's token back. */
export async function revokeAgent({ context, positionals }: Invocation): Promise<void> {
  const [name = ""] = positionals;
  using store = await openHome(context);
  store.agents.revoke(name);
  context.output.print(describe(store.agents.get(name)), () => {
    context.output.note(
      `revoked agent "${name}" (to let it in again: broker agent rotate ${name})`,
    );
  });
}

/** Deletes an agent. */
export async function deleteAgent(
  { context, positionals, options }: Invocation,
): Promise<number | void> {
  const [name = ""] = positionals;
  using store = await openHome(context);
  store.agents.get(name);
  if (options["yes"] !== true) {
    const agreed = await context.prompts.confirm({
      message: `Delete agent "${name}"?`,
      instead: `broker agent delete ${name} --yes`,
    });
    if (!agreed) {
      context.output.note("nothing was changed");
      return 1;
    }
  }
  store.agents.delete(name);
  context.output.print({ agent: name, deleted: true }, () => {
    context.output.note(`deleted agent "${name}"`);
  });
}

/** Gives an agent another name. */
export async function renameAgent({ context, positionals }: Invocation): Promise<void> {
  const [before = "", after = ""] = positionals;
  using store = await openHome(context);
  store.agents.rename(before, after);
  context.output.print({ agent: after, renamed_from: before }, () => {
    context.output.note(`renamed agent "${before}" to "${after}"`);
  });
}

/** The token alone on stdout, so that it can be piped; what to do with it on stderr. */
function showToken(context: Context, agent: AgentSummary, token: Secret): void {
  const { output } = context;
  const [grant] = agent.grants;
  output.print({ ...describe(agent), token: token.reveal() }, () => {
    output.line(token.reveal());
    output.note(
      `this is the token of agent "${agent.name}" (${
        grantsText(agent.grants)
      }); it is shown only now`,
    );
    if (grant === undefined) return;
    output.note("to use it: broker server, and for the agent:");
    output.detail(`HTTPS_PROXY=http://TOKEN:${grant.vault}@127.0.0.1:14322`);
    output.detail(`BROKER_ADDR=http://127.0.0.1:14321 BROKER_TOKEN=TOKEN`);
  });
}

function describe(agent: AgentSummary) {
  return {
    name: agent.name,
    revoked: agent.revokedAt !== undefined,
    vaults: agent.grants.map(({ vault, role }) => ({ vault, role })),
    created_at: new Date(agent.createdAt).toISOString(),
    rotated_at: new Date(agent.rotatedAt).toISOString(),
  };
}

function grantsText(grants: readonly VaultGrant[]): string {
  return grants.length === 0 ? "no vault" : grants.map(serializeGrant).join(" ");
}

function dateText(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
