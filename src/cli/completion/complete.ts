import type { CommandSpec, GroupSpec, OptionSpec } from "../command_spec.ts";
import { valueOfArgument, valueOfOption, type ValueSource } from "./value_source.ts";

/** A word that could stand next. */
export interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** What a shell is to offer. */
export type Completion =
  | { readonly kind: "words"; readonly candidates: readonly Candidate[] }
  /** Names that only the data directory knows; each goes behind the prefix. */
  | { readonly kind: "names"; readonly source: ValueSource & string; readonly prefix: string }
  | { readonly kind: "files" }
  | { readonly kind: "commands" };

/** All that can be typed. */
export interface CompletionTree {
  readonly commands: readonly CommandSpec[];
  readonly groups: readonly GroupSpec[];
  /** What `broker help` knows besides commands. */
  readonly topics: readonly Candidate[];
}

/** Options that stand anywhere. */
const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { flags: "--vault <NAME>", summary: "the vault to use" },
  { flags: "--no-color", summary: "print without colours" },
  { flags: "-h, --help", summary: "show the help" },
];
const JSON_OPTION: OptionSpec = { flags: "--json", summary: "print one JSON document" };

const NOTHING: Completion = { kind: "words", candidates: [] };

/**
 * What could stand in place of the last word, after the words before it.
 *
 * @param words Without the program's name; the last one may be empty.
 */
export function complete(words: readonly string[], tree: CompletionTree): Completion {
  const current = words.at(-1) ?? "";
  if (words[0] === "help" && words.length > 1) {
    if (words.length > 2) return complete(words.slice(1), tree);
    return fitting([...tree.topics, ...wordsBelow("", tree)], current);
  }
  const place = readWords(words.slice(0, -1), tree);
  if (place.isProgram) return { kind: "files" };
  if (place.awaited !== undefined) {
    return fromSource(valueOfOption(place.path, longName(place.awaited)), current);
  }
  const inline = /^(--[a-z-]+)=(.*)$/.exec(current);
  if (inline !== null) {
    return fromSource(valueOfOption(place.path, inline[1]!), inline[2]!, `${inline[1]}=`);
  }
  if (current.startsWith("-") && !place.onlyArguments) return fitting(optionsOf(place), current);
  const following = place.positionals === 0 && !place.onlyArguments
    ? wordsAfter(place.path, tree)
    : [];
  if (following.length > 0 && place.spec === undefined) return fitting(following, current);
  if (place.spec === undefined) return NOTHING;
  return fromSource(valueOfArgument(place.spec, place.positionals), current);
}

/** Where the words lead to. */
interface Place {
  readonly path: string;
  /** The command, or the one that a group means when it stands alone. */
  readonly spec: CommandSpec | undefined;
  readonly options: readonly OptionSpec[];
  readonly used: ReadonlySet<string>;
  readonly positionals: number;
  /** An option that still wants its value. */
  readonly awaited: OptionSpec | undefined;
  /** `--` stood before. */
  readonly onlyArguments: boolean;
  /** What follows belongs to the program that `run` starts. */
  readonly isProgram: boolean;
}

function readWords(words: readonly string[], tree: CompletionTree): Place {
  let path = "";
  let spec: CommandSpec | undefined;
  let positionals = 0;
  let awaited: OptionSpec | undefined;
  let onlyArguments = false;
  let isProgram = false;
  const used = new Set<string>();
  for (const word of words) {
    const options = knownOptions(spec ?? defaultOf(path, tree));
    if (awaited !== undefined) {
      awaited = undefined;
    } else if (word === "--" && !onlyArguments) {
      onlyArguments = true;
    } else if (word.startsWith("-") && !onlyArguments) {
      const option = options.find((one) => namesOf(one).includes(word.split("=", 1)[0]!));
      if (option === undefined) continue;
      used.add(longName(option));
      if (takesValue(option) && !word.includes("=")) awaited = option;
    } else {
      const next = path === "" ? word : `${path} ${word}`;
      const isKnown = spec === undefined && [...tree.commands, ...tree.groups]
        .some((one) => one.path === next || one.path.startsWith(`${next} `));
      if (isKnown && positionals === 0) path = next;
      else positionals++;
      spec = tree.commands.find((one) => one.path === path);
      isProgram = spec?.passThrough === true && positionals > 0;
      if (isProgram) break;
    }
  }
  const meant = spec ?? defaultOf(path, tree);
  const options = knownOptions(meant);
  const isLeaf = spec !== undefined;
  return {
    path: meant?.path ?? path,
    spec: isLeaf || positionals > 0 ? meant : undefined,
    options,
    used,
    positionals,
    awaited,
    onlyArguments,
    isProgram,
  };
}

function defaultOf(path: string, tree: CompletionTree): CommandSpec | undefined {
  return tree.commands.find((spec) =>
    spec.isDefault === true && spec.path.startsWith(`${path} `) && path !== "" &&
    !spec.path.slice(path.length + 1).includes(" ")
  );
}

function knownOptions(spec: CommandSpec | undefined): readonly OptionSpec[] {
  const own = spec?.options ?? [];
  const taken = new Set(own.map(longName));
  const global = spec?.json === false ? GLOBAL_OPTIONS : [...GLOBAL_OPTIONS, JSON_OPTION];
  return [...own, ...global.filter((option) => !taken.has(longName(option)))];
}

function optionsOf({ options, used }: Place): Candidate[] {
  return options.filter((option) => option.repeated === true || !used.has(longName(option)))
    .map((option) => ({ word: longName(option), description: option.summary }));
}

/** The words that may follow a group, each with what it does. */
function wordsAfter(path: string, tree: CompletionTree): Candidate[] {
  const group = groupOf(path, tree);
  const below = wordsBelow(group, tree);
  return group === "" ? [...below, { word: "help", description: "explain a command" }] : below;
}

/** A group's default command stands for the group when nothing follows. */
function groupOf(path: string, tree: CompletionTree): string {
  const spec = tree.commands.find((one) => one.path === path);
  return spec?.isDefault === true ? path.slice(0, path.lastIndexOf(" ")) : path;
}

function wordsBelow(group: string, tree: CompletionTree): Candidate[] {
  const start = group === "" ? "" : `${group} `;
  const found = new Map<string, string>();
  for (const { path, summary } of [...tree.groups, ...tree.commands]) {
    if (!path.startsWith(start)) continue;
    const rest = path.slice(start.length).split(" ");
    const word = rest[0]!;
    if (!found.has(word) || rest.length === 1) found.set(word, summary);
  }
  return [...found].map(([word, description]) => ({ word, description }));
}

function fromSource(source: ValueSource | undefined, typed: string, prefix = ""): Completion {
  if (source === undefined) return NOTHING;
  if (source === "files" || source === "commands") return { kind: source };
  if (typeof source === "string") return { kind: "names", source, prefix };
  return {
    kind: "words",
    candidates: source.filter((word) => word.startsWith(typed))
      .map((word) => ({ word: `${prefix}${word}`, description: "" })),
  };
}

function fitting(candidates: readonly Candidate[], typed: string): Completion {
  return { kind: "words", candidates: candidates.filter(({ word }) => word.startsWith(typed)) };
}

function namesOf({ flags }: OptionSpec): string[] {
  return flags.split(/[ ,]+/).filter((part) => part.startsWith("-"));
}

function longName(option: OptionSpec): string {
  return namesOf(option).at(-1) ?? "";
}

function takesValue({ flags }: OptionSpec): boolean {
  return flags.includes("<");
}
