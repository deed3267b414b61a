import * as z from "zod";
import { credentialKeyIssue } from "./credential_key.ts";
import { headerNameIssue, headerTextIssue } from "./header_name.ts";
import { parseHeaderTemplate } from "./header_template.ts";
import { nearestWord } from "./nearest_word.ts";
import type { KnownFields } from "./schema_issues.ts";
import type { Auth } from "./service.ts";

const FIELDS = {
  "bearer": ["type", "token"],
  "basic": ["type", "username", "password"],
  "api-key": ["type", "key", "header", "prefix"],
  "custom": ["type", "headers"],
  "passthrough": ["type"],
} as const satisfies Record<Auth["type"], readonly string[]>;

/** Every auth type, in the order of the spec. */
export const AUTH_TYPES = Object.keys(FIELDS) as Auth["type"][];

/** What people write for the types that have another name here. */
const OTHER_NAMES: Readonly<Record<string, Auth["type"]>> = {
  none: "passthrough",
  token: "bearer",
  oauth: "bearer",
  apikey: "api-key",
  header: "custom",
  headers: "custom",
};

/** A credential key where a service refers to a credential. */
export const credentialKeySchema = z.string({
  error: (issue) =>
    issue.input === undefined
      ? 'It is missing: write a credential key such as "GITHUB_TOKEN"'
      : 'It must be text: a credential key such as "GITHUB_TOKEN"',
}).superRefine((text, context) => addIssue(context, credentialKeyIssue(text)));

const headerNameSchema = z.string('It must be text: a header name such as "X-Api-Key"')
  .superRefine((name, context) => addIssue(context, headerNameIssue(name)));

const prefixSchema = z.string('It must be text, such as "Token " with its blank')
  .superRefine((text, context) => addIssue(context, headerTextIssue(text)));

/** Taken apart by hand, because a record schema skips a header that is called `__proto__`. */
const headersSchema = z.unknown().transform((input, context): Record<string, string> => {
  if (!isObject(input)) {
    addIssue(
      context,
      input === undefined
        ? "It is missing: write header names with their templates"
        : "It must be a map of header names to templates",
    );
    return z.NEVER;
  }
  const entries = Object.entries(input);
  if (entries.length === 0) addIssue(context, "It is empty: write at least one header");
  const seen = new Map<string, string>();
  for (const [name, template] of entries) {
    addIssue(context, headerNameIssue(name), [name]);
    addIssue(context, templateIssue(template), [name]);
    const earlier = seen.get(name.toLowerCase());
    if (earlier !== undefined) {
      addIssue(context, `"${earlier}" and "${name}" are one header: keep one of them`, [name]);
    }
    seen.set(name.toLowerCase(), name);
  }
  return Object.fromEntries(entries) as Record<string, string>;
});

/** An auth config (interfaces: Auth objects): exactly the fields of its type. */
export const authSchema: z.ZodType<Auth> = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("bearer"), token: credentialKeySchema }),
  z.strictObject({
    type: z.literal("basic"),
    username: credentialKeySchema,
    password: credentialKeySchema.optional(),
  }),
  z.strictObject({
    type: z.literal("api-key"),
    key: credentialKeySchema,
    header: headerNameSchema.optional(),
    prefix: prefixSchema.optional(),
  }),
  z.strictObject({ type: z.literal("custom"), headers: headersSchema }),
  z.strictObject({ type: z.literal("passthrough") }),
], { error: (issue) => authMessage(issue.input) }).transform(withoutUndefined) as z.ZodType<Auth>;

/** The fields of an auth config, for a message about an unknown one. */
export function authFields(auth: unknown): KnownFields {
  const type = isObject(auth) ? auth["type"] : undefined;
  const known = AUTH_TYPES.find((one) => one === type);
  if (known === undefined) return { owner: "an auth config", fields: ["type"] };
  const foreign = new Map(
    AUTH_TYPES.flatMap((other) =>
      FIELDS[other].map((field): [string, string] => [field, `the auth type "${other}"`])
    ),
  );
  return { owner: `the auth type "${known}"`, fields: FIELDS[known], foreign };
}

function authMessage(input: unknown): string {
  const list = AUTH_TYPES.map((type) => `"${type}"`).join(", ");
  if (input === undefined) {
    return 'It is missing: write what authenticates, such as {type: "bearer", token: "GITHUB_TOKEN"}';
  }
  if (!isObject(input)) {
    return 'It must be a map with a type, such as {type: "bearer", token: "GITHUB_TOKEN"}';
  }
  const type = input["type"];
  if (type === undefined) return `It is missing: write one of ${list}`;
  if (typeof type !== "string") return `It must be text, one of ${list}`;
  const meant = OTHER_NAMES[type.toLowerCase()] ?? nearestWord(type, AUTH_TYPES);
  if (meant !== undefined) return `There is no such auth type: write "${meant}"`;
  return `There is no such auth type: write one of ${list}`;
}

function templateIssue(template: unknown): string | undefined {
  if (typeof template !== "string") return 'It must be text such as "Bearer {{ GITHUB_TOKEN }}"';
  if (template.trim() === "") {
    return 'The template is empty: write one such as "Bearer {{ GITHUB_TOKEN }}"';
  }
  const textIssue = headerTextIssue(template);
  if (textIssue !== undefined) return textIssue;
  const parsed = parseHeaderTemplate(template);
  return parsed.kind === "fault" ? parsed.message : undefined;
}

function addIssue(
  context: z.RefinementCtx,
  message: string | undefined,
  path: (string | number)[] = [],
): void {
  if (message !== undefined) context.addIssue({ code: "custom", message, path });
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;
}

function isObject(input: unknown): input is Record<string, unknown> {
  return typeof input === "object" && input !== null && !Array.isArray(input);
}
