/** Lower-case letters, digits and single hyphens, none of them at an end (spec: Service, rules for name). */
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** True for a text made of lower-case letters, digits and single inner hyphens, of any length. */
export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

/** The nearest slug to a text: other characters become hyphens. Empty when nothing usable is left. */
export function slugify(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-+|-+$/g, "");
}

/** What keeps a text from being a slug, in words that finish "The name ...", or `undefined`. */
export function slugFault(text: string): string | undefined {
  if (isSlug(text)) return undefined;
  if (/[A-Z]/.test(text)) return "has upper-case letters";
  const other = /[^a-z0-9-]/u.exec(text);
  if (other !== null) return `has ${JSON.stringify(other[0])} at column ${other.index + 1}`;
  if (text.includes("--")) return "has two hyphens in a row";
  return "begins or ends with a hyphen";
}
