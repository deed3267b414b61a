/** A placeholder and what takes its place on one surface, encoded for that surface. */
export interface Replacement {
  /** The credential that the value came from. */
  readonly key: string;
  /** A placeholder that the model accepted: at least four characters of ASCII (spec: Substitutions). */
  readonly placeholder: string;
  /** What is written instead. */
  readonly value: string;
}

/**
 * The replacements in the order in which they are tried at one place: a placeholder that contains
 * another comes before it. Of two with the same placeholder the first one counts.
 */
export function longestFirst(replacements: readonly Replacement[]): Replacement[] {
  const unique = new Map<string, Replacement>();
  for (const replacement of replacements) {
    if (!unique.has(replacement.placeholder)) unique.set(replacement.placeholder, replacement);
  }
  return [...unique.values()].sort((a, b) => b.placeholder.length - a.placeholder.length);
}
