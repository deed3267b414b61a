/**
 * Upstreams do not agree on what a path means: one resolves `%2e%2e` and another does not, one takes
 * `%2f` for a slash, one drops `;x` before it routes, one decodes twice. A rule that looks at one
 * reading only can be walked around by a path that the upstream reads otherwise. So a path has as many
 * readings as those steps give in any order, and only a path whose readings agree is decided.
 *
 * Paths are without the query, one character a byte, percent-encoded as the client sent them.
 */

/** Readings beyond which a path is given up: real paths have one to four. */
const MAX_READINGS = 64;

/** Longest path that is read in more than one way, in characters; bounds the work per request. */
const MAX_LENGTH = 8 * 1024;

const PLAIN = 1;
const SLASH = 2;
const DOT = 3;

/** What may stand in a path segment as it is (RFC 3986 `pchar`), without `;`, which starts a parameter. */
const KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (char === "/") return SLASH;
  if (char === ".") return DOT;
  return /[A-Za-z0-9\-_~!$&'()*+,=:@]/.test(char) ? PLAIN : 0;
});

/** True for a path with one reading that can be told at a glance: nothing encoded, no dot segment, no `//`. */
export function isPlainPath(path: string): boolean {
  if (path.charCodeAt(0) !== 0x2f) return false;
  let segmentStart = 1;
  let onlyDots = true;
  for (let at = 1; at < path.length; at++) {
    const kind = KIND[path.charCodeAt(at)];
    if (kind === PLAIN) {
      onlyDots = false;
    } else if (kind === SLASH) {
      // Covers "//", "/./", "/../" and stricter than needed "/.../".
      if (onlyDots) return false;
      segmentStart = at + 1;
      onlyDots = true;
    } else if (kind !== DOT) {
      return false;
    }
  }
  return !onlyDots || segmentStart === path.length;
}

/**
 * Every path that an upstream may take a raw path for, the raw one itself first, or `undefined` when
 * there are too many to tell. The first one is spelled in one way: hexadecimal digits in upper case and
 * bytes that must be encoded encoded, which no upstream can tell apart (RFC 3986 section 6.2.2.1).
 */
export function pathReadings(rawPath: string): readonly string[] | undefined {
  if (isPlainPath(rawPath)) return [rawPath];
  if (rawPath.length > MAX_LENGTH) return undefined;
  // A bare backslash is a slash for URL parsers that leave an encoded one alone.
  const readings = new Set([spell(rawPath), spell(rawPath.replaceAll("\\", "/"))]);
  // A Set's iterator also visits what is added on the way, so this ends when no step gives a new reading.
  for (const reading of readings) {
    for (const step of STEPS) readings.add(step(reading));
    if (readings.size > MAX_READINGS) return undefined;
  }
  return [...readings];
}

/**
 * The path that most upstreams take a raw path for: escapes of what may stand literally decoded, encoded
 * and backward slashes turned into slashes, doubled slashes merged, dot segments resolved.
 */
export function normalizePath(rawPath: string): string {
  if (isPlainPath(rawPath)) return rawPath;
  const decoded = decodeBackslashes(decodeSlashes(decodeLiterals(spell(rawPath))));
  return resolveDots(mergeSlashes(decoded));
}

/** What upstreams do to a path before they route, each step alone; any order gives a reading. */
const STEPS: readonly ((path: string) => string)[] = [
  decodeLiterals,
  decodeTwice,
  decodeSlashes,
  decodeBackslashes,
  cutAtDelimiter,
  dropParameters,
  mergeSlashes,
  resolveDots,
  resolveEncodedDots,
];

function spell(path: string): string {
  return path
    .replace(/%[0-9a-fA-F]{2}/g, (escape) => escape.toUpperCase())
    .replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/gu, encode);
}

function encode(char: string): string {
  const code = char.codePointAt(0)!;
  const bytes = code <= 0xff ? [code] : new TextEncoder().encode(char);
  let text = "";
  for (const byte of bytes) text += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  return text;
}

/** Overlong UTF-8, which lenient decoders take for `.`, `/` and `\`. */
const OVERLONG: Readonly<Record<string, string>> = {
  "%C0%AE": ".",
  "%E0%80%AE": ".",
  "%C0%AF": "%2F",
  "%E0%80%AF": "%2F",
  "%C1%9C": "%5C",
};

function decodeLiterals(path: string): string {
  if (!path.includes("%")) return path;
  return spell(
    path
      .replace(/%C0%A[EF]|%E0%80%A[EF]|%C1%9C/g, (bytes) => OVERLONG[bytes]!)
      .replace(/%([2-7][0-9A-F])/g, (escape, digits) => {
        const char = String.fromCharCode(parseInt(digits, 16));
        return /[A-Za-z0-9\-._~!$&'()*+,;=:@]/.test(char) ? char : escape;
      }),
  );
}

function decodeTwice(path: string): string {
  return path.includes("%25") ? spell(path.replace(/%25(?=[0-9a-fA-F]{2})/g, "%")) : path;
}

function decodeSlashes(path: string): string {
  return path.includes("%2F") ? path.replaceAll("%2F", "/") : path;
}

function decodeBackslashes(path: string): string {
  return path.includes("%5C") ? path.replaceAll("%5C", "/") : path;
}

/** Who decodes before splitting off the query or the fragment, or ends text at NUL, sees a shorter path. */
function cutAtDelimiter(path: string): string {
  const at = path.search(/%(?:3F|23|00)/);
  return at === -1 ? path : path.slice(0, at);
}

/** Servlet containers drop `;name=value` from each segment before they route. */
function dropParameters(path: string): string {
  return path.includes(";") ? path.replace(/;[^/]*/g, "") : path;
}

function mergeSlashes(path: string): string {
  return path.includes("//") ? path.replace(/\/{2,}/g, "/") : path;
}

/** RFC 3986 section 5.2.4. */
function resolveDots(path: string): string {
  return /\/\.{1,2}(?:\/|$)/.test(path) ? resolve(path, (segment) => segment) : path;
}

/** The WHATWG URL standard takes encoded dots for dots here, and decodes nothing else. */
function resolveEncodedDots(path: string): string {
  return path.includes("%2E") ? resolve(path, (segment) => segment.replaceAll("%2E", ".")) : path;
}

function resolve(path: string, decode: (segment: string) => string): string {
  const kept: string[] = [];
  const segments = path.split("/").slice(1);
  for (const [index, segment] of segments.entries()) {
    const decoded = decode(segment);
    const isLast = index === segments.length - 1;
    if (decoded === "..") kept.pop();
    if (decoded !== "." && decoded !== "..") kept.push(segment);
    else if (isLast) kept.push("");
  }
  return `/${kept.join("/")}`;
}
