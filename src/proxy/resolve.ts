import { BrokerError } from "../errors.ts";
import { parseAddress } from "./address_guard.ts";
import type { Resolver } from "./ports.ts";

/**
 * Reads fixed answers for names, `NAME=ADDRESS` separated by commas, as curl's `--resolve` gives them;
 * a name may stand several times. They replace the system's answers, the guard still applies.
 *
 * @throws {BrokerError} `validation_failed` with every fault of the list.
 */
export function parseFixedNames(text: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  const faults: string[] = [];
  for (const entry of text.split(",").map((part) => part.trim()).filter((part) => part !== "")) {
    const [name = "", address = "", ...rest] = entry.split("=");
    if (name === "" || rest.length > 0 || parseAddress(address) === undefined) {
      faults.push(`"${entry}"`);
      continue;
    }
    const key = name.toLowerCase();
    names.set(key, [...(names.get(key) ?? []), address]);
  }
  if (faults.length > 0) {
    throw new BrokerError(
      "validation_failed",
      `BROKER_RESOLVE has entries that are not NAME=ADDRESS: ${faults.join(", ")}`,
      { hint: "BROKER_RESOLVE=api.example.com=127.0.0.1,other.example.com=::1" },
    );
  }
  return names;
}

/** A resolver that knows some names itself and asks the system for all others. */
export function createResolver(
  fixed: ReadonlyMap<string, readonly string[]>,
  system: Resolver,
): Resolver {
  return async (hostname) => fixed.get(hostname) ?? await system(hostname);
}
