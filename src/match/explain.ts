import { bareHost } from "../model/host_pattern.ts";
import type { Service } from "../model/service.ts";
import { compilePathGlob } from "./path_glob.ts";
import type { CompiledRule, MatchTarget, UnusableService } from "./rule.ts";

/** The rule of the spec's priority list that decided between two matching services. */
export type Priority = "host tier" | "port" | "path prefix" | "declaration order";

/** The part of a pattern that keeps a service from matching; `pattern` when it cannot be read at all. */
export type Mismatch = "host" | "port" | "path" | "pattern";

/** How one service fared, with a sentence that says why. */
export type Outcome =
  | { readonly kind: "wins"; readonly reason: string }
  | {
    readonly kind: "loses";
    readonly to: Service;
    readonly by: Priority;
    readonly reason: string;
  }
  | { readonly kind: "does not match"; readonly by: Mismatch; readonly reason: string };

/** One service in the ranking. */
export interface Candidate {
  readonly service: Service;
  readonly outcome: Outcome;
}

/** Why a target has the service that it has. */
export interface Explanation {
  /** May be disabled; then the request is answered `service_disabled`. */
  readonly winner: Service | undefined;
  /** The winner, then those that match by rank, then those that do not match in declaration order. */
  readonly candidates: readonly Candidate[];
}

/** Ranks services rule by rule, for a person; {@link Matcher.select} finds the same winner by index. */
export function explainSelection(
  target: MatchTarget,
  services: { rules: readonly CompiledRule[]; unusable: readonly UnusableService[] },
): Explanation {
  const matching: CompiledRule[] = [];
  const others: { order: number; candidate: Candidate }[] = [];
  for (const rule of services.rules) {
    const outcome = findMismatch(rule, target);
    if (outcome === undefined) matching.push(rule);
    else others.push({ order: rule.order, candidate: { service: rule.service, outcome } });
  }
  matching.sort((a, b) => compare(a, b).difference);
  const [first, ...rest] = matching;
  const winner = first?.service;
  const ranked: Candidate[] = first === undefined ? [] : [
    { service: first.service, outcome: { kind: "wins", reason: victory(first, rest[0]) } },
    ...rest.map((rule): Candidate => {
      const { by, reason } = compare(rule, first);
      return { service: rule.service, outcome: { kind: "loses", to: first.service, by, reason } };
    }),
  ];
  const unusable = services.unusable.map(({ service, message }): Candidate => ({
    service,
    outcome: { kind: "does not match", by: "pattern", reason: message },
  }));
  return {
    winner,
    candidates: [...ranked, ...others.map(({ candidate }) => candidate), ...unusable],
  };
}

/** Negative when `a` goes before `b`; the reason is told from the side of `a` as the loser. */
function compare(
  a: CompiledRule,
  b: CompiledRule,
): { difference: number; by: Priority; reason: string } {
  const tier = Number(a.pattern.wildcard) - Number(b.pattern.wildcard);
  if (tier !== 0) {
    return { difference: tier, by: "host tier", reason: "An exact host beats a wildcard" };
  }
  const port = Number(b.pattern.port !== undefined) - Number(a.pattern.port !== undefined);
  if (port !== 0) {
    const named = a.pattern.port ?? b.pattern.port;
    const reason = `A rule for port ${named} beats a rule for any port`;
    return { difference: port, by: "port", reason };
  }
  const [prefixA, prefixB] = [a.glob?.prefix ?? "", b.glob?.prefix ?? ""];
  const prefix = prefixB.length - prefixA.length;
  if (prefix !== 0) {
    const reason = `The literal path prefix ${shownPrefix(prefixA)} is shorter than ` +
      shownPrefix(prefixB);
    return { difference: prefix, by: "path prefix", reason };
  }
  const reason = `It ties with "${b.service.name}", which is declared earlier`;
  return { difference: a.order - b.order, by: "declaration order", reason };
}

function victory(winner: CompiledRule, second: CompiledRule | undefined): string {
  if (second === undefined) return "It is the only service that matches";
  const { by } = compare(second, winner);
  return `It goes before "${second.service.name}" by ${by}`;
}

function shownPrefix(prefix: string): string {
  return prefix === "" ? "of a bare host (0 characters)" : `"${prefix}" (${prefix.length})`;
}

function findMismatch(rule: CompiledRule, target: MatchTarget): Outcome | undefined {
  const { pattern } = rule;
  const mismatch = (by: Mismatch, reason: string): Outcome => ({
    kind: "does not match",
    by,
    reason,
  });
  if (!matchesHost(rule, target.hostname)) return mismatch("host", hostReason(rule, target));
  if (pattern.port !== undefined && pattern.port !== target.port) {
    return mismatch("port", `It takes port ${pattern.port} only, not ${target.port}`);
  }
  if (pattern.path !== undefined && !compilePathGlob(pattern.path)(target.path)) {
    return mismatch("path", `The path ${quoted(target.path)} does not match "${pattern.path}"`);
  }
  return undefined;
}

function matchesHost({ pattern }: CompiledRule, hostname: string): boolean {
  if (!pattern.wildcard) return hostname === pattern.hostname;
  const label = hostname.slice(0, -pattern.hostname.length - 1);
  return hostname.endsWith(`.${pattern.hostname}`) && label !== "" && !label.includes(".");
}

function hostReason({ pattern }: CompiledRule, { hostname }: MatchTarget): string {
  const host = bareHost(pattern);
  const isNear = pattern.wildcard &&
    (hostname === pattern.hostname || hostname.endsWith(`.${pattern.hostname}`));
  if (isNear) return `In "${host}" the "*" stands for exactly one label before the domain`;
  return `The host ${quoted(hostname)} is not "${host}"`;
}

/** Paths come from outside: control characters are escaped, and long ones cut. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}
