import type { Authority } from "../http1/request_target.ts";
import { route } from "../match/route.ts";
import type { VaultSnapshot } from "../model/vault_snapshot.ts";
import { type CompiledService, compiledVault } from "./compiled_vault.ts";
import { proposalHint, RefusalError } from "./refusal.ts";

/** What the vault says about one request: broker it by a service, or let it pass untouched. */
export interface Route {
  /** `undefined` when no service matches and the vault lets such requests pass. */
  readonly service: CompiledService | undefined;
  /** The service names the host exactly, so that its address may be a guarded one. */
  readonly exactHost: boolean;
}

/**
 * Finds the service that takes a request (spec: Matching rules, Errors).
 *
 * @param path The raw path of the target, without the query.
 * @throws {RefusalError} `no_services`, `forbidden`, `service_disabled`, `bad_request` for a path that
 * can be read two ways.
 */
export function routeRequest(
  vault: VaultSnapshot,
  authority: Authority,
  path: string,
): Route {
  const { hostname, port } = authority;
  if (vault.cleared) {
    throw new RefusalError({
      code: "no_services",
      message: "All services of this vault were cleared and none has been configured since",
      extras: proposalHint(hostname),
    });
  }
  const compiled = compiledVault(vault);
  const found = route(compiled.matcher, { hostname, port, path });
  switch (found.kind) {
    case "ambiguous":
      throw new RefusalError({
        code: "bad_request",
        message:
          "The path can be read in two ways that different rules apply to: send it without " +
          "dot segments, doubled or encoded slashes",
      });
    case "unmatched":
      if (vault.settings.unmatchedHostPolicy === "deny") throw denied(hostname);
      return { service: undefined, exactHost: compiled.matcher.hasExactHost(hostname, port) };
    case "match":
      if (!found.service.enabled) {
        throw new RefusalError({
          code: "service_disabled",
          message: `The service "${found.service.name}" is disabled`,
          extras: { service: found.service.name },
        });
      }
      return {
        service: compiled.service(found.service),
        exactHost: compiled.matcher.hasExactHost(hostname, port),
      };
  }
}

function denied(hostname: string): RefusalError {
  return new RefusalError({
    code: "forbidden",
    message: `No service of this vault matches "${hostname}", and the vault denies unmatched hosts`,
    extras: proposalHint(hostname),
  });
}
