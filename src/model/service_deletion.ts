import { bareHost, hostPatternIssue, parseHostPattern, patternIdentity } from "./host_pattern.ts";
import { nearestWord } from "./nearest_word.ts";
import { findPattern } from "./pattern_order.ts";
import type { Service } from "./service.ts";

/** The one service that a deletion means, or why there is none. */
export type FoundDeletion =
  | { readonly service: Service }
  | {
    readonly path: readonly string[];
    readonly message: string;
    /** The services that share the bare host, when that is the fault. */
    readonly candidates?: readonly { readonly name: string; readonly host: string }[];
  };

/**
 * Finds the service to delete by its name, else by the bare host portion of `host` when only one service
 * has it (spec: Proposal, rules for `delete`). With both, the service of that name must have that host.
 */
export function findDeleted(
  existing: readonly Service[],
  { name, host }: { readonly name: string | undefined; readonly host: string | undefined },
): FoundDeletion {
  const fault = host === undefined ? undefined : hostPatternIssue(host);
  if (fault !== undefined) return { path: ["host"], message: fault };
  if (name === undefined) {
    if (host === undefined) {
      return { path: [], message: 'It names no service: write its "name" or its bare "host"' };
    }
    return findByHost(existing, host);
  }
  const service = existing.find((one) => one.name === name);
  if (service === undefined) {
    const near = nearestWord(name, existing.map((one) => one.name));
    const hint = near === undefined ? "GET /discover lists the services" : `write "${near}"`;
    return { path: ["name"], message: `There is no service ${shown(name)}: ${hint}` };
  }
  if (host === undefined || isHostOf(service, host)) return { service };
  const message = `Service "${name}" has the host ${
    shown(service.host)
  }: write that or leave it out`;
  return { path: ["host"], message };
}

function findByHost(existing: readonly Service[], host: string): FoundDeletion {
  const wanted = bareHost(parseHostPattern(host));
  const found = existing.filter((one) => {
    const pattern = findPattern(one.host);
    return pattern !== undefined && bareHost(pattern) === wanted;
  });
  const [service] = found;
  if (service === undefined) {
    return { path: ["host"], message: `There is no service for the host ${shown(wanted)}` };
  }
  if (found.length === 1) return { service };
  const candidates = found.map((one) => ({ name: one.name, host: one.host }));
  const names = candidates.map((one) => `"${one.name}"`).join(", ");
  return {
    path: ["host"],
    message: `Several services have this host: write the "name" of one, ${names}`,
    candidates,
  };
}

function isHostOf(service: Service, host: string): boolean {
  const own = findPattern(service.host);
  const written = parseHostPattern(host);
  return own === undefined
    ? service.host === host
    : patternIdentity(own) === patternIdentity(written) || host.toLowerCase() === bareHost(own);
}

function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
