import { BrokerError } from "../errors.ts";
import { Secret } from "../model/secret.ts";
import { bypassesProxy } from "./no_proxy.ts";

/** The proxy that the user's own machine must go through, as its environment names it. */
export interface ParentProxy {
  /** True for an `https://` proxy: TLS to the proxy itself, before any request to it. */
  readonly tls: boolean;
  /** Lower case, no brackets around IPv6. */
  readonly hostname: string;
  readonly port: number;
  /** The `Proxy-Authorization` value; absent when the URL held no user name and no password. */
  readonly authorization: Secret | undefined;
  /** The variable it was read from, for messages. */
  readonly variable: string;
}

/** The parent proxies of an environment, by the upstream's scheme, and the hosts that go without. */
export interface ParentProxies {
  readonly http: ParentProxy | undefined;
  readonly https: ParentProxy | undefined;
  /** `NO_PROXY` as the environment has it. */
  readonly noProxy: string;
}

/** Where a request is bound for. */
export interface ProxyTarget {
  readonly scheme: "http" | "https";
  /** Lower case, no brackets around IPv6, no trailing dot. */
  readonly hostname: string;
}

/** The port of a proxy URL that names none, by the URL's scheme. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/**
 * Reads the user's proxy settings. As curl does: an empty variable is an absent one, lower case
 * comes before upper case, and `all_proxy` is asked last. Unlike curl, `HTTP_PROXY` counts too (most
 * other programs read it) and a URL without a port means 80 or 443, not 1080.
 *
 * @param caseInsensitive variable names compare without regard to case, as on Windows
 * @throws {BrokerError} `validation_failed`: a URL that cannot be read, or a proxy that is neither
 * `http://` nor `https://`; the message names the variable and never its value
 */
export function parseParentProxies(
  environment: Readonly<Record<string, string>>,
  { caseInsensitive = false }: { readonly caseInsensitive?: boolean } = {},
): ParentProxies {
  const find = (...names: readonly string[]): ParentProxy | undefined => {
    for (const [name, value] of lookup(environment, names, caseInsensitive)) {
      return parseProxyUrl(value, name);
    }
    return undefined;
  };
  const [noProxy] = lookup(environment, ["no_proxy", "NO_PROXY"], caseInsensitive);
  return {
    http: find("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"),
    https: find("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"),
    noProxy: noProxy?.[1] ?? "",
  };
}

/**
 * The parent proxy for one upstream, or `undefined` when it is dialled directly: no variable names a
 * proxy for its scheme, or {@link bypassesProxy} says so. The port plays no part: curl's `NO_PROXY`
 * knows none.
 */
export function selectParent(
  proxies: ParentProxies,
  { scheme, hostname }: ProxyTarget,
): ParentProxy | undefined {
  const parent = proxies[scheme];
  if (parent === undefined || bypassesProxy(proxies.noProxy, hostname)) return undefined;
  return parent;
}

function lookup(
  environment: Readonly<Record<string, string>>,
  names: readonly string[],
  caseInsensitive: boolean,
): [name: string, value: string][] {
  return names.flatMap((name) => {
    const found = caseInsensitive
      ? Object.keys(environment).find((key) => key.toLowerCase() === name.toLowerCase())
      : name;
    const value = found === undefined ? undefined : environment[found];
    return found === undefined || !value ? [] : [[found, value]];
  });
}

function parseProxyUrl(text: string, variable: string): ParentProxy {
  const trimmed = text.trim();
  // "proxy.example:3128" is common, and a URL parser would take "proxy.example:" for the scheme.
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed);
  const scheme = hasScheme ? trimmed.slice(0, trimmed.indexOf(":") + 1).toLowerCase() : "http:";
  const defaultPort = DEFAULT_PORTS[scheme];
  if (defaultPort === undefined) {
    throw refuse(variable, `"${scheme}//" proxies are not supported, only http:// ones are`);
  }
  let url: URL;
  try {
    url = new URL(hasScheme ? trimmed : `http://${trimmed}`);
  } catch (cause) {
    // The parser's own error repeats the URL, password included: it is not kept as the cause.
    const reason = cause instanceof TypeError ? "it is not a URL" : "it cannot be read";
    throw refuse(variable, reason);
  }
  if (url.port === "0") throw refuse(variable, "port 0 cannot be dialled");
  return {
    tls: scheme === "https:",
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? defaultPort : Number(url.port),
    authorization: proxyAuthorization(url),
    variable,
  };
}

/** RFC 7617; the percent-decoded bytes as they are, whatever their character set. */
function proxyAuthorization(url: URL): Secret | undefined {
  if (url.username === "" && url.password === "") return undefined;
  return new Secret(
    `Basic ${btoa(`${percentDecode(url.username)}:${percentDecode(url.password)}`)}`,
  );
}

/** One character per byte; a `%` that no two hex digits follow stays as it is. */
function percentDecode(text: string): string {
  return text.replace(
    /%([0-9a-f]{2})/gi,
    (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function refuse(variable: string, reason: string): BrokerError {
  return new BrokerError("validation_failed", `Read the proxy in "${variable}": ${reason}`, {
    hint: `export ${variable}=http://HOST:PORT, or leave it out: env -u ${variable} broker ...`,
    issues: [{ path: [variable], message: reason }],
  });
}
