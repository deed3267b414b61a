import { HttpFault } from "./fault.ts";

/** Where a request is to go: the only authority that decides anything. */
export interface Authority {
  /** Lower case, without brackets and without a trailing dot. */
  readonly hostname: string;
  readonly port: number;
}

/** A request target in one of the forms of RFC 9112 section 3.2. */
export type RequestTarget =
  | { readonly form: "authority"; readonly authority: Authority }
  | {
    readonly form: "absolute";
    readonly scheme: "http" | "https";
    readonly authority: Authority;
    /** Path and query as they stood; `/` where the target had none, `*` for OPTIONS without a path. */
    readonly pathAndQuery: string;
  }
  | { readonly form: "origin"; readonly pathAndQuery: string }
  | { readonly form: "asterisk" };

const DEFAULT_PORT = { http: 80, https: 443 } as const;

/** WebSocket clients name their own schemes in absolute-form; the wire is the same (RFC 6455 section 3). */
const SCHEMES: Readonly<Record<string, "http" | "https">> = {
  http: "http",
  https: "https",
  ws: "http",
  wss: "https",
};

/**
 * Reads a request target.
 *
 * @throws {HttpFault} when it has none of the four forms, lacks a port where one is needed, carries user
 * information or a fragment, or names no valid host.
 */
export function parseRequestTarget(method: string, target: string): RequestTarget {
  if (method === "CONNECT") return { form: "authority", authority: parseConnectTarget(target) };
  if (target.includes("#")) throw new HttpFault("the request target contains a fragment");
  if (target.startsWith("/")) return { form: "origin", pathAndQuery: target };
  if (target === "*") {
    if (method !== "OPTIONS") throw new HttpFault("the target * belongs to OPTIONS only");
    return { form: "asterisk" };
  }
  return parseAbsoluteForm(method, target);
}

/** `host:port` as a client must write it in a `Host` field: the scheme's default port is left out. */
export function hostField(scheme: "http" | "https", authority: Authority): string {
  const host = authority.hostname.includes(":") ? `[${authority.hostname}]` : authority.hostname;
  return authority.port === DEFAULT_PORT[scheme] ? host : `${host}:${authority.port}`;
}

function parseConnectTarget(target: string): Authority {
  const { hostname, port } = parseAuthority(target);
  if (port === undefined) throw new HttpFault("CONNECT names no port: write host:port");
  return { hostname, port };
}

function parseAbsoluteForm(method: string, target: string): RequestTarget {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?]*)(.*)$/s.exec(target);
  const scheme = match === null ? undefined : SCHEMES[match[1]!.toLowerCase()];
  if (match === null || scheme === undefined) {
    throw new HttpFault("the request target is no path and no http or https URL");
  }
  const { hostname, port } = parseAuthority(match[2]!);
  const rest = match[3]!;
  let pathAndQuery = rest.startsWith("/") ? rest : `/${rest}`;
  // RFC 9112 section 3.2.4: a proxy turns OPTIONS without path and query into the asterisk form.
  if (method === "OPTIONS" && rest === "") pathAndQuery = "*";
  return {
    form: "absolute",
    scheme,
    authority: { hostname, port: port ?? DEFAULT_PORT[scheme] },
    pathAndQuery,
  };
}

function parseAuthority(text: string): { hostname: string; port: number | undefined } {
  if (text.includes("@")) throw new HttpFault("the request target contains user information");
  const match = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]*))?$/.exec(text);
  if (match === null) throw new HttpFault("the request target names no valid host");
  const hostname = canonicalHostname(match[1]!);
  const digits = match[2] ?? "";
  if (digits === "") return { hostname, port: undefined };
  const port = Number(digits);
  if (digits.length > 5 || port < 1 || port > 65535) {
    throw new HttpFault("the request target's port is not between 1 and 65535");
  }
  return { hostname, port };
}

/** One spelling a host: lower case, IPv6 without brackets, no trailing dot (RFC 3986 section 6.2.2.1). */
function canonicalHostname(text: string): string {
  if (text.startsWith("[")) return canonicalIpv6(text);
  const hostname = text.toLowerCase().replace(/\.$/, "");
  if (hostname === "" || hostname.startsWith(".") || hostname.includes("..")) {
    throw new HttpFault("the request target names no valid host");
  }
  return hostname;
}

/** IPv6 addresses have many spellings of one value; the URL parser's is the one of RFC 5952. */
function canonicalIpv6(bracketed: string): string {
  const parsed = URL.parse(`http://${bracketed}/`);
  if (parsed === null) throw new HttpFault("the request target names no valid IPv6 address");
  return parsed.hostname.slice(1, -1);
}
