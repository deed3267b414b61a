import { BrokerError } from "../errors.ts";
import { type HostPattern, parseHostPattern } from "../model/host_pattern.ts";
import type { Service } from "../model/service.ts";
import { explainSelection, type Explanation } from "./explain.ts";
import { parsePathGlob } from "./path_glob.ts";
import { PathRules } from "./path_rules.ts";
import type { CompiledRule, MatchTarget, UnusableService } from "./rule.ts";

/** The rules of one exact host or of one wildcard's domain. */
interface HostRules {
  readonly anyPort: PathRules<CompiledRule>;
  readonly byPort: Map<number, PathRules<CompiledRule>>;
  isEmptyForAnyPort: boolean;
  /** True when an enabled service stands among the rules for any port. */
  enabledForAnyPort: boolean;
  readonly enabledPorts: Set<number>;
}

/**
 * Makes services ready for matching. Disabled services take part, so that a request which is theirs is
 * answered `service_disabled` and does not fall to the next rule.
 */
export function compileServices(services: readonly Service[]): Matcher {
  return new Matcher(services);
}

/** Finds the service of a request in time that does not grow with the number of services. */
export class Matcher {
  readonly #rules: CompiledRule[] = [];
  readonly #exact = new Map<string, HostRules>();
  /** By what stands after `*.`. */
  readonly #wildcard = new Map<string, HostRules>();
  readonly #unusable: UnusableService[] = [];

  constructor(services: readonly Service[]) {
    for (const [order, service] of services.entries()) this.#add(service, order);
  }

  /** Services that can match nothing, because their stored pattern cannot be read. */
  get unusable(): readonly UnusableService[] {
    return this.#unusable;
  }

  /** The service that wins (spec: Matching rules, 4): host tier, port, longest literal prefix, order. */
  select({ hostname, port, path }: MatchTarget): Service | undefined {
    return (selectInHost(this.#exact.get(hostname), port, path) ??
      selectInHost(this.#wildcardRules(hostname), port, path))?.service;
  }

  /** True when some path on this host and port has a service, be it a disabled one. */
  couldMatchHost(hostname: string, port: number): boolean {
    return hasRules(this.#exact.get(hostname), port) ||
      hasRules(this.#wildcardRules(hostname), port);
  }

  /** True when an enabled service names exactly this host, and this port or none. */
  hasExactHost(hostname: string, port: number): boolean {
    const rules = this.#exact.get(hostname);
    return rules !== undefined && (rules.enabledForAnyPort || rules.enabledPorts.has(port));
  }

  /** True when two paths on this host and port may have different services. */
  dependsOnPath(hostname: string, port: number): boolean {
    return hasGlobs(this.#exact.get(hostname), port) ||
      hasGlobs(this.#wildcardRules(hostname), port);
  }

  /** The ranking of all services for a target, with the rule that each one loses by. */
  explain(target: MatchTarget): Explanation {
    return explainSelection(target, { rules: this.#rules, unusable: this.#unusable });
  }

  #add(service: Service, order: number): void {
    let pattern: HostPattern;
    try {
      pattern = parseHostPattern(service.host);
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
      this.#unusable.push({ service, message: error.message });
      return;
    }
    const glob = pattern.path === undefined ? undefined : parsePathGlob(pattern.path);
    const rule = { service, pattern, glob, order };
    this.#rules.push(rule);
    const { hostname, port, wildcard } = pattern;
    const host = getOrCreate(wildcard ? this.#wildcard : this.#exact, hostname, createHostRules);
    if (port === undefined) {
      host.anyPort.add(rule);
      host.isEmptyForAnyPort = false;
      host.enabledForAnyPort ||= service.enabled;
    } else {
      getOrCreate(host.byPort, port, () => new PathRules<CompiledRule>()).add(rule);
      if (service.enabled) host.enabledPorts.add(port);
    }
  }

  /** `*` stands for exactly one label, so the domain is what follows the first dot. */
  #wildcardRules(hostname: string): HostRules | undefined {
    if (this.#wildcard.size === 0) return undefined;
    const dot = hostname.indexOf(".");
    return dot < 1 ? undefined : this.#wildcard.get(hostname.slice(dot + 1));
  }
}

function selectInHost(
  rules: HostRules | undefined,
  port: number,
  path: string,
): CompiledRule | undefined {
  if (rules === undefined) return undefined;
  return rules.byPort.get(port)?.select(path) ?? rules.anyPort.select(path);
}

function hasRules(rules: HostRules | undefined, port: number): boolean {
  return rules !== undefined && (!rules.isEmptyForAnyPort || rules.byPort.has(port));
}

function hasGlobs(rules: HostRules | undefined, port: number): boolean {
  return rules !== undefined &&
    (rules.anyPort.dependOnPath || rules.byPort.get(port)?.dependOnPath === true);
}

function createHostRules(): HostRules {
  return {
    anyPort: new PathRules(),
    byPort: new Map(),
    isEmptyForAnyPort: true,
    enabledForAnyPort: false,
    enabledPorts: new Set(),
  };
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}
