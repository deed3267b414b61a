import { Secret } from "../model/secret.ts";
import { bypassesProxy, mergeNoProxy, splitNoProxy } from "./no_proxy.ts";
import { createScrubber, placeholderOf, type StoredCredential } from "./scrub.ts";

/** What the child's environment is made of. */
export interface ChildEnvironmentInput {
  /** The broker's own environment. */
  readonly inherited: Readonly<Record<string, string>>;
  /** The session's token. */
  readonly token: Secret;
  /** Base URL of the API: `http://127.0.0.1:PORT`. */
  readonly apiUrl: string;
  /** See {@link proxyUrl}; it holds the token. */
  readonly proxyUrl: Secret;
  /** Vault name. */
  readonly vault: string;
  /** PEM file of the broker's CA, and of what the user's own additions held. */
  readonly caPath: string;
  /** PEM file of the system's roots and the broker's CA. */
  readonly bundlePath: string;
  /** Every credential of the vault, whether a service references it or not. */
  readonly credentials: readonly StoredCredential[];
  /** The keys that enabled services reference. */
  readonly referencedKeys: readonly string[];
  /** Further variables that SDKs of the services read. */
  readonly sdkVariables?: readonly KeyVariable[];
  /** Placeholders that enabled services replace: where a key has one, nothing else would be replaced. */
  readonly substitutions?: readonly { readonly key: string; readonly placeholder: string }[];
  /** Values of `--no-proxy`. */
  readonly extraNoProxy?: readonly string[];
  /** False for `--no-placeholders`. */
  readonly placeholders: boolean;
  /** Hosts of the enabled services: one that `NO_PROXY` covers gives a warning. */
  readonly serviceHostnames?: readonly string[];
  /** Variable names compare without regard to case, as on Windows. */
  readonly caseInsensitive?: boolean;
}

/** A variable that stands for a credential. */
export interface KeyVariable {
  readonly name: string;
  /** Credential key. */
  readonly key: string;
  /** Stands before the placeholder, for SDKs that look at what a value begins with. */
  readonly prefix: string;
}

/** The child's environment, complete, and what the user should know about it. */
export interface ChildEnvironment {
  readonly environment: Record<string, string>;
  /** One line each, naming variables and keys, never a value. */
  readonly warnings: readonly string[];
}

/** Reached without the proxy, whatever the user set: the child's own servers and the broker's API. */
const LOOPBACK_NO_PROXY = "localhost,127.0.0.1,::1";

/** Variables that add the broker's CA to a program's store. */
const CA_VARIABLES = ["NODE_EXTRA_CA_CERTS", "DENO_CERT"];

const NPM_CA = "NPM_CONFIG_CAFILE";

/** npm reads its variables in any case and lets the last one win; "npm run" sets lower-case ones. */
function isNpmCa(name: string): boolean {
  return name.toUpperCase() === NPM_CA;
}

/** Variables that replace a program's store: they get the system's roots too. */
const BUNDLE_VARIABLES = [
  "SSL_CERT_FILE",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "AWS_CA_BUNDLE",
  "PIP_CERT",
  NPM_CA,
  "CARGO_HTTP_CAINFO",
  "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
  "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
];

/** Files of certificates that the user's own settings name, which {@link childEnvironment} replaces. */
export function userRootFiles(
  inherited: Readonly<Record<string, string>>,
): { adding: string[]; replacing: string[] } {
  const files = (names: readonly string[]) =>
    Object.entries(inherited)
      .filter(([name, path]) => path !== "" && names.includes(isNpmCa(name) ? NPM_CA : name))
      .map(([_, path]) => path);
  return { adding: files(CA_VARIABLES), replacing: files(BUNDLE_VARIABLES) };
}

/** The proxy URL of a vault-scoped session: `http://TOKEN:VAULT@127.0.0.1:PORT`. */
export function proxyUrl(
  session: { readonly token: Secret; readonly vault: string; readonly port: number },
): Secret {
  const user = encodeURIComponent(session.token.reveal());
  const password = encodeURIComponent(session.vault);
  return new Secret(`http://${user}:${password}@127.0.0.1:${session.port}`);
}

/**
 * The environment of a child of `vault run`. Everything inherited stays, except:
 * - `BROKER_PASSPHRASE`, and every variable that this sets itself;
 * - a stored credential, whole or as a recognisable part, which gives way to its placeholder;
 * - a lone `*` in the inherited `NO_PROXY`, which would send every request past the broker.
 *
 * A referenced key becomes a variable of that name that holds its placeholder, also in place of an
 * inherited value that the vault does not know (it may be the key of yesterday); the other variables that
 * SDKs read are set where nothing else stands. With `placeholders` off neither happens. The broker's own variables win over a credential key of the same name.
 */
