import { BrokerError } from "../errors.ts";
import { nearestWord } from "../model/nearest_word.ts";
import { TOPICS } from "./help_topics.ts";

/** The words of a tree of commands. */
export interface CommandPaths {
  /** `vault service`: words that stand before others. */
  readonly groups: readonly string[];
  /** `vault service list` */
  readonly commands: readonly string[];
}

/**
 * Rewrites `help WORD...`, also behind the words of a group, to `WORD... --help`; other arguments come
 * back as they are.
 *
 * @throws {BrokerError} `usage` for a word that is neither a command nor a topic.
 */
export function expandHelp(
  args: readonly string[],
  { groups, commands }: CommandPaths,
): readonly string[] {
  const at = args.indexOf("help");
  const group = args.slice(0, Math.max(at, 0));
  if (at === -1 || (at > 0 && !groups.includes(group.join(" ")))) return args;
  const words = args.slice(at + 1).filter((arg) => !arg.startsWith("-"));
  const known = [...groups, ...commands];
  words.reduce((path, word) => {
    const longer = [...path, word];
    if (!known.includes(longer.join(" "))) throw unknown(word, { path, known });
    return longer;
  }, group);
  return [...group, ...words, "--help"];
}

function unknown(
  word: string,
  { path, known }: { readonly path: readonly string[]; readonly known: readonly string[] },
): BrokerError {
  const before = path.map((each) => `${each} `).join("");
  const next = known.filter((each) => each.startsWith(before))
    .map((each) => each.slice(before.length).split(" ")[0]!);
  const topics = path.length === 0 ? TOPICS.map(({ name }) => name) : [];
  const suggestion = nearestWord(word, [...next, ...topics]);
  const help = `broker ${before}--help`;
  return new BrokerError(
    "usage",
    `There is no command ${path.length === 0 ? "or topic " : ""}"${before}${word}"`,
    {
      hint: suggestion === undefined
        ? help
        : `did you mean "broker help ${before}${suggestion}"? Else: ${help}`,
    },
  );
}
