import { normalizePath, pathReadings } from "./path_readings.ts";
import { type PatternFault, REGEX_CHARACTER } from "./pattern_fault.ts";

/**
 * The first fault of a pattern's path glob, which begins with a slash. `*` stands for any characters,
 * slashes included; everything else stands for itself. A glob must be a path that can be read in one way
 * only, because requests whose readings disagree are refused: it could never match.
 *
 * @param authority What stands before the glob; fixes show it, and places are counted from its start.
 */
export function findGlobFault(authority: string, glob: string): PatternFault | undefined {
  const start = authority.length;
  return findSignFault(authority, glob) ?? findRegexFault(authority, glob) ??
    findCharacterFault(authority, glob) ?? findReadingFault(authority, glob, start);
}

function findSignFault(authority: string, glob: string): PatternFault | undefined {
  const sign = glob.search(/[?#]/);
  if (sign === -1) return undefined;
  const at = authority.length + sign;
  const before = glob.slice(0, sign);
  return glob[sign] === "#"
    ? { at, problem: "has a fragment", fix: `write "${authority}${before}"` }
    : {
      at,
      problem: 'has a "?"',
      fix: `write "${authority}${before}", or "*" where anything may stand; the query does not ` +
        "take part in matching",
    };
}

function findRegexFault(authority: string, glob: string): PatternFault | undefined {
  const sign = glob.search(/[\\^|[\]{}]|\.[*+]|\$$/);
  if (sign === -1) return undefined;
  const found = REGEX_CHARACTER.test(glob[sign]!) || glob[sign] === "$"
    ? glob[sign]!
    : glob.slice(sign, sign + 2);
  const plain = found === ".*" || found === ".+"
    ? glob.slice(0, sign) + "*" + glob.slice(sign + 2)
    : undefined;
  return {
    at: authority.length + sign,
    problem: `has ${JSON.stringify(found)}, as regular expressions do`,
    fix: plain === undefined || findGlobFault(authority, plain) !== undefined
      ? 'write the path, with "*" where anything may stand'
      : `write "${authority}${plain}", because "*" stands for any characters`,
  };
}

function findCharacterFault(authority: string, glob: string): PatternFault | undefined {
  const sign = glob.search(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]|%(?![0-9A-Fa-f]{2})/u);
  if (sign === -1) return undefined;
  const char = String.fromCodePoint(glob.codePointAt(sign)!);
  const encoded = glob.isWellFormed() ? encodeURIComponent(char) : "%EF%BF%BD";
  return {
    at: authority.length + sign,
    problem: char === "%"
      ? 'has a "%" without two hexadecimal digits'
      : `has ${JSON.stringify(char)} in the path`,
    fix: `write ${encoded} in its place`,
  };
}

function findReadingFault(
  authority: string,
  glob: string,
  start: number,
): PatternFault | undefined {
  const readings = pathReadings(glob);
  if (readings?.length === 1 && readings[0] === glob) return undefined;
  const normal = normalizePath(glob);
  const isSound = !normal.includes("**") && pathReadings(normal)?.length === 1;
  return {
    at: start + firstDifference(glob, isSound ? normal : readings?.[1] ?? ""),
    problem: "has a path that upstreams can read in more than one way",
    fix: isSound && normal !== glob
      ? `write "${authority}${normal}"`
      : 'write "*" in place of ";" and of encoded slashes, dots and delimiters',
  };
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}
