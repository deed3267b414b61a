import { type Broker, startBroker } from "../../app.ts";
import { createLogger, parseLogLevel, writeToStandardError } from "../../log.ts";
import { serviceKeys } from "../../model/credential_refs.ts";
import { parseDuration } from "../../model/duration.ts";
import { hostPatternIssue, parseHostPattern } from "../../model/host_pattern.ts";
import type { Secret } from "../../model/secret.ts";
import { parseSessionTtl } from "../../model/session_ttl.ts";
import { resolveCommand } from "../../run/child_command.ts";
import { childEnvironment, proxyUrl } from "../../run/environment.ts";
import { launch } from "../../run/launch.ts";
import type { Store } from "../../store/store.ts";
import { certificateFiles } from "../authority.ts";
import type { Invocation } from "../command_spec.ts";
import type { Context } from "../context.ts";
import { counted } from "../counted.ts";
import { chooseVault, openHome } from "../home.ts";
import { openOperatorTerminal } from "../operator_terminal.ts";

/** Starts the broker and the program in this process and gives the program's exit status. */
export async function run({ context, positionals, options }: Invocation): Promise<number> {
  const [command = "", ...args] = positionals;
  const windows = Deno.build.os === "windows";
  // First, so that a program which is not there costs neither a passphrase nor a session.
  const path = resolveCommand(command, {
    path: context.env["PATH"] ?? context.env["Path"],
    windows,
    pathExtensions: context.env["PATHEXT"],
  });
  const ttl = options["ttl"];
  const ttlSeconds = parseSessionTtl(
    typeof ttl === "string" ? parseDuration(ttl) / 1_000 : undefined,
  );
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  const quiet = options["quiet"] === true;
  const terminal = quiet ? undefined : openOperatorTerminal(context.output, store);
  const broker = await startBroker({
    store,
    ...(terminal?.signInCode && { signInCode: terminal.signInCode }),
    log: createLogger({
      level: parseLogLevel(context.env["BROKER_LOG"]),
      write: writeToStandardError,
    }),
    environment: context.env,
  });
  try {
    const session = store.sessions.create({ vault, ttlSeconds });
    // Run while signals are still caught, so that a second Ctrl-C cannot leave the session behind.
    const end = async () => {
      store.sessions.revoke(session.id);
      await broker.stop();
    };
    try {
      const { environment, warnings } = childEnvironment({
        ...(await connection(context, store, { broker, vault, token: session.token })),
        ...(await vaultContents(store, vault)),
        inherited: context.env,
        extraNoProxy: typeof options["proxy"] === "string" ? [options["proxy"]] : [],
        placeholders: options["placeholders"] !== false,
        caseInsensitive: windows,
      });
      if (!quiet) {
        for (const warning of warnings) context.output.warn(warning);
        introduce(context, store, vault);
        terminal?.introduce(broker.apiUrl);
      }
      const status = await launch(path, args, { env: environment, finish: end });
      if (!quiet) summarize(context, broker.counts, store.proposals.pendingCount(vault));
      return status;
    } finally {
      await end();
    }
  } finally {
    await broker.stop();
  }
}

/** What the child needs in order to reach the broker. */
async function connection(
  context: Context,
  store: Store,
  { broker, vault, token }: {
    readonly broker: Broker;
    readonly vault: string;
    readonly token: Secret;
  },
) {
  const files = await certificateFiles(context, store, broker.authority);
  return {
    token,
    vault,
    apiUrl: broker.apiUrl,
    proxyUrl: proxyUrl({ token, vault, port: broker.proxyPort }),
    caPath: files.additions,
    bundlePath: files.bundle,
  };
}

/** What the vault says about the child's variables. */
async function vaultContents(store: Store, vault: string) {
  const enabled = store.services.list(vault).filter((service) => service.enabled);
  const { findSdkVariables } = await import("../../catalog/sdk_variables.ts");
  return {
    credentials: store.credentials.keys(vault).map((key) => ({
      key,
      value: store.credentials.get(vault, key),
    })),
    referencedKeys: enabled.flatMap((service) => serviceKeys(service)),
    sdkVariables: findSdkVariables(enabled),
    substitutions: enabled.flatMap(({ substitutions }) => substitutions),
    serviceHostnames: enabled.filter(({ host }) => hostPatternIssue(host) === undefined)
      .map(({ host }) => parseHostPattern(host).hostname),
  };
}

/** One line at the end, when there is something to tell. */
function summarize({ output }: Context, counts: Broker["counts"], pending: number): void {
  const parts = [
    counted(counts.requests, "request"),
    `${counts.brokered} brokered`,
    ...(counts.passed > 0 ? [`${counts.passed} passed through`] : []),
    `${counts.refused} refused`,
    `${counts.failed} failed`,
    ...(pending > 0 ? [`${counted(pending, "proposal")} pending`] : []),
    ...(counts.dropped > 0 ? [`${counts.dropped} not in the log`] : []),
  ];
  if (counts.requests === 0 && pending === 0) return;
  const next = pending > 0
    ? " (broker vault proposal review)"
    : counts.refused + counts.failed > 0
    ? " (broker vault logs --status error)"
    : "";
  output.note(parts.join(", ") + next);
}

function introduce(context: Context, store: Store, vault: string): void {
  const services = store.services.list(vault);
  if (services.length > 0) return;
  context.output.note(
    `vault "${vault}" has no services yet, so nothing gets a credential; to add one: ` +
      "broker vault service add --name NAME --host HOST --token-key KEY",
  );
}
