import { describeAuth } from "./auth_text.ts";
import { serviceKeys } from "./credential_refs.ts";
import { findNewDestinations } from "./credential_reach.ts";
import { isLocalHost } from "./local_host.ts";
import { covers, findPattern } from "./pattern_order.ts";
import type { CredentialSlot, ProposalContent, ServiceChange } from "./proposal.ts";
import type { Service, Substitution, Surface } from "./service.ts";
import type { PlaintextCredentials } from "./vault.ts";

/** The vault as far as a decision depends on it. */
export interface ReviewedVault {
  readonly services: readonly Service[];
  readonly keys: readonly string[];
  readonly plaintextCredentials: PlaintextCredentials;
}

/** One line of a service, old against new; `undefined` where the service is not there. */
export interface FieldReview {
  readonly field: "host" | "auth" | "substitutions" | "enabled";
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly changed: boolean;
}

/** What a proposal does to one service. */
export interface ServiceReview {
  readonly action: "add" | "replace" | "delete" | "keep";
  readonly name: string;
  readonly before: Service | undefined;
  readonly after: Service | undefined;
  readonly fields: readonly FieldReview[];
}

/** Where the value of a credential comes from. */
export type CredentialSource = "existing" | "person" | "agent";

/** One credential that the proposal binds or stores. */
export interface CredentialReview {
  readonly key: string;
  readonly source: CredentialSource;
  /** True when the vault holds a value under this key that the new one takes the place of. */
  readonly replaces: boolean;
  /** Hosts of every service that will send it, those that the proposal leaves alone included. */
  readonly hosts: readonly string[];
  readonly slot: CredentialSlot | undefined;
}

/** A point that a person has to see before deciding; a danger is in a colour nobody misses. */
export interface ReviewWarning {
  readonly kind:
    | "new_destination"
    | "replaced_value"
    | "readable"
    | "plaintext"
    | "local_network"
    | "wildcard"
    | "switched_on";
  readonly isDanger: boolean;
  readonly service: string | undefined;
  readonly key: string | undefined;
  readonly host: string | undefined;
  readonly message: string;
}

/** All that a person decides about. */
export interface ProposalReview {
  readonly services: readonly ServiceReview[];
  readonly credentials: readonly CredentialReview[];
  /** Dangers first. */
  readonly warnings: readonly ReviewWarning[];
  /** Why it cannot be applied to the vault as it is now; empty when it can. */
  readonly conflicts: readonly string[];
}

/** Lays out what a proposal would do to the vault as it is now (interfaces: HTTP API, approval page). */
export function reviewProposal(content: ProposalContent, vault: ReviewedVault): ProposalReview {
  const after = applyChanges(vault.services, content.services);
  const services = content.services.map((change) => reviewService(change, vault.services));
  const credentials = reviewCredentials(content, { ...vault, after });
  const warnings = [
    ...destinationWarnings(content, vault, after),
    ...replacedValueWarnings(credentials),
    ...services.flatMap((service) => readableWarnings(service, credentials)),
    ...services.flatMap((service) => serviceWarnings(service, vault)),
  ];
  return {
    services,
    credentials,
    warnings: warnings.toSorted((a, b) => Number(b.isDanger) - Number(a.isDanger)),
    conflicts: findConflicts(content, vault),
  };
}

/** The services as they would stand: a replaced one keeps its place, a new one comes last. */
export function applyChanges(
  services: readonly Service[],
  changes: readonly ServiceChange[],
): Service[] {
  const deleted = new Set(changes.flatMap((one) => one.action === "delete" ? [one.name] : []));
  const set = new Map(
    changes.flatMap((one): [string, Service][] =>
      one.action === "set" ? [[one.service.name, one.service]] : []
    ),
  );
  const kept = services.filter(({ name }) => !deleted.has(name));
  const names = new Set(kept.map(({ name }) => name));
  return [
    ...kept.map((service) => set.get(service.name) ?? service),
    ...[...set.values()].filter(({ name }) => !names.has(name)),
  ];
}

