import type { MatchTarget } from "../../src/match/rule.ts";
import type { Service } from "../../src/model/service.ts";

/** A passthrough service with this pattern, named after it. */
export function serviceOf(host: string, options: { enabled?: boolean } = {}): Service {
  return {
    name: host,
    host,
    enabled: options.enabled ?? true,
    auth: { type: "passthrough" },
    substitutions: [],
  };
}

/** The target of `host[:port]/path`; port 443 when none is written. */
export function targetOf(text: string): MatchTarget {
  const slash = text.indexOf("/");
  const authority = slash === -1 ? text : text.slice(0, slash);
  const [, hostname, port] = /^(.*?)(?::([0-9]+))?$/.exec(authority)!;
  return {
    hostname: hostname!.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port ?? 443),
    path: slash === -1 ? "/" : text.slice(slash),
  };
}
