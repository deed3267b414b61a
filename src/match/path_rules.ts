import { LiteralTrie } from "./literal_trie.ts";
import { compileMiddle, type PathGlob } from "./path_glob.ts";

/** A compiled service as the path index sees it. */
export interface PathRule {
  /** Place in the service list; the smaller one wins a full tie (spec: Matching rules, 4.4). */
  readonly order: number;
  /** `undefined` matches any path and scores 0 (spec: Matching rules, 4.3). */
  readonly glob: PathGlob | undefined;
}

/** Rules with the same prefix and the same suffix. */
interface SuffixGroup<R> {
  /** The first declared rule with nothing between its stars; later ones can never win over it. */
  oneStar: R | undefined;
  readonly severalStars: { rule: R; middle: ReturnType<typeof compileMiddle> }[];
}

/** Rules with the same literal prefix, and so with the same score. */
interface PrefixGroup<R> {
  /** The first declared rule that is this exact path. */
  exact: R | undefined;
  suffixes: LiteralTrie<SuffixGroup<R>> | undefined;
}

/**
 * The rules of one host and port, indexed so that a path finds the winner without trying each rule: a
 * walk along the literal prefixes, and for prefixes that were met a walk back along the suffixes.
 */
export class PathRules<R extends PathRule> {
  readonly #prefixes = new LiteralTrie<PrefixGroup<R>>("forward");
  #anyPath: R | undefined;
  #hasGlobs = false;

  /** True when two paths may have different winners. */
  get dependOnPath(): boolean {
    return this.#hasGlobs;
  }

  /** Adds a rule; rules must come in declaration order. */
  add(rule: R): void {
    const { glob } = rule;
    if (glob === undefined) {
      this.#anyPath ??= rule;
      return;
    }
    this.#hasGlobs = true;
    const group = this.#prefixes.getOrCreate(glob.prefix, emptyPrefixGroup);
    if (!glob.hasStar) {
      group.exact ??= rule;
      return;
    }
    group.suffixes ??= new LiteralTrie("backward");
    const suffix = group.suffixes.getOrCreate(glob.suffix, emptySuffixGroup);
    if (glob.middle.length === 0) suffix.oneStar ??= rule;
    else suffix.severalStars.push({ rule, middle: compileMiddle(glob.middle) });
  }

  /** The winner for a path: longest literal prefix, then declaration order. */
  select(path: string): R | undefined {
    if (!this.#hasGlobs) return this.#anyPath;
    const groups: PrefixGroup<R>[] = [];
    const lengths: number[] = [];
    this.#prefixes.visit(path, 0, (group, length) => {
      groups.push(group);
      lengths.push(length);
    });
    for (let index = groups.length - 1; index >= 0; index--) {
      const winner = selectInGroup(groups[index]!, path, lengths[index]!);
      if (winner !== undefined) return winner;
    }
    return this.#anyPath;
  }
}

function selectInGroup<R extends PathRule>(
  group: PrefixGroup<R>,
  path: string,
  length: number,
): R | undefined {
  let winner = length === path.length ? group.exact : undefined;
  group.suffixes?.visit(path, length, ({ oneStar, severalStars }, suffixLength) => {
    if (oneStar !== undefined && isEarlier(oneStar, winner)) winner = oneStar;
    const end = path.length - suffixLength;
    for (const { rule, middle } of severalStars) {
      // In declaration order: who is not earlier than the best so far cannot become it.
      if (!isEarlier(rule, winner)) break;
      if (middle(path, length, end)) winner = rule;
    }
  });
  return winner;
}

function isEarlier(rule: PathRule, than: PathRule | undefined): boolean {
  return than === undefined || rule.order < than.order;
}

function emptyPrefixGroup<R>(): PrefixGroup<R> {
  return { exact: undefined, suffixes: undefined };
}

function emptySuffixGroup<R>(): SuffixGroup<R> {
  return { oneStar: undefined, severalStars: [] };
}