/** Where placeholders are replaced, one line each: `__sid__ -> ACCOUNT_SID in path, query`. */
export function describeSubstitutions(substitutions: readonly Substitution[]): string {
  if (substitutions.length === 0) return "none";
  return substitutions.map(({ placeholder, key, in: surfaces }) =>
    `${placeholder} -> ${key} in ${surfaces.join(", ")}`
  ).join("\n");
}

/** Keys that a person has to give a value for. */
export function keysToProvide({ credentials }: ProposalContent): string[] {
  return credentials.filter((slot) => !slot.supplied).map((slot) => slot.key);
}

function reviewService(change: ServiceChange, services: readonly Service[]): ServiceReview {
  const name = change.action === "set" ? change.service.name : change.name;
  const before = services.find((service) => service.name === name);
  const after = change.action === "set" ? change.service : undefined;
  const [old, next] = [before && describe(before), after && describe(after)];
  const fields = FIELDS.map((field): FieldReview => ({
    field,
    before: old?.[field],
    after: next?.[field],
    changed: old?.[field] !== next?.[field],
  }));
  const action = after === undefined
    ? "delete"
    : before === undefined
    ? "add"
    : fields.some((field) => field.changed)
    ? "replace"
    : "keep";
  return { action, name, before, after, fields };
}

const FIELDS = ["host", "auth", "substitutions", "enabled"] as const;

function describe(service: Service): Record<FieldReview["field"], string> {
  return {
    host: service.host,
    auth: describeAuth(service.auth),
    substitutions: describeSubstitutions(service.substitutions),
    enabled: service.enabled ? "yes" : "no",
  };
}

function reviewCredentials(
  content: ProposalContent,
  vault: ReviewedVault & { readonly after: readonly Service[] },
): CredentialReview[] {
  const slots = new Map(content.credentials.map((slot) => [slot.key, slot]));
  const bound = content.services.flatMap((change) =>
    change.action === "set" ? serviceKeys(change.service) : []
  );
  return [...new Set([...bound, ...slots.keys()])].map((key) => {
    const slot = slots.get(key);
    return {
      key,
      source: slot === undefined ? "existing" : slot.supplied ? "agent" : "person",
      replaces: slot !== undefined && vault.keys.includes(key),
      hosts: vault.after.filter((service) => serviceKeys(service).includes(key))
        .map((service) => service.host),
      slot,
    };
  });
}

/** The warning that matters most: a credential of the vault on its way to a host that never had it. */
function destinationWarnings(
  content: ProposalContent,
  vault: ReviewedVault,
  after: readonly Service[],
): ReviewWarning[] {
  const supplied = new Set(
    content.credentials.filter((slot) => slot.supplied).map((slot) => slot.key),
  );
  const changed = new Set(
    content.services.map((one) => one.action === "set" ? one.service.name : one.name),
  );
  return findNewDestinations(vault.services, after)
    // A value of the agent's own takes the existing one's place, which then goes nowhere.
    .filter(({ key }) => vault.keys.includes(key) && !supplied.has(key))
    .map(({ key, service, host }) => ({
      kind: "new_destination",
      isDanger: true,
      service,
      key,
      host,
      message: changed.has(service)
        ? `The existing credential ${key} would be sent to ${host}, where it was not sent before`
        : `The existing credential ${key} would be sent to ${host}, where it was not sent before: ` +
          `service "${service}" takes over what another service answered`,
    }));
}

function replacedValueWarnings(credentials: readonly CredentialReview[]): ReviewWarning[] {
  return credentials.filter(({ replaces }) => replaces).map(({ key, source, hosts }) => ({
    kind: "replaced_value",
    isDanger: true,
    service: undefined,
    key,
    host: undefined,
    message:
      (source === "agent"
        ? `The agent's own value would replace the stored value of ${key}`
        : `A new value would replace the stored value of ${key}`) +
      (hosts.length === 0 ? "" : `, which goes to ${hosts.join(", ")}`),
  }));
}

/** Parts of a request that an upstream keeps and gives back as they came. */
const STORED_SURFACES: ReadonlySet<Surface> = new Set(["body", "websocket"]);

