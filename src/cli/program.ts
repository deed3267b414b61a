import { Command, type CommanderError, Option } from "commander";
import { BrokerError } from "../errors.ts";
import type { CommandSpec, GroupSpec } from "./command_spec.ts";
import { TOPICS } from "./help_topics.ts";
import type { Output } from "./output.ts";

/** Options that every command understands, wherever they stand before the command's own arguments. */
export interface GlobalOptions {
  readonly vault: string | undefined;
  readonly json: boolean;
  readonly color: boolean;
}

/** What {@link createProgram} joins to a command line parser. */
export interface ProgramParts {
  readonly commands: readonly CommandSpec[];
  readonly groups: readonly GroupSpec[];
  readonly output: Output;
  readonly version: string;
  /** Called with what the command line says. */
  readonly call: (
    spec: CommandSpec,
    global: GlobalOptions,
    invocation: {
      readonly positionals: readonly string[];
      readonly options: Readonly<Record<string, unknown>>;
    },
  ) => Promise<void>;
}

/** Thrown in place of the exit that follows help text. */
export class HelpShown extends Error {
  override readonly name = "HelpShown";
  readonly exitStatus: number;

  constructor(exitStatus: number) {
    super("Help was shown");
    this.exitStatus = exitStatus;
  }
}

const EXAMPLES_AT_THE_TOP = [
  "broker vault credential set GITHUB_TOKEN",
  "broker vault service add --name github --host api.github.com --token-key GITHUB_TOKEN",
  "broker vault run -- claude",
];

/** What scripts rely on. */
const CONVENTIONS =
  `Exit status: 0 done, 1 failed, 2 wrong usage, 130 cancelled; "run" gives that of its program.
With --json, data is one JSON document on stdout, and every line on stderr is a JSON object:
{"error": CODE, "message": TEXT, "hint": TEXT, ...} or {"warning": TEXT}.

Topics:
${TOPICS.map(({ name, summary }) => `  broker help ${name.padEnd(11)}  ${summary}`).join("\n")}`;

/** Words that stand before every command line that is shown. */
const PROGRAM = "broker";

/**
 * Builds the command line parser from the commands' data. Wrong usage is thrown as a `usage`
 * {@link BrokerError} with what was probably meant; help ends in {@link HelpShown}.
 */
export function createProgram(parts: ProgramParts): Command {
  const root = new Command(PROGRAM)
    .description(
      "Lets agents call APIs through a local proxy that adds credentials they never hold.",
    )
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => parts.output.data(text),
      writeErr: (text) => parts.output.talk(text),
      outputError: () => {},
      getOutHelpWidth: () => Math.min(parts.output.columns, 100),
      getErrHelpWidth: () => Math.min(parts.output.columns, 100),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ subcommandTerm: (command) => [command.name(), usageOf(command)].join(" ") })
    .addHelpText("after", `${examplesText(EXAMPLES_AT_THE_TOP)}\n\n${CONVENTIONS}`);
  finish(root, PROGRAM);
  addGlobalOptions(root, { json: true, hidden: false });
  root.version(parts.version, "--version", "print the version");
  const tree: Tree = { byPath: new Map([["", root]]), parts };
  for (const spec of parts.commands) addCommand(tree, spec);
  return root;
}

/** The tree while it is built: every command by all its words. */
interface Tree {
  readonly byPath: Map<string, Command>;
  readonly parts: ProgramParts;
}

function addCommand(tree: Tree, spec: CommandSpec): void {
  const command = createBelow(tree, spec.path, { isDefault: spec.isDefault === true })
    .summary(spec.summary)
    .description(describe(spec))
    .addHelpText("after", examplesText(spec.examples));
  finish(command, `${PROGRAM} ${spec.path}`);
  for (const argument of spec.arguments?.split(" ") ?? []) command.argument(argument);
  for (const option of spec.options ?? []) command.addOption(commanderOption(option));
  addGlobalOptions(command, { json: spec.json === true, hidden: false });
  if (spec.passThrough === true) command.passThroughOptions();
  command.action(async () => {
    await tree.parts.call(spec, globalOptions(command), {
      positionals: command.args,
      options: command.opts(),
    });
  });
}

