import { COMMANDS, GROUPS } from "../command_tree.ts";
import { TOPICS } from "../help_topics.ts";
import { type Candidate, complete } from "./complete.ts";
import type { NamesOptions } from "./known_names.ts";

/**
 * What `broker __complete WORD...` prints for the shells' scripts: `words`, `files` or `commands`, then a
 * line a candidate. Inside `vault run` no name of the vault is told.
 */
export async function answerCompletion(
  words: readonly string[],
  options: NamesOptions & { readonly isChild: boolean },
): Promise<string> {
  const topics = TOPICS.map(({ name, summary }) => ({ word: name, description: summary }));
  const found = complete(words, { commands: COMMANDS, groups: GROUPS, topics });
  if (found.kind === "files" || found.kind === "commands") return `${found.kind}\n`;
  if (found.kind === "words") return lines(found.candidates);
  if (options.isChild && found.source !== "catalog") return lines([]);
  const { knownNames } = await import("./known_names.ts");
  const typed = (words.at(-1) ?? "").slice(found.prefix.length);
  const vault = vaultOf(words) ?? options.vault;
  const names = await knownNames(found.source, { ...options, vault });
  return lines(
    names.filter(({ word }) => word.startsWith(typed))
      .map(({ word, description }) => ({ word: `${found.prefix}${word}`, description })),
  );
}

function vaultOf(words: readonly string[]): string | undefined {
  const at = words.indexOf("--vault");
  if (at !== -1 && at < words.length - 2) return words[at + 1];
  return words.find((word) => word.startsWith("--vault="))?.slice("--vault=".length);
}

function lines(candidates: readonly Candidate[]): string {
  return ["words", ...candidates.map(({ word, description }) => `${word}\t${description}`), ""]
    .join("\n");
}
