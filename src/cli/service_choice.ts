import { BrokerError } from "../errors.ts";
import type { Service } from "../model/service.ts";
import type { Store } from "../store/store.ts";

/**
 * The service that a name or a bare host means.
 *
 * @throws {BrokerError} `not_found`, or `ambiguous_host` with `candidates` and, as `commands`, what to
 * type for each of them.
 */
export function resolveService(
  store: Store,
  vault: string,
  { nameOrHost, command }: { readonly nameOrHost: string; readonly command: string },
): Service {
  try {
    return store.services.resolve(vault, nameOrHost);
  } catch (error) {
    if (!(error instanceof BrokerError) || error.code !== "ambiguous_host") throw error;
    const candidates = error.details["candidates"] as readonly { name: string; host: string }[];
    throw new BrokerError("ambiguous_host", error.message, {
      hint: "name one of them:",
      details: {
        candidates,
        commands: candidates.map(({ name, host }) => `${command} ${name}   # ${host}`),
      },
      cause: error,
    });
  }
}
