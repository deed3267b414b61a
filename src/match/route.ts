import { isPlainPath, pathReadings } from "../model/path_readings.ts";
import type { Service } from "../model/service.ts";
import type { MatchTarget } from "./rule.ts";
import type { Matcher } from "./select.ts";

/** A way to read a path, and the service that it has by it. */
export interface Reading {
  readonly path: string;
  readonly service: Service | undefined;
}

/** What the services say about a request. */
export type RouteResult =
  /** The service may be disabled. */
  | { readonly kind: "match"; readonly service: Service }
  | { readonly kind: "unmatched" }
  /**
   * Upstreams may read the path in ways that have different services, so that neither is certain.
   * `readings` are two that disagree; none when there are too many ways to tell.
   */
  | { readonly kind: "ambiguous"; readonly readings: readonly Reading[] };

/**
 * Finds the service of a request, or refuses to choose: what decides and what the upstream acts on must
 * be the same path. `/api/../admin`, `/api/%2e%2e/admin`, `/api/..;/admin`, `/api%2f..%2fadmin` and
 * their doubly encoded forms never borrow the credential of `/api/*`. Where every reading has the same
 * service, as on a host without path rules, any path is fine.
 */
export function route(matcher: Matcher, target: MatchTarget): RouteResult {
  const { hostname, port } = target;
  const path = target.path === "" ? "/" : target.path;
  // The asterisk-form has no path: only a bare host takes it.
  if (!matcher.dependsOnPath(hostname, port) || isPlainPath(path) || path === "*") {
    return toResult(matcher.select({ hostname, port, path }));
  }
  const readings = path.startsWith("/") ? pathReadings(path) : undefined;
  if (readings === undefined) return { kind: "ambiguous", readings: [] };
  let first: Reading | undefined;
  for (const reading of readings) {
    const service = matcher.select({ hostname, port, path: reading });
    first ??= { path: reading, service };
    if (service !== first.service) {
      return { kind: "ambiguous", readings: [first, { path: reading, service }] };
    }
  }
  return toResult(first?.service);
}

function toResult(service: Service | undefined): RouteResult {
  return service === undefined ? { kind: "unmatched" } : { kind: "match", service };
}
