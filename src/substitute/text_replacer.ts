import { longestFirst, type Replacement } from "./replacement.ts";

/**
 * Replaces placeholders in text in one pass from the left: at each place the longest one that stands
 * there, and never within a value that was put in. Immutable; a compiled service keeps it.
 */
export class TextReplacer {
  readonly #any: RegExp;
  readonly #every: RegExp;
  readonly #byPlaceholder: ReadonlyMap<string, Replacement>;

  constructor(replacements: readonly Replacement[]) {
    const ordered = longestFirst(replacements);
    // Alternatives are tried in their order, which makes the first that matches the longest.
    const pattern = ordered.map(({ placeholder }) => RegExp.escape(placeholder)).join("|");
    this.#any = new RegExp(pattern);
    this.#every = new RegExp(pattern, "g");
    this.#byPlaceholder = new Map(ordered.map((entry) => [entry.placeholder, entry]));
  }

  /** True when the text contains a placeholder. */
  occursIn(text: string): boolean {
    return this.#any.test(text);
  }

  /** What {@link TextReplacer.replace} would put into the text, in order of appearance. */
  replacementsIn(text: string): Replacement[] {
    return (text.match(this.#every) ?? []).map((found) => this.#byPlaceholder.get(found)!);
  }

  /** The text with every placeholder replaced. */
  replace(text: string): string {
    // A function, because a replacement string would expand `$&` and `$$` in a secret.
    return text.replace(this.#every, (found) => this.#byPlaceholder.get(found)!.value);
  }
}
