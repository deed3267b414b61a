/** The first thing that is wrong with a host pattern. */
export interface PatternFault {
  /** Where in the pattern, in characters from 0. */
  readonly at: number;
  /** What is wrong, in words that finish "The host pattern ...". */
  readonly problem: string;
  /** What to write instead. */
  readonly fix: string;
}

/** True for an IPv6 address without brackets, as opposed to a name or an IPv4 address. */
export function isIpv6Literal(hostname: string): boolean {
  return hostname.includes(":");
}

/** A character that only regular expressions and shells give a meaning; URLs hold none of them as they are. */
export const REGEX_CHARACTER = /[\\^|[\]{}]/;
