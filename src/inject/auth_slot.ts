import { BrokerError } from "../errors.ts";
import type { HeaderField } from "../http1/headers.ts";
import { authKeys } from "../model/credential_refs.ts";
import { parseHeaderTemplate } from "../model/header_template.ts";
import type { Secret } from "../model/secret.ts";
import type { Auth } from "../model/service.ts";
import { base64OfUtf8, toFieldText } from "./field_text.ts";

/** An auth config with its credentials put in, made once and used for every request. */
export interface ReadyAuth {
  readonly kind: "ready";
  /** Names of the fields that the broker sets, in lower case; every copy the client sent goes. */
  readonly slotNames: ReadonlySet<string>;
  /** The fields to set, one character a byte. They hold credentials in the clear. */
  readonly fields: readonly HeaderField[];
  /** The credential keys that went in. */
  readonly keys: readonly string[];
}

/** An auth config whose credentials are not all there. */
export interface IncompleteAuth {
  readonly kind: "missing";
  /** Every key without a credential, in the order the config names them. */
  readonly missing: readonly string[];
  readonly keys: readonly string[];
}

/** What became of an auth config. */
export type CompiledAuth = ReadyAuth | IncompleteAuth;

/** The slot of bearer and basic, and of api-key unless it names another (spec: Auth config). */
const AUTHORIZATION = "Authorization";

/**
 * Builds the header fields of an auth config (spec: Auth config).
 *
 * @throws BrokerError `validation_failed` for a value that cannot be sent: control characters, or a
 * colon in a basic username (RFC 7617 section 2). The message names the key, never the value.
 */
export function compileAuth(
  auth: Auth,
  credential: (key: string) => Secret | undefined,
): CompiledAuth {
  const keys = authKeys(auth);
  const values = new Map<string, string>();
  for (const key of keys) {
    const secret = credential(key);
    if (secret !== undefined) values.set(key, secret.reveal());
  }
  const missing = keys.filter((key) => !values.has(key));
  if (missing.length > 0) return { kind: "missing", missing, keys };
  const fields = buildFields(auth, (key) => values.get(key)!);
  const slotNames = new Set(fields.map(([name]) => name.toLowerCase()));
  return { kind: "ready", slotNames, fields, keys };
}

function buildFields(auth: Auth, value: (key: string) => string): HeaderField[] {
  const text = (key: string) => toFieldText(value(key), () => unsendable(key, CONTROL));
  switch (auth.type) {
    case "bearer":
      return [[AUTHORIZATION, `Bearer ${text(auth.token)}`]];
    case "basic": {
      // Base64 hides control characters from the wire, not from the upstream (RFC 7617 section 2).
      authKeys(auth).forEach(text);
      const username = value(auth.username);
      if (username.includes(":")) {
        throw unsendable(auth.username, "is a basic username and has a colon");
      }
      const password = auth.password === undefined ? "" : value(auth.password);
      return [[AUTHORIZATION, `Basic ${base64OfUtf8(`${username}:${password}`)}`]];
    }
    case "api-key":
      return [[auth.header ?? AUTHORIZATION, literal(auth.prefix ?? "") + text(auth.key)]];
    case "custom":
      return Object.entries(auth.headers).map(([name, template]) => [
        name,
        fillTemplate(template, text),
      ]);
    case "passthrough":
      return [];
  }
}

/** Values are joined between the template's pieces, so nothing in a value is ever read as a template. */
function fillTemplate(template: string, text: (key: string) => string): string {
  const parsed = parseHeaderTemplate(template);
  if (parsed.kind === "fault") throw unusableTemplate();
  return parsed.parts
    .map((part) => part.kind === "text" ? literal(part.text) : text(part.key)).join("");
}

/** Text of the config itself, which was checked when it was written. */
function literal(text: string): string {
  return toFieldText(text, unusableTemplate);
}

const CONTROL = "holds a control character, which no header field can carry";

function unsendable(key: string, problem: string): BrokerError {
  return new BrokerError("validation_failed", `The value of "${key}" ${problem}`, {
    hint: `broker vault credential set ${key}`,
  });
}

function unusableTemplate(): BrokerError {
  return new BrokerError("validation_failed", "A header template of the service cannot be read", {
    hint: "write the service again: broker vault service add",
  });
}
