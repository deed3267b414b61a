import { serviceKeys } from "./credential_refs.ts";
import type { HostPattern } from "./host_pattern.ts";
import { covers, findPattern, mayOverlap, outranks } from "./pattern_order.ts";
import type { Service } from "./service.ts";

/** A credential that would go somewhere it was not sent before. */
export interface NewDestination {
  readonly key: string;
  /** The service that would send it. */
  readonly service: string;
  /** The requests that would carry it: the service's pattern, or the part of it that is new. */
  readonly host: string;
}

/** A service as matching sees it. */
interface Rule {
  readonly service: Service;
  readonly pattern: HostPattern;
  readonly order: number;
  readonly keys: readonly string[];
}

/**
 * Finds the credentials that some request would carry under `after` and would not have carried under
 * `before`, by key and service. Heeds which service wins a request: a narrower service in front of a
 * wildcard keeps a credential from a host, so taking it away sends the credential there.
 *
 * Where paths with several stars meet it may name a destination that is none; it never leaves one out.
 */
export function findNewDestinations(
  before: readonly Service[],
  after: readonly Service[],
): NewDestination[] {
  const old = toRules(before);
  const next = toRules(after);
  const oldByName = new Map(old.map((rule) => [rule.service.name, rule]));
  const nextByName = new Map(next.map((rule) => [rule.service.name, rule]));
  const isKept = (rule: Rule): boolean => isSameRule(rule, nextByName.get(rule.service.name));
  const changed = old.filter((rule) => !isKept(rule));
  return next.flatMap((rule) => {
    const was = oldByName.get(rule.service.name);
    const isSame = isSameRule(rule, was);
    // A service that stays as it is can only gain where one in front of it changes.
    const rivals = isSame ? changed : old;
    if (isSame && !rivals.some((rival) => mayOverlap(rival.pattern, rule.pattern))) return [];
    return rule.keys.flatMap((key): NewDestination[] => {
      const host = findNewPart(rule, key, { old, rivals, next });
      return host === undefined ? [] : [{ key, service: rule.service.name, host }];
    });
  });
}

/** The pattern of requests that are new to a key in this service, or `undefined`. */
function findNewPart(rule: Rule, key: string, context: {
  readonly old: readonly Rule[];
  readonly rivals: readonly Rule[];
  readonly next: readonly Rule[];
}): string | undefined {
  const { old, rivals, next } = context;
  const sends = (one: Rule): boolean =>
    one.keys.includes(key) && (one.service.enabled || !rule.service.enabled);
  let exposed: string | undefined;
  for (const cover of old) {
    if (!sends(cover) || !covers(cover.pattern, rule.pattern)) continue;
    const gap = rivals.find((rival) =>
      !sends(rival) && outranks(rival, cover) && mayOverlap(rival.pattern, rule.pattern) &&
      // Whoever takes all of the rival's requests in front of this service keeps them from it.
      !next.some((one) => outranks(one, rule) && covers(one.pattern, rival.pattern))
    );
    if (gap === undefined) return undefined;
    exposed ??= narrower(gap.pattern, rule.pattern).source;
  }
  return exposed ?? rule.pattern.source;
}

function narrower(one: HostPattern, other: HostPattern): HostPattern {
  return covers(one, other) ? other : one;
}

function toRules(services: readonly Service[]): Rule[] {
  return services.flatMap((service, order) => {
    const pattern = findPattern(service.host);
    return pattern === undefined ? [] : [{ service, pattern, order, keys: serviceKeys(service) }];
  });
}

/** Same requests and same credentials; how they are put into the request does not matter here. */
function isSameRule(one: Rule, other: Rule | undefined): boolean {
  return other !== undefined && one.service.host === other.service.host &&
    one.service.enabled === other.service.enabled && one.keys.length === other.keys.length &&
    one.keys.every((key) => other.keys.includes(key));
}
