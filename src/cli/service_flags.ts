import { BrokerError } from "../errors.ts";

/** Flags of `service add` that describe a service, by their long name in camel case. */
export interface ServiceFlags {
  readonly name?: string;
  readonly host?: string;
  readonly authType?: string;
  readonly tokenKey?: string;
  readonly usernameKey?: string;
  readonly passwordKey?: string;
  readonly apiKeyKey?: string;
  readonly apiKeyHeader?: string;
  readonly apiKeyPrefix?: string;
  readonly header?: readonly string[];
  readonly disabled?: boolean;
}

const FLAGS: Readonly<Record<keyof ServiceFlags, string>> = {
  name: "--name",
  host: "--host",
  authType: "--auth-type",
  tokenKey: "--token-key",
  usernameKey: "--username-key",
  passwordKey: "--password-key",
  apiKeyKey: "--api-key-key",
  apiKeyHeader: "--api-key-header",
  apiKeyPrefix: "--api-key-prefix",
  header: "--header",
  disabled: "--disabled",
};

/** The flags of each auth type and the member of the auth object that each one gives. */
const AUTH_FLAGS = {
  "bearer": { tokenKey: "token" },
  "basic": { usernameKey: "username", passwordKey: "password" },
  "api-key": { apiKeyKey: "key", apiKeyHeader: "header", apiKeyPrefix: "prefix" },
  "custom": { header: "headers" },
  "passthrough": {},
} as const satisfies Record<string, Partial<Record<keyof ServiceFlags, string>>>;

type AuthType = keyof typeof AUTH_FLAGS;

/** Whether any flag describes a service. */
export function hasServiceFlags(flags: ServiceFlags): boolean {
  return Object.keys(FLAGS).some((key) => flags[key as keyof ServiceFlags] !== undefined);
}

/**
 * The service that the flags describe, as a YAML file would hold it; not validated yet.
 *
 * @throws {BrokerError} `usage` when flags of different auth types meet, or nothing says which type.
 */
export function serviceFromFlags(
  flags: ServiceFlags,
  command = "broker vault service add",
): Record<string, unknown> {
  const type = authType(flags, command);
  const auth: Record<string, unknown> = { type };
  for (const [flag, member] of Object.entries(AUTH_FLAGS[type])) {
    const value = flags[flag as keyof ServiceFlags];
    if (value !== undefined) auth[member] = flag === "header" ? parseHeaders(flags) : value;
  }
  return {
    ...(flags.name === undefined ? {} : { name: flags.name }),
    ...(flags.host === undefined ? {} : { host: flags.host }),
    ...(flags.disabled === true ? { enabled: false } : {}),
    auth,
  };
}

function authType(flags: ServiceFlags, command: string): AuthType {
  const types = Object.keys(AUTH_FLAGS) as AuthType[];
  const used = types.filter((type) => usedFlags(flags, type).length > 0);
  const said = flags.authType;
  if (said !== undefined) {
    const type = types.find((one) => one === said);
    if (type === undefined) {
      throw usage(`There is no auth type "${said}"`, `--auth-type is one of ${types.join(", ")}`);
    }
    const foreign = used.filter((one) => one !== type).flatMap((one) => usedFlags(flags, one));
    if (foreign.length > 0) {
      throw usage(`${foreign.join(", ")}: not for the auth type "${type}"`, hintFor(type));
    }
    return type;
  }
  const [first, second] = used;
  if (first === undefined) {
    throw usage(
      "Nothing says how to authenticate to the host",
      `--token-key KEY for a bearer token, --auth-type passthrough for none; others: ${command} --help`,
    );
  }
  if (second !== undefined) {
    const names = used.flatMap((type) => usedFlags(flags, type)).join(", ");
    throw usage(`${names}: flags of different auth types`, "add one service for each auth type");
  }
  return first;
}

function usedFlags(flags: ServiceFlags, type: AuthType): string[] {
  const keys = Object.keys(AUTH_FLAGS[type]) as (keyof ServiceFlags)[];
  return keys.filter((key) => flags[key] !== undefined).map((key) => FLAGS[key]);
}

function parseHeaders(flags: ServiceFlags): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const text of flags.header ?? []) {
    const at = text.indexOf(":");
    if (at < 1) {
      // The text is not shown: somebody may have put the value itself here.
      throw usage(
        "A --header has no colon",
        "--header 'X-Api-Key: {{ KEY }}'",
      );
    }
    const name = text.slice(0, at).trim();
    if (Object.hasOwn(headers, name)) {
      throw usage(`--header names "${name}" twice`, "give each header once");
    }
    // Not an assignment: a header may be called __proto__.
    Object.defineProperty(headers, name, {
      value: text.slice(at + 1).trim(),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return headers;
}

function hintFor(type: AuthType): string {
  const own = (Object.keys(AUTH_FLAGS[type]) as (keyof ServiceFlags)[]).map((key) => FLAGS[key]);
  return own.length === 0 ? `"${type}" takes no further flag` : `"${type}" takes ${own.join(", ")}`;
}

function usage(message: string, hint: string): BrokerError {
  return new BrokerError("usage", message, { hint });
}