export function childEnvironment(input: ChildEnvironmentInput): ChildEnvironment {
  const { caseInsensitive = false } = input;
  const canonical = (name: string) => caseInsensitive ? name.toUpperCase() : name;
  const warnings: string[] = [];
  const own = ownVariables(input, warnings);
  const reserved = new Set(["BROKER_PASSPHRASE", ...own.keys()].map(canonical));

  const scrub = createScrubber(input.credentials);
  const environment = new Map<string, string>();
  const nameOf = new Map<string, string>();
  for (const [name, value] of Object.entries(input.inherited)) {
    if (reserved.has(canonical(name)) || isNpmCa(name)) continue;
    const scrubbed = scrub(value, canonical(name));
    if (scrubbed.keys.length > 0) warnings.push(scrubWarning(name, scrubbed));
    environment.set(name, scrubbed.text);
    nameOf.set(canonical(name), name);
  }

  for (const variable of input.placeholders ? keyVariables(input) : []) {
    if (reserved.has(canonical(variable.name))) continue;
    const name = nameOf.get(canonical(variable.name)) ?? variable.name;
    const value = environment.get(name);
    // A value that was a credential already gave way, perhaps to the placeholder of another key.
    const isUnknown = value !== undefined && value === input.inherited[name];
    const placeholder = shapedPlaceholder(input, variable);
    if (isUnknown && value !== placeholder) {
      // Only a variable that is named like the key is meant to hold it.
      if (variable.name !== variable.key) continue;
      warnings.push(
        `Set "${name}" to its placeholder: the value in the environment is not the vault's`,
      );
    }
    environment.set(name, placeholder);
  }
  for (const [name, value] of own) environment.set(name, value);
  return { environment: Object.fromEntries(environment), warnings };
}

/** One variable a referenced key, by its own name, and those that SDKs read. */
function keyVariables({ referencedKeys, sdkVariables = [] }: ChildEnvironmentInput): KeyVariable[] {
  const known = new Map(sdkVariables.map((variable) => [variable.name, variable]));
  const own = [...new Set(referencedKeys)].map((key) => {
    const sdk = known.get(key);
    return { name: key, key, prefix: sdk?.key === key ? sdk.prefix : "" };
  });
  const names = new Set(referencedKeys);
  return [...own, ...sdkVariables.filter(({ name }) => !names.has(name))];
}

function shapedPlaceholder(
  { substitutions = [] }: ChildEnvironmentInput,
  { key, prefix }: KeyVariable,
): string {
  const usual = placeholderOf(key);
  const replaced = substitutions.filter((entry) => entry.key === key)
    .map(({ placeholder }) => placeholder);
  if (replaced.includes(usual)) return usual;
  return replaced[0] ?? `${prefix}${usual}`;
}

/** The variables of the broker itself. Names that differ only in case are one where case is ignored. */
function ownVariables(input: ChildEnvironmentInput, warnings: string[]): Map<string, string> {
  const proxy = input.proxyUrl.reveal();
  const noProxy = childNoProxy(input, warnings);
  const variables: [name: string, value: string][] = [
    ["BROKER_TOKEN", input.token.reveal()],
    ["BROKER_ADDR", input.apiUrl],
    ["BROKER_VAULT", input.vault],
    ["HTTPS_PROXY", proxy],
    ["HTTP_PROXY", proxy],
    ["NO_PROXY", noProxy],
    ["NODE_USE_ENV_PROXY", "1"],
    ["OPENCLAW_PROXY_URL", proxy],
    ...CA_VARIABLES.map((name): [string, string] => [name, input.caPath]),
    ...BUNDLE_VARIABLES.map((name): [string, string] => [name, input.bundlePath]),
  ];
  if (!input.caseInsensitive) {
    variables.push(["https_proxy", proxy], ["http_proxy", proxy], ["no_proxy", noProxy]);
  }
  return new Map(variables);
}

function childNoProxy(input: ChildEnvironmentInput, warnings: string[]): string {
  const inherited = Object.entries(input.inherited)
    .filter(([name]) =>
      input.caseInsensitive
        ? name.toUpperCase() === "NO_PROXY"
        : /^(?:NO_PROXY|no_proxy)$/.test(name)
    )
    .flatMap(([_, value]) => splitNoProxy(value));
  if (inherited.includes("*")) {
    warnings.push(`Left "*" out of "NO_PROXY": with it no request would reach the broker`);
  }
  const kept = inherited.filter((entry) => entry !== "*");
  const merged = mergeNoProxy([...kept, ...input.extraNoProxy ?? [], LOOPBACK_NO_PROXY]);
  for (const hostname of new Set(input.serviceHostnames)) {
    if (bypassesProxy(merged, hostname.toLowerCase())) {
      warnings.push(`"NO_PROXY" covers "${hostname}": requests to it do not reach the broker`);
    }
  }
  return merged;
}

function scrubWarning(
  name: string,
  scrubbed: { readonly keys: readonly string[]; readonly whole: boolean },
): string {
  const keys = scrubbed.keys.map((key) => `"${key}"`).join(", ");
  return scrubbed.whole
    ? `Replaced the value of "${name}" by a placeholder: it is the stored credential ${keys}`
    : `Replaced a part of "${name}" by a placeholder: it holds the stored credential ${keys}`;
}
