import { isIpv6Literal, type PatternFault, REGEX_CHARACTER } from "./pattern_fault.ts";

/** Longest DNS label, in bytes (RFC 1035 section 2.3.4). */
const LABEL_MAX = 63;

/** Longest DNS name as text, in bytes (RFC 1035 section 2.3.4, less its length bytes). */
const NAME_MAX = 253;

/** The first fault of a pattern's `<host>` or `<host>:<port>` part; `at` counts from its start. */
export function findAuthorityFault(authority: string): PatternFault | undefined {
  const userinfo = authority.lastIndexOf("@");
  if (userinfo !== -1) {
    return { at: 0, problem: "has user information", fix: 'write the host after the "@" only' };
  }
  if (authority.startsWith("[") || authority.startsWith("*.[")) return findIpv6Fault(authority);
  return findCharacterFault(authority) ?? findPlainFault(authority);
}

function findPlainFault(authority: string): PatternFault | undefined {
  const colon = authority.indexOf(":");
  if (colon !== -1 && authority.indexOf(":", colon + 1) !== -1) {
    const isAddress = URL.canParse(`http://[${authority}]/`);
    return {
      at: colon,
      problem: isAddress ? "has an IPv6 address without brackets" : "has more than one colon",
      fix: `write ${isAddress ? `"[${authority}]"` : '"host:port"'}`,
    };
  }
  const host = colon === -1 ? authority : authority.slice(0, colon);
  return findHostFault(host) ?? (colon === -1 ? undefined : findPortFault(authority, colon));
}

function findHostFault(host: string): PatternFault | undefined {
  if (host === "") {
    return { at: 0, problem: "has no host", fix: 'write one such as "api.example.com"' };
  }
  const wildcard = findWildcardFault(host);
  if (wildcard !== undefined) return wildcard;
  const start = host.startsWith("*.") ? 2 : 0;
  const name = host.slice(start);
  const labels = name.split(".");
  if (labels.at(-1) === "" && labels.length > 1) {
    const fix = `write "${host.slice(0, -1)}", which also takes requests with the dot`;
    return { at: host.length - 1, problem: "ends with a dot", fix };
  }
  let at = start;
  for (const label of labels) {
    const problem = labelProblem(label);
    if (problem !== undefined) return { at, ...problem };
    at += label.length + 1;
  }
  if (host.length > NAME_MAX) {
    const fix = `write at most ${NAME_MAX}`;
    return { at: NAME_MAX, problem: `has a host of ${host.length} characters`, fix };
  }
  return findIpv4Fault(labels, start);
}

function findWildcardFault(host: string): PatternFault | undefined {
  if (host === "*" || host === "*.") {
    return {
      at: 0,
      problem: 'has a bare "*"',
      fix: 'name the host, or write "*.example.com" for the subdomains of one domain, because a ' +
        "credential belongs to the hosts of one owner",
    };
  }
  const star = host.indexOf("*", host.startsWith("*.") ? 1 : 0);
  if (star === -1) return undefined;
  const rest = host.slice(host.lastIndexOf("*") + 1).replace(/^[^.]*\./, "");
  return {
    at: star,
    problem: 'has a "*" that is not the whole first label of the host',
    fix: /^[A-Za-z0-9._-]+$/.test(rest) && rest.includes(".")
      ? `write "*.${rest}"`
      : 'write "*.example.com"',
  };
}

function labelProblem(label: string): Omit<PatternFault, "at"> | undefined {
  if (label === "") return { problem: "has an empty label", fix: "take out one of the dots" };
  if (label.length > LABEL_MAX) {
    const problem = `has a label of ${label.length} characters`;
    return { problem, fix: `write at most ${LABEL_MAX} between two dots` };
  }
  if (label.startsWith("-") || label.endsWith("-")) {
    return { problem: "has a label that begins or ends with a hyphen", fix: "take the hyphen out" };
  }
  return undefined;
}

