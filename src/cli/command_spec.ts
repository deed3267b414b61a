import type { Context } from "./context.ts";

/** What a command was called with. */
export interface Invocation {
  readonly context: Context;
  /** In the order of {@link CommandSpec.arguments}; a repeated argument fills the rest. */
  readonly positionals: readonly string[];
  /** Options by their long name in camel case. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Does the command and returns the exit status; nothing means 0. */
export type CommandFunction = (invocation: Invocation) => Promise<number | void>;

/** One option of a command. */
export interface OptionSpec {
  /** As shown in the help: `-f, --file <FILE>`. */
  readonly flags: string;
  readonly summary: string;
  /** May be given several times; the value is a list. */
  readonly repeated?: boolean;
}

/** One command of the tree, as data; the code behind it is loaded when it is called. */
export interface CommandSpec {
  /** All its words: `vault service list`. */
  readonly path: string;
  /** As shown in the help: `<KEY...>`, `[FILE]`. */
  readonly arguments?: string;
  readonly summary: string;
  /** What the summary leaves open. */
  readonly details?: string;
  /** Complete command lines, at least one. */
  readonly examples: readonly string[];
  readonly options?: readonly OptionSpec[];
  /** Offers `--json`; every command that prints data does. */
  readonly json?: boolean;
  /** Works in a child of `vault run` too, where commands of the operator refuse. */
  readonly agent?: boolean;
  /** Everything after the first argument belongs to the program that is started. */
  readonly passThrough?: boolean;
  /** Runs when the group is named without a further word. */
  readonly isDefault?: boolean;
  readonly load: () => Promise<CommandFunction>;
}

/** A word that stands before other words: `vault service`. */
export interface GroupSpec {
  readonly path: string;
  readonly summary: string;
  /** What the summary leaves open. */
  readonly details?: string;
}
