import * as z from "zod";
import { BrokerError, type Issue } from "../errors.ts";
import { credentialKeySchema } from "./auth_schema.ts";
import { checkCredentialValue } from "./credential_value.ts";
import { hasIssueAt, keyPlaces } from "./key_places.ts";
import {
  type CredentialSlot,
  PROPOSAL_CREDENTIALS_MAX,
  PROPOSAL_SERVICES_MAX,
  type ProposalDraft,
  type ServiceChange,
} from "./proposal.ts";
import { type KnownFields, toIssues } from "./schema_issues.ts";
import { Secret } from "./secret.ts";
import type { Service } from "./service.ts";
import { findDeleted } from "./service_deletion.ts";
import { parseServices } from "./service_schema.ts";

/** What a proposal is checked against: the vault as it is now. */
export interface ParseProposalOptions {
  readonly existing: readonly Service[];
  readonly keys: readonly string[];
}

const PROPOSAL_FIELDS: KnownFields = {
  owner: "a proposal",
  fields: ["services", "credentials", "message", "user_message"],
  foreign: new Map([["host", "services[]"], ["auth", "services[]"], ["key", "credentials[]"]]),
};

const DELETE_FIELDS: KnownFields = {
  owner: 'a service with the action "delete"',
  fields: ["action", "name", "host"],
};

const SLOT_FIELDS: KnownFields = {
  owner: "a credential slot",
  fields: ["key", "description", "obtain", "obtain_instructions", "value", "action"],
};

const slotSchema = z.strictObject({
  action: z.literal("set", 'Leave it out, or write "set": only a person deletes credentials')
    .optional(),
  key: credentialKeySchema,
  description: text(500),
  obtain: text(500).superRefine((url, context) => {
    const message = linkIssue(url);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  }),
  obtain_instructions: text(1_000),
  // Not `z.string()`: its message for a wrong type may hold what was given.
  value: z.custom<string>(
    (input) => typeof input === "string",
    "It must be text; leave it out and a person gives the value",
  ).optional(),
}, 'It must be a map with a key, such as {key: "GITHUB_TOKEN"}');

const deletionSchema = z.strictObject({
  action: z.literal("delete"),
  name: z.string("It must be text: the name of a service").optional(),
  host: z.string("It must be text: the host of a service").optional(),
});

/** The fields beside the two lists, which are read entry by entry so that every fault has its place. */
const frameSchema = z.strictObject({
  services: list("services", PROPOSAL_SERVICES_MAX),
  credentials: list("credential slots", PROPOSAL_CREDENTIALS_MAX),
  message: text(2_000),
  user_message: text(5_000),
}, 'It must be a map with "services", "credentials" or both');

type Frame = z.output<typeof frameSchema>;

/**
 * Reads a proposal's body `{services, credentials, message, user_message}`. A service to set that has no
 * name takes over the name of the one with the same host, port and path; one to delete is found by name
 * or by a bare host that only it has (spec: Proposal).
 *
 * @throws BrokerError `validation_failed` with every fault and its path; `ambiguous_host` with
 * `candidates` when a bare host to delete means several services and nothing else is wrong. No message
 * holds a value.
 */
export function parseProposal(input: unknown, options: ParseProposalOptions): ProposalDraft {
  const issues: Issue[] = [];
  const frame = readFrame(input, issues);
  const ambiguous: BrokerError[] = [];
  const services = readServices(frame.services, { ...options, issues, ambiguous });
  const { slots, values } = readSlots(frame.credentials, issues);
  findUnknownKeys(services, { keys: options.keys, frame, issues });
  if (frame.services.length + frame.credentials.length === 0 && issues.length === 0) {
    issues.push({ path: [], message: "It asks for nothing: name a service or a credential" });
  }
  const [only] = ambiguous;
  if (only !== undefined && issues.length === 1) throw only;
  if (issues.length > 0) throw invalid(issues);
  return {
    content: {
      services: services.filter((change) => change !== undefined),
      credentials: slots,
      message: frame.message,
      userMessage: frame.user_message,
    },
    values,
  };
}

