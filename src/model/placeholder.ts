/** Shortest placeholder, in characters (spec: Limits). */
export const PLACEHOLDER_MIN = 4;

/** What to write instead, built from what was written where that gives a sound placeholder. */
function suggestion(text: string): string {
  const word = text.toLowerCase().replaceAll(/[^a-z0-9_]+/g, "_").replaceAll(/^_+|_+$/g, "");
  return `write one such as "__${word === "" ? "account_sid" : word}__"`;
}

/**
 * Which rule a placeholder breaks, with an accepted one to write instead, or `undefined` when it keeps
 * them all (spec: Placeholder validation).
 */
export function placeholderIssue(text: string): string | undefined {
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
  const foreign = /[^A-Za-z0-9_.~-]/u.exec(text);
  if (foreign !== null) {
    return `The placeholder ${shown} has ${JSON.stringify(foreign[0])} at column ` +
      `${foreign.index + 1}; only A-Z a-z 0-9 _ - . ~ may stand in it: ${suggestion(text)}`;
  }
  if (text.length < PLACEHOLDER_MIN) {
    return `The placeholder ${shown} has fewer than ${PLACEHOLDER_MIN} characters: ` +
      suggestion(text);
  }
  if (!/[A-Za-z0-9]/.test(text)) {
    return `The placeholder ${shown} has no letter or digit: ${suggestion(text)}`;
  }
  if (!text.includes("__") && !/[.~-]/.test(text)) {
    return `The placeholder ${shown} is a bare word, which may stand in a request by chance; it ` +
      `needs "__" or one of - . ~ in it: ${suggestion(text)}`;
  }
  return undefined;
}

/** True for a string that may stand for a credential on the wire (spec: Placeholder validation). */
export function isPlaceholder(text: string): boolean {
  return placeholderIssue(text) === undefined;
}
