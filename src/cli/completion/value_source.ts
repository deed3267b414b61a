import type { CommandSpec } from "../command_spec.ts";

/** Where the values of an argument or an option come from; a list holds all of them. */
export type ValueSource =
  | "vaults"
  | "services"
  | "credentials"
  | "proposals"
  | "agents"
  | "catalog"
  | "files"
  | "commands"
  | readonly string[];

/** Shells that `broker completions` writes for. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/** The settings of a vault and their values. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  unmatched_host_policy: ["passthrough", "deny"],
  plaintext_credentials: ["local", "always"],
  notifications: ["on", "off"],
};

/** Arguments by the words of their command; one list holds the sources of all its arguments. */
const ARGUMENTS: readonly (readonly [path: RegExp, ...sources: readonly ValueSource[]])[] = [
  [/^completions$/, SHELLS],
  [/^catalog$/, "catalog"],
  [/^(vault )?run$/, "commands"],
  [/^vault (use|delete|rename)$/, "vaults"],
  [/^vault settings get$/, Object.keys(SETTINGS)],
  [/^vault settings set$/, Object.keys(SETTINGS), [...new Set(Object.values(SETTINGS).flat())]],
  [/^vault service (show|remove|enable|disable)$/, "services"],
  [/^vault proposal (show|get|wait|approve|reject)$/, "proposals"],
  [/^agent (grant|ungrant)$/, "agents", "vaults"],
  [/^agent (info|rotate|revoke|delete|rename)$/, "agents"],
];

const OPTIONS: readonly (readonly [path: RegExp, name: RegExp, source: ValueSource])[] = [
  [/^/, /^--vault$/, "vaults"],
  [/^/, /^--file$/, "files"],
  [/^/, /-key$/, "credentials"],
  [/^/, /^--auth-type$/, ["bearer", "basic", "api-key", "custom", "passthrough"]],
  [/^vault service add$/, /^--from$/, "catalog"],
  [/^vault logs/, /^--service$/, "services"],
  [/^vault logs/, /^--actor$/, "agents"],
  [/^vault logs/, /^--status$/, ["ok", "error", "2xx", "3xx", "4xx", "5xx"]],
  [/^vault proposal/, /^--status$/, ["pending", "applied", "rejected", "expired"]],
  [/^agent skill$/, /^--install$/, ["claude", "codex", "cursor", "opencode"]],
];

/** Where the values of a command's argument come from, counted from 0. */
export function valueOfArgument(spec: CommandSpec, index: number): ValueSource | undefined {
  // Every command that takes keys of credentials takes several of them.
  if (spec.path.startsWith("vault credential ") && spec.arguments !== undefined) {
    return "credentials";
  }
  const [, ...sources] = ARGUMENTS.find(([path]) => path.test(spec.path)) ?? [undefined];
  return sources[index];
}

/** Where the values of an option come from. */
export function valueOfOption(path: string, name: string): ValueSource | undefined {
  return OPTIONS.find(([command, option]) => command.test(path) && option.test(name))?.[2];
}