/**
 * A value that the agent may place inside of what it sends can be read back: it posts a note that holds the
 * placeholder and then reads the note. A body makes that easy, so it is a danger there.
 */
function readableWarnings(
  { before, after }: ServiceReview,
  credentials: readonly CredentialReview[],
): ReviewWarning[] {
  if (after === undefined) return [];
  const own = new Set(credentials.filter(({ source }) => source === "agent").map(({ key }) => key));
  const keys = [...new Set(after.substitutions.map(({ key }) => key))].filter((key) =>
    !own.has(key)
  );
  return keys.flatMap((key): ReviewWarning[] => {
    const old = before?.host === after.host ? surfacesOf(before, key) : [];
    const surfaces = surfacesOf(after, key).filter((surface) => !old.includes(surface));
    if (surfaces.length === 0) return [];
    return [{
      kind: "readable",
      isDanger: surfaces.some((surface) => STORED_SURFACES.has(surface)),
      service: after.name,
      key,
      host: after.host,
      message: `The agent could place ${key} in the ${surfaces.join(", ")} of requests to ` +
        `${after.host}, and read it there if the host stores or repeats what it is sent`,
    }];
  });
}

function surfacesOf({ substitutions }: Service, key: string): Surface[] {
  return [...new Set(substitutions.filter((one) => one.key === key).flatMap((one) => one.in))];
}

function serviceWarnings(review: ServiceReview, vault: ReviewedVault): ReviewWarning[] {
  const { before, after } = review;
  if (after === undefined || review.action === "keep") return [];
  const pattern = findPattern(after.host);
  if (pattern === undefined) return [];
  const warnings: ReviewWarning[] = [];
  const warn = (kind: ReviewWarning["kind"], message: string): void => {
    const base = { kind, isDanger: false, service: after.name, key: undefined, host: after.host };
    warnings.push({ ...base, message });
  };
  const keys = serviceKeys(after);
  const covering = vault.services.filter((service) => {
    const own = findPattern(service.host);
    return service.enabled && own !== undefined && covers(own, pattern);
  });
  if (pattern.wildcard && keys.length > 0 && before?.host !== after.host) {
    warn(
      "wildcard",
      `${keys.join(", ")} would go to every host below ${pattern.hostname}: approve it only when ` +
        "all of them belong to one owner",
    );
  }
  const isPlaintextNew = keys.some((key) =>
    !covering.some((service) =>
      findPattern(service.host)!.port !== undefined && serviceKeys(service).includes(key)
    )
  );
  if (
    pattern.port !== undefined && keys.length > 0 && isPlaintextNew &&
    vault.plaintextCredentials === "local"
  ) {
    warn(
      "plaintext",
      `${keys.join(", ")} could travel unencrypted: a service that names its port also takes ` +
        `http://${after.host}`,
    );
  }
  const isGuardOpen = covering.some((service) => !findPattern(service.host)!.wildcard);
  if (!pattern.wildcard && isLocalHost(pattern.hostname) && !isGuardOpen) {
    warn(
      "local_network",
      `${after.host} is on this machine or in its network, which is closed now`,
    );
  }
  if (before !== undefined && !before.enabled && after.enabled) {
    warn("switched_on", `Service "${after.name}" is switched off now and would be switched on`);
  }
  return warnings;
}

/** What changed under the proposal since it was made. */
function findConflicts(content: ProposalContent, vault: ReviewedVault): string[] {
  const names = new Set(vault.services.map(({ name }) => name));
  const known = new Set([...vault.keys, ...content.credentials.map(({ key }) => key)]);
  const gone = content.services.flatMap((change) =>
    change.action === "delete" && !names.has(change.name)
      ? [`The service "${change.name}" that would be deleted is not there any more`]
      : []
  );
  const bound = content.services.flatMap((change) =>
    change.action === "set" ? serviceKeys(change.service) : []
  );
  const missing = [...new Set(bound)].filter((key) => !known.has(key))
    .map((key) => `The credential ${key} is not in the vault any more`);
  return [...gone, ...missing];
}
