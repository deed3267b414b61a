import { headerNameIssue, headerTextIssue } from "../../model/header_name.ts";
import { parseHeaderTemplate } from "../../model/header_template.ts";
import { authKeys } from "../../model/credential_refs.ts";
import { parseHostPattern } from "../../model/host_pattern.ts";
import type { Auth } from "../../model/service.ts";
import type { Choice } from "../prompt.ts";
import { askCredential, askMissingValue } from "./ask_credential.ts";
import { type Desk, INSTEAD } from "./desk.ts";

/** Each auth type with what it sends. */
const TYPES: readonly (readonly [type: Auth["type"], sends: string])[] = [
  ["bearer", "Authorization: Bearer VALUE"],
  ["basic", "Authorization: Basic, from a user and a password"],
  ["api-key", "a header that you name: PREFIX VALUE"],
  ["custom", "headers that you write, with any values in them"],
  ["passthrough", "no credential; what the client sends goes through"],
];

/** Where an api-key goes when the service does not say (spec: Auth config). */
const DEFAULT_HEADER = "Authorization";

/** How a service authenticates, its credentials included. `current` is what Return alone keeps. */
export async function askAuth(desk: Desk, host: string, current?: Auth): Promise<Auth> {
  const type = await desk.prompts.choose(
    { message: "How does the host want to be authenticated to?", instead: INSTEAD },
    typeChoices(current?.type),
  );
  const base = keyBase(host);
  switch (type) {
    case "bearer": {
      const known = current?.type === type ? current.token : `${base}_TOKEN`;
      return { type, token: await askCredential(desk, { message: "Token", suggestion: known }) };
    }
    case "basic":
      return await askBasic(desk, base, current?.type === type ? current : undefined);
    case "api-key":
      return await askApiKey(desk, base, current?.type === type ? current : undefined);
    case "custom":
      return await askCustom(desk, base, current?.type === type ? current : undefined);
    case "passthrough":
      return { type };
  }
}

/** First word of the keys that a host's credentials get: `api.stripe.com` gives `STRIPE`. */
export function keyBase(host: string): string {
  const labels = parseHostPattern(host).hostname.split(".");
  // The last label names a zone, and the one before it who runs the host.
  const owner = labels.length === 1 ? labels[0]! : labels.at(-2)!;
  const word = owner.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "");
  return /^[A-Z]/.test(word) ? word : "SERVICE";
}

function typeChoices(current: Auth["type"] | undefined): Choice<Auth["type"]>[] {
  const width = Math.max(...TYPES.map(([type]) => type.length));
  const choices = TYPES.map(([type, sends]) => ({
    name: `${type.padEnd(width)}  ${sends}`,
    value: type,
    short: type,
  }));
  return choices.toSorted((a, b) => Number(b.value === current) - Number(a.value === current));
}

async function askBasic(
  desk: Desk,
  base: string,
  current: Extract<Auth, { type: "basic" }> | undefined,
): Promise<Auth> {
  const username = await askCredential(desk, {
    message: "User name",
    suggestion: current?.username ?? `${base}_USER`,
  });
  const answers = [
    { name: "with a password", value: true },
    { name: "with an empty password", value: false },
  ];
  const isEmpty = current !== undefined && current.password === undefined;
  const hasPassword = await desk.prompts.choose(
    { message: "And the password?", instead: INSTEAD },
    isEmpty ? answers.toReversed() : answers,
  );
  if (!hasPassword) return { type: "basic", username };
  const password = await askCredential(desk, {
    message: "Password",
    suggestion: current?.password ?? `${base}_PASSWORD`,
  });
  return { type: "basic", username, password };
}

async function askApiKey(
  desk: Desk,
  base: string,
  current: Extract<Auth, { type: "api-key" }> | undefined,
): Promise<Auth> {
  const key = await askCredential(desk, {
    message: "API key",
    suggestion: current?.key ?? `${base}_API_KEY`,
  });
  const header = await desk.prompts.text({
    message: "Header",
    instead: INSTEAD,
    suggestion: current?.header ?? DEFAULT_HEADER,
    check: headerNameIssue,
    preview: (name) => `sends ${name}: ${key}`,
  });
  const prefix = await desk.prompts.text({
    message: 'Text before the value, with its blank, such as "Token " (Return alone: none)',
    instead: INSTEAD,
    suggestion: current?.prefix ?? "",
    check: headerTextIssue,
    preview: (text) => `sends ${header}: ${text}${key}`,
  });
  return {
    type: "api-key",
    key,
    ...(header === DEFAULT_HEADER ? {} : { header }),
    ...(prefix === "" ? {} : { prefix }),
  };
}

async function askCustom(
  desk: Desk,
  base: string,
  current: Extract<Auth, { type: "custom" }> | undefined,
): Promise<Auth> {
  const before = Object.entries(current?.headers ?? {});
  const headers: [name: string, template: string][] = [];
  do {
    const [oldName, oldTemplate] = before[headers.length] ?? [];
    const name = await desk.prompts.text({
      message: `Header ${headers.length + 1}`,
      instead: INSTEAD,
      suggestion: oldName ?? (headers.length === 0 ? DEFAULT_HEADER : ""),
      check: (text) => headerNameIssue(text) ?? repeated(text, headers),
    });
    const template = await desk.prompts.text({
      message: `${name}: with {{ KEY }} for each value`,
      instead: INSTEAD,
      suggestion: oldTemplate ?? `Bearer {{ ${base}_TOKEN }}`,
      check: templateFault,
      preview: (text) => `sends ${name}: ${text}`,
    });
    headers.push([name, template]);
  } while (await askAnother(desk, before.length > headers.length));
  const auth: Auth = { type: "custom", headers: Object.fromEntries(headers) };
  for (const key of authKeys(auth)) await askMissingValue(desk, key);
  return auth;
}

async function askAnother(desk: Desk, hasMore: boolean): Promise<boolean> {
  const choices = [
    { name: "no more headers", value: false },
    { name: "another header", value: true },
  ];
  return await desk.prompts.choose(
    { message: "Another header?", instead: INSTEAD },
    hasMore ? choices.toReversed() : choices,
  );
}

function templateFault(text: string): string | undefined {
  if (text.trim() === "") return 'Write a text such as "Bearer {{ GITHUB_TOKEN }}"';
  const fault = headerTextIssue(text);
  if (fault !== undefined) return fault;
  const parsed = parseHeaderTemplate(text);
  return parsed.kind === "fault" ? parsed.message : undefined;
}

function repeated(name: string, headers: readonly (readonly [string, string])[]) {
  const same = headers.find(([one]) => one.toLowerCase() === name.toLowerCase());
  return same === undefined ? undefined : `"${same[0]}" is set already: write another header`;
}
