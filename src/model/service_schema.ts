import * as z from "zod";
import { BrokerError, type Issue } from "../errors.ts";
import { authFields, authSchema } from "./auth_schema.ts";
import { hostPatternIssue, parseHostPattern, patternIdentity } from "./host_pattern.ts";
import { type KnownFields, toIssues, unknownFieldMessage } from "./schema_issues.ts";
import type { Auth, Service, Substitution } from "./service.ts";
import { serviceNameIssue, slugFromHost } from "./service_name.ts";
import { SUBSTITUTION_FIELDS, substitutionsSchema } from "./substitution_schema.ts";

/** What the services of a document are checked against. */
export interface ParseServicesOptions {
  /** The vault's services, whose names nameless ones may take over (spec: Service, rules for `name`). */
  readonly existing?: readonly Service[];
}

const SERVICE_FIELDS: KnownFields = {
  owner: "a service",
  fields: ["name", "host", "auth", "substitutions", "enabled"],
  foreign: new Map([
    ["port", 'host ("api.example.com:8443")'],
    ["path", 'host ("api.example.com/v1/*")'],
    ["type", "auth"],
    ["token", "auth"],
    ["username", "auth"],
    ["password", "auth"],
    ["key", "auth"],
    ["header", "auth"],
    ["headers", "auth"],
    ["prefix", "auth"],
  ]),
};

const DOCUMENT_FIELDS: KnownFields = { owner: "a services document", fields: ["services"] };

/** A service as it is written; its name may still be missing. */
interface WrittenService {
  readonly name?: string | undefined;
  readonly host: string;
  readonly enabled: boolean;
  readonly auth: Auth;
  readonly substitutions: readonly Substitution[];
}

const serviceSchema: z.ZodType<WrittenService> = z.strictObject({
  name: z.string('It must be text, such as "github-api"')
    .superRefine((name, context) => addIssue(context, serviceNameIssue(name))).optional(),
  host: z.string({
    error: (issue) =>
      issue.input === undefined
        ? 'It is missing: write a host such as "api.example.com"'
        : 'It must be text: a host such as "api.example.com"',
  }).superRefine((host, context) => addIssue(context, hostPatternIssue(host))),
  auth: authSchema,
  substitutions: substitutionsSchema.default([]),
  enabled: z.boolean("It must be true or false").default(true),
}, "It must be a map with name, host and auth");

/**
 * Reads services from a document `{services: [...]}` or a bare list, in order.
 *
 * A service without a name takes over the name of the one existing service with the same host, port and
 * path; `enabled` defaults to true.
 *
 * @throws BrokerError `validation_failed` with every fault of the document, each with its path.
 */
export function parseServices(input: unknown, options: ParseServicesOptions = {}): Service[] {
  const issues: Issue[] = [];
  const { entries, path } = readDocument(input, issues);
  const written = entries.map((entry, index) => readEntry(entry, [...path, index], issues));
  const adopt = nameAdopter(options.existing ?? []);
  const named = written.map((service, index) => {
    const at = { adopt, path: [...path, index], issues };
    if (service !== undefined) return withName(service, at);
    findMissingName(entries[index], at);
    return undefined;
  });
  findRepeatedNames(entries, named, { path, issues });
  if (issues.length === 0) return named.filter((service) => service !== undefined);
  throw new BrokerError("validation_failed", `Check the services: ${faults(issues)}`, {
    hint: "mend every place that is named and try again; nothing was changed",
    issues: issues.toSorted((a, b) => positionOf(a, path) - positionOf(b, path)),
  });
}

function readDocument(
  input: unknown,
  issues: Issue[],
): { entries: readonly unknown[]; path: readonly string[] } {
  if (Array.isArray(input)) return { entries: input, path: [] };
  if (!isObject(input)) {
    issues.push({ path: [], message: 'It must be a map with "services", or a list of services' });
    return { entries: [], path: [] };
  }
  for (const field of Object.keys(input)) {
    if (field === "services") continue;
    issues.push({ path: [field], message: unknownFieldMessage(field, DOCUMENT_FIELDS) });
  }
  const services = input["services"];
  if (Array.isArray(services)) return { entries: services, path: ["services"] };
  const message = services === undefined
    ? 'It is missing: write "services" with a list'
    : 'It must be a list of services; write "services: []" for none';
  issues.push({ path: ["services"], message });
  return { entries: [], path: ["services"] };
}