/** Makes a command below the group that its path names, and the group when this is its first. */
function createBelow(
  tree: Tree,
  path: string,
  options: { readonly isDefault?: boolean } = {},
): Command {
  const at = path.lastIndexOf(" ");
  const parentPath = at === -1 ? "" : path.slice(0, at);
  const parent = tree.byPath.get(parentPath) ?? createGroup(tree, parentPath);
  const command = parent.command(path.slice(at + 1), options);
  tree.byPath.set(path, command);
  return command;
}

function createGroup(tree: Tree, path: string): Command {
  const group = tree.parts.groups.find((one) => one.path === path);
  if (group === undefined) throw new TypeError(`No group is called "${path}"`);
  const command = createBelow(tree, path).summary(group.summary).description(describe(group));
  finish(command, `${PROGRAM} ${path}`);
  addGlobalOptions(command, { json: true, hidden: true });
  const first = tree.parts.commands.find((spec) => spec.path.startsWith(`${path} `));
  return command.addHelpText("after", examplesText(first?.examples ?? []));
}

function describe({ summary, details }: CommandSpec | GroupSpec): string {
  return details === undefined ? summary : `${summary}\n\n${details}`;
}

/** The arguments of a command as the usage line shows them. */
function usageOf(command: Command): string {
  return command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${name}>` : `[${name}]`;
  }).join(" ");
}

function commanderOption(spec: NonNullable<CommandSpec["options"]>[number]): Option {
  const option = new Option(spec.flags, spec.summary);
  if (spec.repeated === true) {
    option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
  }
  return option;
}

function addGlobalOptions(
  command: Command,
  { json, hidden }: { readonly json: boolean; readonly hidden: boolean },
): void {
  const add = (flags: string, summary: string): void => {
    const option = new Option(flags, summary).hideHelp(hidden);
    // `agent create` has a --vault of its own.
    if (command.options.some(({ long }) => long === option.long)) return;
    command.addOption(option);
  };
  add("--vault <NAME>", "the vault to use, instead of BROKER_VAULT or the one in use");
  if (json) add("--json", "print one JSON document");
  add("--no-color", "print without colours");
}

/** What the command or any word before it was given; the last word decides. */
function globalOptions(command: Command): GlobalOptions {
  let vault: string | undefined;
  let json = false;
  let color = true;
  for (let at: Command | null = command; at !== null; at = at.parent) {
    const options: { vault?: unknown; json?: boolean; color?: boolean } = at.opts();
    if (typeof options.vault === "string") vault ??= options.vault;
    json ||= options.json === true;
    color &&= options.color !== false;
  }
  return { vault, json, color };
}

function examplesText(examples: readonly string[]): string {
  if (examples.length === 0) return "";
  return `\n${examples.length === 1 ? "Example" : "Examples"}:\n${
    examples.map((line) => `  ${line}`).join("\n")
  }`;
}

/** Sets what commander does not hand down to the commands below. */
function finish(command: Command, path: string): void {
  command.helpOption("-h, --help", "show this help");
  command.helpCommand(
    "help [COMMAND]",
    path === PROGRAM ? "show the help of a command or a topic" : "show the help of a command",
  );
  command.exitOverride((error) => {
    throw fromCommander(error, path);
  });
}

function fromCommander(error: CommanderError, path: string): Error {
  if (error.code === "commander.helpDisplayed" || error.code === "commander.version") {
    return new HelpShown(0);
  }
  // A group without a further word shows its help; that is not what was asked for.
  if (error.code === "commander.help") return new HelpShown(error.exitCode === 0 ? 0 : 2);
  const [first = "", ...rest] = error.message.replace(/^error: /, "").split("\n");
  const suggestion = /\(Did you mean (.*?)\?\)/.exec(rest.join(" "))?.[1];
  // What was typed in the wrong place may be a value: neither `--key=VALUE` nor a surplus word is repeated.
  const text = first.replace(/(unknown option '[^'=]*)=.*'$/, "$1'").replace(
    /( but got \d+): .*$/,
    "$1",
  )
    .replaceAll("'", '"').replace(/\.$/, "").replace(". Expected", ": expected");
  const help = `${path} --help`;
  return new BrokerError("usage", text.charAt(0).toUpperCase() + text.slice(1), {
    hint: suggestion === undefined ? help : `did you mean "${suggestion}"? Else: ${help}`,
  });
}