function readFrame(input: unknown, issues: Issue[]): Frame {
  const result = frameSchema.safeParse(input);
  if (result.success) return result.data;
  issues.push(...toIssues(result.error, () => PROPOSAL_FIELDS));
  const map = isObject(input) ? input : {};
  const entries = (field: string): unknown[] => {
    const value = map[field];
    return Array.isArray(value) ? value : [];
  };
  return {
    services: entries("services"),
    credentials: entries("credentials"),
    message: "",
    user_message: "",
  };
}

/** The changes at the place of their entry; `undefined` where one could not be read. */
function readServices(
  entries: readonly unknown[],
  at: ParseProposalOptions & { readonly issues: Issue[]; readonly ambiguous: BrokerError[] },
): (ServiceChange | undefined)[] {
  const { existing, issues } = at;
  const changes: (ServiceChange | undefined)[] = entries.map(() => undefined);
  const toSet: number[] = [];
  for (const [index, entry] of entries.entries()) {
    const path = ["services", index];
    const action = isObject(entry) ? entry["action"] : undefined;
    if (action === "delete") changes[index] = readDeletion(entry, { ...at, path });
    else if (action === "set") toSet.push(index);
    else issues.push(actionFault(entry, path));
  }
  for (const [index, service] of readSettings(entries, toSet, { existing, issues })) {
    changes[index] = { action: "set", service };
  }
  findRepeatedServices(changes, issues);
  return changes;
}

function readSettings(
  entries: readonly unknown[],
  indexes: readonly number[],
  { existing, issues }: { readonly existing: readonly Service[]; readonly issues: Issue[] },
): [index: number, service: Service][] {
  const written = indexes.map((index) => {
    const { action: _, ...service } = entries[index] as Record<string, unknown>;
    return service;
  });
  try {
    return parseServices(written, { existing })
      .map((service, at): [number, Service] => [indexes[at]!, service]);
  } catch (error) {
    if (!(error instanceof BrokerError) || error.issues.length === 0) throw error;
    for (const { path: [at, ...rest], message } of error.issues) {
      issues.push({ path: ["services", indexes[Number(at)] ?? 0, ...rest], message });
    }
    // Those that lack nothing but a name are still checked for their keys, so that every fault is told.
    return indexes.flatMap((index, at) => {
      const service = readSound(written[at], existing) ??
        readSound({ name: `unnamed-${index}`, ...written[at] }, existing);
      return service === undefined ? [] : [[index, service]];
    });
  }
}

function readSound(entry: unknown, existing: readonly Service[]): Service | undefined {
  try {
    return parseServices([entry], { existing })[0];
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    return undefined;
  }
}

function readDeletion(entry: unknown, at: {
  readonly existing: readonly Service[];
  readonly path: readonly (string | number)[];
  readonly issues: Issue[];
  readonly ambiguous: BrokerError[];
}): ServiceChange | undefined {
  const { path, issues } = at;
  const result = deletionSchema.safeParse(entry);
  if (!result.success) {
    for (const issue of toIssues(result.error, () => DELETE_FIELDS)) {
      issues.push({ ...issue, path: [...path, ...issue.path] });
    }
    return undefined;
  }
  const { name, host } = result.data;
  const found = findDeleted(at.existing, { name, host });
  if ("service" in found) {
    return { action: "delete", name: found.service.name, host: found.service.host };
  }
  issues.push({ path: [...path, ...found.path], message: found.message });
  if (found.candidates !== undefined) {
    at.ambiguous.push(
      new BrokerError("ambiguous_host", `multiple services match host ${JSON.stringify(host)}`, {
        hint: `Send "name" with one of: ${found.candidates.map((one) => one.name).join(", ")}`,
        details: { candidates: found.candidates },
      }),
    );
  }
  return undefined;
}

