import { BrokerError } from "../errors.ts";
import { findAuthorityFault } from "./authority_fault.ts";
import { findGlobFault } from "./glob_fault.ts";
import { isIpv6Literal, type PatternFault } from "./pattern_fault.ts";

/**
 * A service's `host`, taken apart (spec: Matching rules). The forms are `<host>`, `*.<domain>`,
 * `<host>:<port>`, each with or without `/<path-glob>`. `<host>` is a DNS name, a single label, an IPv4
 * address, or an IPv6 address in brackets.
 */
export interface HostPattern {
  /** Exactly as written. */
  readonly source: string;
  /** Lower case, without `*.`, brackets and port; IPv6 as RFC 5952 spells it. */
  readonly hostname: string;
  /** True for `*.<domain>`: exactly one label stands before `hostname`. */
  readonly wildcard: boolean;
  /** `undefined` means any port. */
  readonly port: number | undefined;
  /** The path glob, leading slash included; `undefined` means any path. */
  readonly path: string | undefined;
}

/** Longest pattern, in characters; longer ones are no rules that anybody wrote. */
export const HOST_PATTERN_MAX = 2048;

const AUTHORITY = /^(\*\.)?(\[[^\]]*\]|[^:]*)(?::([0-9]+))?$/;

/**
 * Reads a host pattern.
 *
 * @throws BrokerError `validation_failed`; the message shows the pattern, the column and the fix.
 */
export function parseHostPattern(text: string): HostPattern {
  const message = hostPatternIssue(text);
  if (message !== undefined) {
    throw new BrokerError("validation_failed", message, {
      hint: 'write a host such as "api.example.com", "*.example.com", "api.example.com:8443" or ' +
        '"api.example.com/v1/*"',
      issues: [{ path: ["host"], message }],
    });
  }
  const slash = text.indexOf("/");
  const authority = slash === -1 ? text : text.slice(0, slash);
  const [, star, host, port] = AUTHORITY.exec(authority)!;
  return {
    source: text,
    hostname: canonicalHostname(host!),
    wildcard: star !== undefined,
    port: port === undefined ? undefined : Number(port),
    path: slash === -1 ? undefined : text.slice(slash),
  };
}

/** What is wrong with a host pattern, where, and what to write instead, or `undefined` when nothing is. */
export function hostPatternIssue(text: string): string | undefined {
  const fault = findHostPatternFault(text);
  if (fault === undefined) return undefined;
  const { at, problem, fix } = fault;
  return `The host pattern ${shown(text)} ${problem} (column ${at + 1}): ${fix}`;
}

/** The first fault of a host pattern with its place, for who draws a caret under it. */
export function findHostPatternFault(text: string): PatternFault | undefined {
  const fault = findOverallFault(text);
  if (fault !== undefined) return fault;
  const slash = text.indexOf("/");
  const authority = slash === -1 ? text : text.slice(0, slash);
  const found = findAuthorityFault(authority);
  if (found !== undefined || slash === -1) return found;
  return findGlobFault(authority, text.slice(slash));
}

/** The host of a pattern without port and path, as people name a service by its host: `*.example.com`. */
export function bareHost(pattern: HostPattern): string {
  const host = isIpv6Literal(pattern.hostname) ? `[${pattern.hostname}]` : pattern.hostname;
  return pattern.wildcard ? `*.${host}` : host;
}

/** Equal for two patterns that match the same requests by the letter: host without case, port and path. */
export function patternIdentity(pattern: HostPattern): string {
  return `${pattern.wildcard ? "*." : ""}${pattern.hostname} ${pattern.port ?? ""} ${
    pattern.path ?? ""
  }`;
}

function findOverallFault(text: string): PatternFault | undefined {
  if (text === "") {
    return { at: 0, problem: "is empty", fix: 'write a host such as "api.example.com"' };
  }
  if (text.length > HOST_PATTERN_MAX) {
    return {
      at: HOST_PATTERN_MAX,
      problem: `has ${text.length} characters`,
      fix: `write at most ${HOST_PATTERN_MAX}`,
    };
  }
  const scheme = /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\//.exec(text);
  if (scheme !== null) {
    const rest = withoutUserinfo(text.slice(scheme[0].length));
    return {
      at: 0,
      problem: scheme[0] === "//" ? "begins with slashes" : `has the scheme "${scheme[0]}"`,
      fix: `write ${quoteOr(rest, "the host alone")}`,
    };
  }
  const blank = text.search(/\s/u);
  if (blank !== -1) {
    const fix = `write ${quoteOr(text.replaceAll(/\s+/gu, ""), "a host")}`;
    return { at: blank, problem: "has a blank", fix };
  }
  if (text.startsWith("/")) {
    return { at: 0, problem: "has no host before the path", fix: `write "api.example.com/..."` };
  }
  const stars = text.indexOf("**");
  if (stars !== -1) {
    const fix = stars > text.indexOf("/") && text.includes("/")
      ? `write ${quoteOr(text.replaceAll(/\*+/g, "*"), '"*"')}, because "*" crosses "/"`
      : 'write "*.example.com", which stands for one subdomain label';
    return { at: stars, problem: 'has "**"', fix };
  }
  return undefined;
}

/** One spelling a host, the same as the proxy gives a request's host. */
function canonicalHostname(host: string): string {
  if (!host.startsWith("[")) return host.toLowerCase();
  return URL.parse(`http://${host}/`)!.hostname.slice(1, -1);
}

/** The pattern in quotes, control characters escaped; a password before `@` is not repeated. */
function shown(text: string): string {
  const hasPassword = /^(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/)?[^/]*:[^0-9/].*@/s.test(text);
  const safe = hasPassword ? text.slice(text.lastIndexOf("@") + 1) : withoutUserinfo(text);
  const short = safe.length > 120 ? `${safe.slice(0, 120)}…` : safe;
  return JSON.stringify(safe === text ? short : `…@${short}`);
}

function withoutUserinfo(text: string): string {
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.exec(text)?.[0] ?? "";
  const slash = text.indexOf("/", scheme.length);
  const authority = slash === -1 ? text : text.slice(0, slash);
  const at = authority.lastIndexOf("@");
  return at === -1 ? text : text.slice(at + 1);
}

function quoteOr(text: string, otherwise: string): string {
  return text !== "" && text.length <= 120 && findHostPatternFault(text) === undefined
    ? JSON.stringify(text)
    : otherwise;
}
