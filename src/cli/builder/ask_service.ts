import { entryKeys, fillEntry, searchCatalog } from "../../catalog/catalog.ts";
import type { CatalogEntry, CatalogParameter } from "../../catalog/catalog_entry.ts";
import { BrokerError } from "../../errors.ts";
import { hostPatternIssue } from "../../model/host_pattern.ts";
import { renameKeys } from "../../model/key_renaming.ts";
import { Secret } from "../../model/secret.ts";
import type { Service } from "../../model/service.ts";
import { serviceNameIssue, slugFromHost } from "../../model/service_name.ts";
import type { Choice } from "../prompt.ts";
import { askAuth } from "./ask_auth.ts";
import { askCredential } from "./ask_credential.ts";
import { askSubstitutions } from "./ask_substitutions.ts";
import { type Desk, hasCredential, INSTEAD, type NamesInUse } from "./desk.ts";

/** Where a new service starts: from the catalog, or from a host, which may still have to be typed. */
type Start =
  | { readonly kind: "entry"; readonly entry: CatalogEntry }
  | { readonly kind: "host"; readonly host: string | undefined };

/** The services that a person wants to add: one, or all of a catalog entry. */
export async function askServices(desk: Desk, names: NamesInUse): Promise<Service[]> {
  const start = await desk.prompts.search<Start>(
    { message: "Which service? Type part of its name, or a host:", instead: INSTEAD },
    findStarts,
  );
  return start.kind === "entry"
    ? await askFromCatalog(desk, names, start.entry)
    : [await askFromHost(desk, names, start.host)];
}

/** A host pattern. */
export async function askHost(desk: Desk, current?: string): Promise<string> {
  return await desk.prompts.text({
    message: "Host",
    instead: INSTEAD,
    ...(current === undefined ? {} : { suggestion: current }),
    check: hostPatternIssue,
    preview: (text) => `takes ${describeReach(text)}`,
  });
}

/** A name for the service; one of a service that it would replace has to be agreed to. */
export async function askName(
  desk: Desk,
  { beside, replaceable }: NamesInUse,
  suggestion: string,
): Promise<string> {
  while (true) {
    const name = await desk.prompts.text({
      message: "Name",
      instead: INSTEAD,
      suggestion,
      check: (text) => serviceNameIssue(text) ?? taken(text, beside),
    });
    const replaced = replaceable.find((service) => service.name === name);
    if (replaced === undefined) return name;
    const message = `There is a service "${name}" (${replaced.host}). Replace it?`;
    if (await desk.prompts.confirm({ message, instead: INSTEAD })) return name;
  }
}

function taken(name: string, beside: readonly Service[]): string | undefined {
  const same = beside.find((service) => service.name === name);
  return same === undefined
    ? undefined
    : `"${name}" is already the name of the service for ${same.host}: write another`;
}

function findStarts(typed: string): readonly Choice<Start>[] {
  const text = typed.trim();
  const entries = searchCatalog(text).map((entry): Choice<Start> => ({
    name: entry.title,
    value: { kind: "entry", entry },
    description: entry.services.map(({ host }) => host).join(", "),
  }));
  // One word is more likely the start of a name than a host; it can still be typed in the next question.
  const pattern = /[.:]/.test(text) ? withoutScheme(text) : "";
  const host: Choice<Start> = hostPatternIssue(pattern) === undefined
    ? {
      name: pattern,
      value: { kind: "host", host: pattern },
      description: "a host, without the catalog",
    }
    : {
      name: "another host",
      value: { kind: "host", host: undefined },
      description: "not in the catalog: name its host next",
    };
  return text === "" ? [host, ...entries] : [...entries, host];
}

/** What is left of a URL that was pasted where a host is asked for. */
function withoutScheme(text: string): string {
  return text.replace(/^https?:\/\//i, "").replace(/\/$/, "");
}

async function askFromHost(
  desk: Desk,
  names: NamesInUse,
  typed: string | undefined,
): Promise<Service> {
  const host = typed ?? await askHost(desk);
  const name = await askName(desk, names, freeName(host, names));
  const auth = await askAuth(desk, host);
  const substitutions = await askSubstitutions(desk, host);
  return { name, host, enabled: true, auth, substitutions };
}

function freeName(host: string, { beside, replaceable }: NamesInUse): string {
  return slugFromHost(host, new Set([...beside, ...replaceable].map(({ name }) => name)));
}

async function askFromCatalog(
  desk: Desk,
  names: NamesInUse,
  entry: CatalogEntry,
): Promise<Service[]> {
  const parameters = new Map<string, string>();
  for (const parameter of entry.parameters ?? []) {
    parameters.set(parameter.name, await askParameter(desk, entry, parameter));
  }
  const keys = await askKeys(desk, entry);
  const added: Service[] = [];
  for (const service of fillEntry(entry, parameters)) {
    const isFree = [...names.beside, ...names.replaceable].every(({ name }) =>
      name !== service.name
    );
    // The catalog's own name needs no question as long as it is free.
    const name = isFree ? service.name : await askName(
      desk,
      names,
      names.beside.some(({ name }) => name === service.name)
        ? freeName(service.name, names)
        : service.name,
    );
    added.push({ ...renameKeys(service, keys), name });
  }
  return added;
}

async function askParameter(
  desk: Desk,
  entry: CatalogEntry,
  { name, summary, example }: CatalogParameter,
): Promise<string> {
  return await desk.prompts.text({
    message: `${name}: ${summary}, such as "${example}"`,
    instead: INSTEAD,
    check: (text) => parameterFault(entry, name, text),
  });
}

function parameterFault(entry: CatalogEntry, name: string, text: string): string | undefined {
  const others = (entry.parameters ?? []).map((one): [string, string] => [one.name, one.example]);
  try {
    fillEntry(entry, new Map([...others, [name, text]]));
    return undefined;
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    return error.issues[0]?.message ?? error.message;
  }
}

/** For each key of the entry the credential that the person wants there. */
async function askKeys(desk: Desk, entry: CatalogEntry): Promise<ReadonlyMap<string, string>> {
  const renamed = new Map<string, string>();
  const constants = entry.constants ?? {};
  const secrets = entryKeys(entry).filter((key) => !Object.hasOwn(constants, key));
  if (secrets.some((key) => !hasCredential(desk, key))) {
    desk.show(`${entry.obtain.text}\n${entry.obtain.url}`);
  }
  for (const key of secrets) {
    renamed.set(key, await askCredential(desk, { message: key, suggestion: key }));
  }
  for (const [key, value] of Object.entries(constants)) {
    if (!hasCredential(desk, key)) desk.values.set(key, new Secret(value));
  }
  return renamed;
}

/** Which requests a host pattern takes, in words. */
function describeReach(pattern: string): string {
  const slash = pattern.indexOf("/");
  const authority = slash === -1 ? pattern : pattern.slice(0, slash);
  const host = authority.startsWith("*.")
    ? `every host with one label before ${authority.slice(1)}`
    : authority;
  const port = /:\d+$/.test(authority) ? "" : ", any port";
  return `${host}${port}, ${slash === -1 ? "any path" : `paths like ${pattern.slice(slash)}`}`;
}
