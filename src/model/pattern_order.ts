import { type HostPattern, hostPatternIssue, parseHostPattern } from "./host_pattern.ts";

/** A service's pattern with its place in the list: all that decides who wins a request. */
export interface RankedPattern {
  readonly pattern: HostPattern;
  /** Place in the service list. */
  readonly order: number;
}

/** Stands for what a `*` took: no pattern and no request's path can hold it. */
const ANYTHING = "\uffff";

/** A stored host as a pattern; `undefined` for one that today's grammar refuses, which matches nothing. */
export function findPattern(host: string): HostPattern | undefined {
  return hostPatternIssue(host) === undefined ? parseHostPattern(host) : undefined;
}

/**
 * True when `one` wins every request that both match (spec: Matching rules, 4): the rules rank the
 * patterns themselves, whatever the request is.
 */
export function outranks(one: RankedPattern, other: RankedPattern): boolean {
  const [a, b] = [one.pattern, other.pattern];
  if (a.wildcard !== b.wildcard) return !a.wildcard;
  if ((a.port === undefined) !== (b.port === undefined)) return a.port !== undefined;
  const [left, right] = [prefixOf(a).length, prefixOf(b).length];
  return left === right ? one.order < other.order : left > right;
}

/** True when every request that `inner` matches is one that `outer` matches too. */
export function covers(outer: HostPattern, inner: HostPattern): boolean {
  if (outer.port !== undefined && outer.port !== inner.port) return false;
  if (inner.wildcard ? !isSameHost(outer, inner) : !takesHost(outer, inner)) return false;
  if (outer.path === undefined) return true;
  return inner.path !== undefined && matchesGlob(outer.path, inner.path.replaceAll("*", ANYTHING));
}

/**
 * False only when no request can match both patterns. Two paths with stars may be taken to meet although
 * they never do; who decides about a credential by this errs on the careful side.
 */
export function mayOverlap(a: HostPattern, b: HostPattern): boolean {
  if (a.port !== undefined && b.port !== undefined && a.port !== b.port) return false;
  if (a.wildcard && b.wildcard ? !isSameHost(a, b) : !takesHost(a, b) && !takesHost(b, a)) {
    return false;
  }
  if (a.path === undefined || b.path === undefined) return true;
  if (!a.path.includes("*")) return matchesGlob(b.path, a.path);
  if (!b.path.includes("*")) return matchesGlob(a.path, b.path);
  const [prefixA, prefixB] = [prefixOf(a), prefixOf(b)];
  const [suffixA, suffixB] = [suffixOf(a.path), suffixOf(b.path)];
  return (prefixA.startsWith(prefixB) || prefixB.startsWith(prefixA)) &&
    (suffixA.endsWith(suffixB) || suffixB.endsWith(suffixA));
}

/** True when the pattern takes a request to exactly the host that the other one names. */
function takesHost(pattern: HostPattern, { hostname, wildcard }: HostPattern): boolean {
  if (wildcard) return false;
  if (!pattern.wildcard) return pattern.hostname === hostname;
  const dot = hostname.indexOf(".");
  return dot > 0 && hostname.slice(dot + 1) === pattern.hostname;
}

function isSameHost(a: HostPattern, b: HostPattern): boolean {
  return a.wildcard === b.wildcard && a.hostname === b.hostname;
}

function prefixOf({ path }: HostPattern): string {
  return path?.split("*", 1)[0] ?? "";
}

function suffixOf(path: string): string {
  return path.slice(path.lastIndexOf("*") + 1);
}

function matchesGlob(glob: string, path: string): boolean {
  const [prefix = "", ...rest] = glob.split("*");
  const suffix = rest.pop();
  if (suffix === undefined) return glob === path;
  if (!path.startsWith(prefix) || !path.endsWith(suffix)) return false;
  const end = path.length - suffix.length;
  let at = prefix.length;
  for (const piece of rest) {
    const found = path.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return at <= end;
}