function readSlots(
  entries: readonly unknown[],
  issues: Issue[],
): { slots: CredentialSlot[]; values: Map<string, Secret> } {
  const slots: CredentialSlot[] = [];
  const values = new Map<string, Secret>();
  const first = new Map<unknown, number>();
  for (const [index, entry] of entries.entries()) {
    const path = ["credentials", index];
    const key = isObject(entry) ? entry["key"] : undefined;
    const earlier = first.get(key);
    if (typeof key === "string" && earlier !== undefined) {
      const message = `The key is already that of slot ${earlier + 1}: keep one of them`;
      issues.push({ path: [...path, "key"], message });
    } else first.set(key, index);
    const result = slotSchema.safeParse(entry);
    if (!result.success) {
      for (const issue of toIssues(result.error, () => SLOT_FIELDS)) {
        issues.push({ ...issue, path: [...path, ...issue.path] });
      }
      continue;
    }
    const slot = result.data;
    if (slot.value !== undefined) {
      const message = valueFault(slot.key, slot.value);
      if (message !== undefined) issues.push({ path: [...path, "value"], message });
      values.set(slot.key, new Secret(slot.value));
    }
    slots.push({
      key: slot.key,
      description: slot.description,
      obtain: slot.obtain,
      obtainInstructions: slot.obtain_instructions,
      supplied: slot.value !== undefined,
    });
  }
  return { slots, values };
}

/** Every key that a service names is a credential of the vault or a slot (spec: Substitution entry). */
function findUnknownKeys(changes: readonly (ServiceChange | undefined)[], at: {
  readonly keys: readonly string[];
  readonly frame: Frame;
  readonly issues: Issue[];
}): void {
  const known = new Set<unknown>(at.keys);
  // A slot with another fault still counts, so that one fault is not reported as two.
  for (const slot of at.frame.credentials) if (isObject(slot)) known.add(slot["key"]);
  for (const [index, change] of changes.entries()) {
    if (change?.action !== "set") continue;
    for (const { key, path } of keyPlaces(change.service)) {
      if (known.has(key)) continue;
      at.issues.push({
        path: ["services", index, ...path],
        message: `The vault has no credential "${key}": add {"key": "${key}"} to "credentials"`,
      });
    }
  }
}

function findRepeatedServices(
  changes: readonly (ServiceChange | undefined)[],
  issues: Issue[],
): void {
  const first = new Map<string, number>();
  for (const [index, change] of changes.entries()) {
    if (change === undefined) continue;
    const name = change.action === "set" ? change.service.name : change.name;
    const earlier = first.get(name);
    const path = ["services", index, "name"];
    if (earlier === undefined) first.set(name, index);
    else if (!hasIssueAt(issues, path)) {
      const message = `"${name}" is already changed by service ${earlier + 1}: keep one of them`;
      issues.push({ path, message });
    }
  }
}

function actionFault(entry: unknown, path: readonly (string | number)[]): Issue {
  if (!isObject(entry)) {
    return { path, message: 'It must be a map with an action, such as {action: "set", ...}' };
  }
  const message = entry["action"] === undefined
    ? 'It is missing: write "set" or "delete"'
    : 'There is no such action: write "set" or "delete"';
  return { path: [...path, "action"], message };
}

/** Only what a browser opens as a page; a person is asked to follow it. */
function linkIssue(url: string): string | undefined {
  if (url === "") return undefined;
  const parsed = URL.parse(url);
  const isPage = parsed !== null && /^https?:\/\//i.test(url) &&
    parsed.username === "" && parsed.password === "";
  return isPage ? undefined : 'It must be the URL of a page, such as "https://example.com/keys"; ' +
    'write steps into "obtain_instructions"';
}

function valueFault(key: string, value: string): string | undefined {
  try {
    checkCredentialValue(key, value);
    return undefined;
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    return error.message;
  }
}

function text(limit: number) {
  return z.string("It must be text").refine((value) => value.length <= limit, {
    error: ({ input }) => `It has ${String(input).length} characters: write at most ${limit}`,
  }).refine((value) => value.isWellFormed(), "It is not valid Unicode text").default("");
}

function list(what: string, limit: number) {
  return z.array(z.unknown(), `It must be a list of ${what}`).refine(
    (entries) => entries.length <= limit,
    {
      error: ({ input }) => `It has ${(input as unknown[]).length} ${what}: send at most ${limit}`,
    },
  ).default([]);
}

function invalid(issues: readonly Issue[]): BrokerError {
  const count = issues.length === 1 ? "1 fault" : `${issues.length} faults`;
  return new BrokerError("validation_failed", `Check the proposal: ${count}`, {
    hint: "mend every place that is named and send it again; nothing was stored",
    issues,
  });
}

function isObject(input: unknown): input is Record<string, unknown> {
  return typeof input === "object" && input !== null && !Array.isArray(input);
}
