/**
 * Which inherited text counts as a stored credential. A whole value always does, however short. A
 * part does when it is long enough that it cannot be chance; a shorter part only where secrets
 * stand, because a user name such as `buildbot` is also a part of `/home/buildbot` and of `PATH`.
 */
import type { Secret } from "../model/secret.ts";

/** A credential as the vault stores it. */
export interface StoredCredential {
  readonly key: string;
  readonly value: Secret;
}

/** What is left of a value once no stored credential is in it. */
export interface Scrubbed {
  readonly text: string;
  /** The keys whose placeholders took the place of their values; empty when nothing changed. */
  readonly keys: readonly string[];
  /** True when the whole value was the credential. */
  readonly whole: boolean;
}

/** Removes stored credentials from text. */
export type Scrubber = (text: string, preferredKey: string) => Scrubbed;

/** Characters from which a credential counts wherever it stands: shorter than any issued token. */
const ANYWHERE_LENGTH = 16;
/** Characters from which it counts between delimiters: the shortest password most sites accept. */
const DELIMITED_LENGTH = 8;
/** What stands before and after a secret in `Bearer X`, `key=X`, `Name: X`, `{"token":"X"}`. */
const OPENING = /[\s:=,;"'(]$/;
const CLOSING = /^(?:$|[\s,;&"')])/;
/** What stands around it in a URL's user information. */
const USERINFO_OPENING = /(?::|\/\/)$/;
const USERINFO_CLOSING = /^[:@]/;

interface Needle {
  readonly text: string;
  readonly key: string;
}

/** The text that stands in for a credential: `GITHUB_TOKEN` gives `__github_token__`. */
export function placeholderOf(key: string): string {
  return `__${key.toLowerCase()}__`;
}

/**
 * Prepares a {@link Scrubber} for these credentials. It also knows them percent-encoded, escaped as
 * in JSON, in base64, and as user name or password of a `Basic` header.
 */
export function createScrubber(credentials: readonly StoredCredential[]): Scrubber {
  const keysOf = new Map<string, string[]>();
  for (const { key, value } of credentials) {
    const text = value.reveal().trim();
    if (text === "") continue;
    keysOf.set(text, [...keysOf.get(text) ?? [], key]);
  }
  const needles = [...keysOf].flatMap(([text, [key = ""]]) =>
    forms(text).map((form) => ({
      text: form,
      key,
    }))
  );
  // The longest first: a credential inside another one must not leave the rest of it standing.
  needles.sort((left, right) => right.text.length - left.text.length);

  return (text, preferredKey) => {
    const same = keysOf.get(text.trim());
    if (same !== undefined) {
      const key = same.includes(preferredKey) ? preferredKey : same[0] ?? preferredKey;
      return { text: placeholderOf(key), keys: [key], whole: true };
    }
    const found = new Set<string>();
    const withoutBasic = replaceBasic(text, (part) => {
      const key = keysOf.get(part)?.[0];
      if (key !== undefined) found.add(key);
      return key;
    });
    const present = needles.filter((needle) => withoutBasic.includes(needle.text));
    const scrubbed = replaceParts(withoutBasic, present, found);
    return { text: scrubbed, keys: [...found], whole: false };
  };
}

function forms(text: string): string[] {
  if (text.length < DELIMITED_LENGTH) return [];
  const encoded = [
    text,
    // A lone surrogate has no percent-encoding: toWellFormed keeps the encoder from throwing.
    encodeURIComponent(text.toWellFormed()),
    JSON.stringify(text).slice(1, -1),
    base64(text),
  ];
  return [...new Set(encoded)];
}

function replaceParts(text: string, needles: readonly Needle[], found: Set<string>): string {
  if (needles.length === 0) return text;
  let result = "";
  let index = 0;
  while (index < text.length) {
    const needle = needles.find((candidate) => standsAt(text, index, candidate.text));
    if (needle === undefined) {
      result += text[index];
      index += 1;
    } else {
      found.add(needle.key);
      result += placeholderOf(needle.key);
      index += needle.text.length;
    }
  }
  return result;
}

function standsAt(text: string, index: number, needle: string): boolean {
  if (!text.startsWith(needle, index)) return false;
  if (needle.length >= ANYWHERE_LENGTH) return true;
  const before = text.slice(Math.max(0, index - 2), index);
  const after = text.slice(index + needle.length, index + needle.length + 1);
  return (OPENING.test(before) && CLOSING.test(after)) ||
    (USERINFO_OPENING.test(before) && USERINFO_CLOSING.test(after));
}

/** `Basic` with a stored user name or password inside becomes `Basic` with a placeholder. */
function replaceBasic(text: string, keyOf: (part: string) => string | undefined): string {
  return text.replace(/\b(basic\s+)([a-z0-9+/_-]{4,}={0,2})/gi, (whole, scheme: string, blob) => {
    const decoded = decodeBase64(blob as string);
    if (decoded === undefined) return whole;
    const colon = decoded.indexOf(":");
    const parts = colon < 0 ? [decoded] : [decoded.slice(colon + 1), decoded.slice(0, colon)];
    const key = parts.map(keyOf).find((candidate) => candidate !== undefined);
    return key === undefined ? whole : `${scheme}${placeholderOf(key)}`;
  });
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function decodeBase64(text: string): string | undefined {
  try {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