/** A host whose last label is a number is an address for every URL parser, so it must be a sound one. */
function findIpv4Fault(labels: readonly string[], start: number): PatternFault | undefined {
  if (!/^(?:[0-9]+|0[xX][0-9A-Fa-f]*)$/.test(labels.at(-1)!)) return undefined;
  if (start > 0) {
    const fix = "write the address without it";
    return { at: 0, problem: 'has a "*" before an IP address', fix };
  }
  const sound = labels.length === 4 &&
    labels.every((label) => /^(?:0|[1-9][0-9]{0,2})$/.test(label) && Number(label) <= 255);
  if (sound) return undefined;
  const meant = URL.parse(`http://${labels.join(".")}/`)?.hostname;
  return {
    at: 0,
    problem: "is no IPv4 address of four numbers from 0 to 255",
    fix: meant === undefined ? 'write one such as "192.168.1.10"' : `write "${meant}"`,
  };
}

function findIpv6Fault(authority: string): PatternFault | undefined {
  const start = authority.indexOf("[");
  if (start > 0) {
    const fix = "write the address without it";
    return { at: 0, problem: 'has a "*" before an IP address', fix };
  }
  const close = authority.indexOf("]");
  if (close === -1) {
    return { at: authority.length, problem: 'has no "]"', fix: `write "${authority}]"` };
  }
  const address = authority.slice(1, close);
  if (!isIpv6Literal(address) || !URL.canParse(`http://[${address}]/`)) {
    const fix = address.includes("%") ? "leave the zone out" : 'write one such as "[::1]"';
    return { at: 1, problem: "has no IPv6 address in its brackets", fix };
  }
  if (close === authority.length - 1) return undefined;
  if (authority[close + 1] === ":") return findPortFault(authority, close + 1);
  const fix = `write "${authority.slice(0, close + 1)}:${authority.slice(close + 1)}" for a port`;
  return { at: close + 1, problem: 'has text after "]"', fix };
}

function findPortFault(authority: string, colon: number): PatternFault | undefined {
  const port = authority.slice(colon + 1);
  const host = authority.slice(0, colon);
  const at = colon + 1;
  if (port === "") {
    const fix = `write "${host}" for any port, or a port after the colon`;
    return { at: colon, problem: "has a colon and no port", fix };
  }
  const foreign = port.search(/[^0-9]/);
  if (foreign !== -1) {
    const number = port.slice(0, foreign);
    const fix = foreign > 0 && /^[A-Za-z]/.test(port.slice(foreign))
      ? `write "${host}:${number}/${port.slice(foreign)}", because a path begins with "/"`
      : "write a number from 1 to 65535";
    return { at: at + foreign, problem: "has a port that is no number", fix };
  }
  if (/^0[0-9]/.test(port)) {
    const fix = `write "${host}:${port.replace(/^0+/, "") || "443"}"`;
    return { at, problem: "has a port that begins with 0", fix };
  }
  if (Number(port) < 1 || Number(port) > 65535) {
    const fix = "write a number from 1 to 65535, or leave it out for any port";
    return { at, problem: "has a port out of range", fix };
  }
  return undefined;
}

function findCharacterFault(authority: string): PatternFault | undefined {
  const at = authority.search(/[^A-Za-z0-9._:*-]/u);
  if (at === -1) return undefined;
  const char = String.fromCodePoint(authority.codePointAt(at)!);
  if (char.charCodeAt(0) > 0x7f) return unicodeFault(authority, at);
  switch (char) {
    case "#":
      return { at, problem: "has a fragment", fix: `write "${authority.slice(0, at)}"` };
    case "?":
      return {
        at,
        problem: 'has a "?"',
        fix: 'leave it out, or write "*.example.com" for any subdomain; only "*" is a wildcard',
      };
    case "%":
      return { at, problem: "has a percent sign in the host", fix: "write the host as it is" };
  }
  const problem = REGEX_CHARACTER.test(char) || /[()+$]/.test(char)
    ? `has "${char}", as regular expressions do`
    : `has ${JSON.stringify(char)}, which no host name can hold`;
  return { at, problem, fix: 'write letters, digits, hyphens and dots, as in "api.example.com"' };
}

/** The proxy sees the ASCII form of an internationalized name, so that is what a pattern must say. */
function unicodeFault(authority: string, at: number): PatternFault {
  const [, star = "", host = "", port = ""] = /^(\*\.)?([^:]*)(:.*)?$/su.exec(authority) ?? [];
  const ascii = URL.parse(`http://${host}/`)?.hostname ?? "";
  const usable = /^[a-z0-9._-]+$/.test(ascii);
  return {
    at,
    problem: "has a character outside ASCII",
    fix: usable ? `write its ASCII form "${star}${ascii}${port}"` : "write the host in ASCII",
  };
}