function readEntry(
  entry: unknown,
  path: readonly (string | number)[],
  issues: Issue[],
): WrittenService | undefined {
  const result = serviceSchema.safeParse(entry);
  if (result.success) return result.data;
  for (const issue of toIssues(result.error, (at) => fieldsAt(entry, at))) {
    issues.push({ path: [...path, ...issue.path], message: issue.message });
  }
  return undefined;
}

function fieldsAt(entry: unknown, path: readonly (string | number)[]): KnownFields {
  if (path[0] === "auth") return authFields(isObject(entry) ? entry["auth"] : undefined);
  return path[0] === "substitutions" ? SUBSTITUTION_FIELDS : SERVICE_FIELDS;
}

/** The name that a service takes over, or why there is none. */
type Adopt = (host: string) => { readonly name: string } | { readonly message: string };

function withName(
  service: WrittenService,
  at: { adopt: Adopt; path: readonly (string | number)[]; issues: Issue[] },
): Service | undefined {
  const { name, ...rest } = service;
  if (name !== undefined) return { name, ...rest };
  const adopted = at.adopt(service.host);
  if ("name" in adopted) return { name: adopted.name, ...rest };
  at.issues.push({ path: [...at.path, "name"], message: adopted.message });
  return undefined;
}

/** Looks for the name of an entry that other faults kept from being read, so that all are told at once. */
function findMissingName(
  entry: unknown,
  at: { adopt: Adopt; path: readonly (string | number)[]; issues: Issue[] },
): void {
  if (!isObject(entry) || entry["name"] !== undefined) return;
  const { host } = entry;
  if (typeof host !== "string" || hostPatternIssue(host) !== undefined) return;
  const adopted = at.adopt(host);
  if ("message" in adopted) {
    at.issues.push({ path: [...at.path, "name"], message: adopted.message });
  }
}

function nameAdopter(existing: readonly Service[]): Adopt {
  let namesByPattern: Map<string, string[]> | undefined;
  return (host) => {
    namesByPattern ??= groupNames(existing);
    const names = namesByPattern.get(patternIdentity(parseHostPattern(host))) ?? [];
    if (names.length === 1) return { name: names[0]! };
    if (names.length === 0) {
      const free = slugFromHost(host, new Set(existing.map(({ name }) => name)));
      return { message: `It is missing: a new service needs one, such as "${free}"` };
    }
    const list = names.map((name) => `"${name}"`).join(", ");
    return { message: `It is missing, and several services have this host: write one of ${list}` };
  };
}

function groupNames(existing: readonly Service[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { host, name } of existing) {
    // A stored host may be older than today's grammar; then nothing that is written can equal it.
    if (hostPatternIssue(host) !== undefined) continue;
    const identity = patternIdentity(parseHostPattern(host));
    groups.set(identity, [...groups.get(identity) ?? [], name]);
  }
  return groups;
}

/** Names are compared even where other faults kept an entry from being read. */
function findRepeatedNames(
  entries: readonly unknown[],
  named: readonly (Service | undefined)[],
  at: { path: readonly string[]; issues: Issue[] },
): void {
  const first = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const written = isObject(entry) ? entry["name"] : undefined;
    const name = named[index]?.name ?? written;
    if (typeof name !== "string") continue;
    const earlier = first.get(name);
    if (earlier === undefined) {
      first.set(name, index);
      continue;
    }
    const message = `"${name}" is already the name of service ${earlier + 1}: write another`;
    at.issues.push({ path: [...at.path, index, "name"], message });
  }
}

/** Faults in the order of the document's entries, those of the document itself first. */
function positionOf(issue: Issue, path: readonly string[]): number {
  const index = issue.path[path.length];
  return typeof index === "number" ? index : -1;
}

function faults(issues: readonly Issue[]): string {
  return issues.length === 1 ? "1 fault" : `${issues.length} faults`;
}

function addIssue(context: z.RefinementCtx, message: string | undefined): void {
  if (message !== undefined) context.addIssue({ code: "custom", message });
}

function isObject(input: unknown): input is Record<string, unknown> {
  return typeof input === "object" && input !== null && !Array.isArray(input);
}
