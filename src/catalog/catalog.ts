import { BrokerError } from "../errors.ts";
import { serviceKeys } from "../model/credential_refs.ts";
import { nearestWord } from "../model/nearest_word.ts";
import type { Service } from "../model/service.ts";
import type { CatalogEntry } from "./catalog_entry.ts";
import { DEVELOPMENT_SERVICES } from "./development_services.ts";
import { MODEL_SERVICES } from "./model_services.ts";
import { WORK_SERVICES } from "./work_services.ts";

/** Every entry, sorted by id. */
export const CATALOG: readonly CatalogEntry[] = [
  ...MODEL_SERVICES,
  ...DEVELOPMENT_SERVICES,
  ...WORK_SERVICES,
].sort((a, b) => a.id < b.id ? -1 : 1);

/** Labels of a host name and nothing else: a parameter adds no path, port or wildcard. */
const LABELS = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;

/**
 * The entries that a text finds, whatever its case: the one with that id, else those with the text in
 * id, title, host or credential key; every entry for an empty text.
 */
export function searchCatalog(text: string): readonly CatalogEntry[] {
  const wanted = text.trim().toLowerCase();
  const exact = CATALOG.filter(({ id }) => id === wanted);
  if (exact.length > 0) return exact;
  return CATALOG.filter((entry) =>
    [entry.id, entry.title, ...entry.services.map(({ host }) => host), ...entryKeys(entry)]
      .some((part) => part.toLowerCase().includes(wanted))
  );
}

/**
 * The entry with the id.
 *
 * @throws BrokerError `not_found`, with the id that was most likely meant.
 */
export function getCatalogEntry(id: string): CatalogEntry {
  const entry = CATALOG.find((candidate) => candidate.id === id);
  if (entry !== undefined) return entry;
  const meant = nearestWord(id, CATALOG.map((candidate) => candidate.id));
  throw new BrokerError("not_found", `Find "${id}" in the catalog: there is no such entry`, {
    hint: meant === undefined ? "to see what there is: broker catalog" : `did you mean "${meant}"?`,
  });
}

/** Credential keys that the entry's services refer to, each once, in their order. */
export function entryKeys(entry: CatalogEntry): readonly string[] {
  return [
    ...new Set(entry.services.flatMap((service) => serviceKeys(asService(service, service.host)))),
  ];
}

/**
 * The entry's services with the parameters put into their hosts.
 *
 * @throws BrokerError `validation_failed` with every parameter that is missing, unknown or no part of
 * a host name.
 */
export function fillEntry(
  entry: CatalogEntry,
  values: ReadonlyMap<string, string>,
): readonly Service[] {
  const parameters = entry.parameters ?? [];
  const issues = parameters.flatMap(({ name, summary, example }) => {
    const value = values.get(name);
    if (value !== undefined && LABELS.test(value)) return [];
    const fault = value === undefined ? "It is missing" : `"${value}" is no part of a host name`;
    return [{ path: [name], message: `${fault}: write ${summary}, such as "${example}"` }];
  });
  for (const name of values.keys()) {
    if (parameters.some((parameter) => parameter.name === name)) continue;
    const known = parameters.map((parameter) => parameter.name).join(", ");
    issues.push({
      path: [name],
      message: `There is no such parameter: ${known === "" ? "leave it out" : `write ${known}`}`,
    });
  }
  if (issues.length > 0) {
    const example = parameters.map((p) => ` --set ${p.name}=${p.example}`).join("");
    throw new BrokerError(
      "validation_failed",
      `Check the parameters of "${entry.id}": nothing was changed`,
      { hint: `broker vault service add --from ${entry.id}${example}`, issues },
    );
  }
  return entry.services.map((service) =>
    asService(service, service.host.replace(/\{(\w+)\}/g, (_, name) => values.get(name) ?? ""))
  );
}

function asService(service: CatalogEntry["services"][number], host: string): Service {
  const { name, auth, substitutions = [] } = service;
  return { name, host, enabled: true, auth, substitutions };
}
