import { isSlug, slugFault, slugify } from "./slug.ts";

/** Shortest name of a service, in characters (spec: Limits). */
export const SERVICE_NAME_MIN = 3;

/** Longest name of a service, in characters (spec: Limits). */
export const SERVICE_NAME_MAX = 64;

/** Added to a host too short for a name: `x` becomes `x-service`. */
const FILLER = "service";

/** True for a canonical service name (spec: Service, rules for `name`). */
export function isServiceName(text: string): boolean {
  return text.length >= SERVICE_NAME_MIN && text.length <= SERVICE_NAME_MAX && isSlug(text);
}

/** What is wrong with a service name and a name that would do, or `undefined` when nothing is. */
export function serviceNameIssue(text: string): string | undefined {
  if (isServiceName(text)) return undefined;
  const fault = slugFault(text) ??
    (text.length < SERVICE_NAME_MIN ? "is too short" : `is too long: ${text.length} characters`);
  const example = slugFromHost(text, new Set());
  return `The name ${shown(text)} ${text === "" ? "is empty" : fault}: ` +
    `write ${SERVICE_NAME_MIN} to ${SERVICE_NAME_MAX} lower-case letters, digits and single ` +
    `hyphens inside, such as "${example}"`;
}

/**
 * The name of a service that was stored without one, made from host and path (spec: Versioning). The
 * same host and the same taken names give the same slug; a taken slug gets `-2`, `-3` and so on.
 */
export function slugFromHost(host: string, taken: ReadonlySet<string>): string {
  let base = slugify(host);
  if (base === "") base = FILLER;
  if (base.length < SERVICE_NAME_MIN) base = `${base}-${FILLER}`;
  base = cut(base, SERVICE_NAME_MAX);
  let slug = base;
  for (let number = 2; taken.has(slug); number++) {
    const suffix = `-${number}`;
    slug = cut(base, SERVICE_NAME_MAX - suffix.length) + suffix;
  }
  return slug;
}

function cut(slug: string, length: number): string {
  return slug.slice(0, length).replace(/-$/, "");
}

function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
