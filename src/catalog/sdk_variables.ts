import { serviceKeys } from "../model/credential_refs.ts";
import { hostPatternIssue, parseHostPattern } from "../model/host_pattern.ts";
import type { Auth, Service } from "../model/service.ts";
import { CATALOG } from "./catalog.ts";
import type { CatalogEntry, ServiceTemplate } from "./catalog_entry.ts";

/** A variable that an SDK reads, and the credential of the vault that it stands for. */
export interface SdkVariable {
  readonly name: string;
  readonly key: string;
  /** What values of that kind begin with; empty where no SDK looks. */
  readonly prefix: string;
}

/**
 * The variables that the SDKs of these services read. A service belongs to a catalog entry when it is for
 * the same host, whatever its path, port and name; its credentials are those of the entry in the same
 * places. A name that two services claim is the first one's.
 */
export function findSdkVariables(services: readonly Service[]): readonly SdkVariable[] {
  const variables = new Map<string, SdkVariable>();
  for (const service of services) {
    if (hostPatternIssue(service.host) !== undefined) continue;
    const { hostname } = parseHostPattern(service.host);
    for (const entry of CATALOG) {
      for (const template of entry.services) {
        if (!isFor(template, hostname)) continue;
        for (const variable of variablesOf(entry, template, service)) {
          if (!variables.has(variable.name)) variables.set(variable.name, variable);
        }
      }
    }
  }
  return [...variables.values()];
}

/** Whether a host could be the template's with some values of its parameters. */
function isFor(template: ServiceTemplate, hostname: string): boolean {
  const [host = ""] = template.host.split("/", 1);
  const parts = host.split(/(\{\w+\})/).map((part) =>
    part.startsWith("{") ? "[a-z0-9.-]+" : part.replaceAll(".", "\\.")
  );
  return new RegExp(`^${parts.join("")}$`).test(hostname);
}

function variablesOf(
  entry: CatalogEntry,
  template: ServiceTemplate,
  service: Service,
): SdkVariable[] {
  const { auth, substitutions = [] } = template;
  const expected = serviceKeys({ auth, substitutions });
  const actual = serviceKeys(service);
  // Another way to authenticate needs other credentials, unless there is only one on either side.
  const isAlike = shapeOf(auth) === shapeOf(service.auth) && expected.length === actual.length;
  if (!isAlike && (expected.length !== 1 || actual.length !== 1)) return [];
  return entry.environment.flatMap(({ key, names, prefix = "" }) => {
    const own = actual[expected.indexOf(key)];
    return own === undefined ? [] : names.map((name) => ({ name, key: own, prefix }));
  });
}

/** What tells two ways to authenticate apart; custom headers are as many ways as there are names. */
function shapeOf(auth: Auth): string {
  if (auth.type !== "custom") return auth.type;
  return Object.keys(auth.headers).map((name) => name.toLowerCase()).sort().join(" ");
}
