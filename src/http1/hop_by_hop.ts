import { listMembers } from "./framing.ts";
import type { HeaderField, HeaderList } from "./headers.ts";

/** Fields that concern one connection only (spec: Header forwarding, 1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Fields that authenticate the client to the broker (spec: Header forwarding, 2). */
const BROKER_SCOPED: ReadonlySet<string> = new Set(["x-vault", "proxy-authorization"]);

/**
 * Fields that a `Connection` header cannot take away, because later hops depend on them: the message
 * would lose its framing, its target or the length that a client was promised (RFC 9110 section 7.6.1).
 */
const NEVER_NOMINATED: ReadonlySet<string> = new Set(["host", "content-length"]);

/** Values of `Connection` that nearly every message carries and that nominate no field. */
const NAMES_NO_FIELD: ReadonlySet<string> = new Set(["keep-alive", "Keep-Alive", "close"]);

/** Names by length: most fields of a request are told apart by it without lower-casing them. */
const REQUEST_LENGTHS = lengthsOf([...HOP_BY_HOP, ...BROKER_SCOPED]);
const RESPONSE_LENGTHS = lengthsOf([...HOP_BY_HOP]);

/** The request fields that travel on: order and case kept, hop-by-hop and broker-scoped ones removed. */
export function forwardableRequestHeaders(headers: HeaderList): HeaderField[] {
  return forwardable(headers, { lengths: REQUEST_LENGTHS, brokerScoped: true });
}

/** The response fields that travel back: order and case kept, hop-by-hop ones removed. */
export function forwardableResponseHeaders(headers: HeaderList): HeaderField[] {
  return forwardable(headers, { lengths: RESPONSE_LENGTHS, brokerScoped: false });
}

/** True for a field that may not travel in a trailer section (RFC 9110 section 6.5.1). */
export function isForbiddenTrailer(lowerCaseName: string): boolean {
  return HOP_BY_HOP.has(lowerCaseName) || BROKER_SCOPED.has(lowerCaseName) ||
    FRAMING_OR_ROUTING.has(lowerCaseName);
}

const FRAMING_OR_ROUTING: ReadonlySet<string> = new Set([
  "authorization",
  "content-encoding",
  "content-length",
  "content-range",
  "content-type",
  "cookie",
  "host",
  "set-cookie",
]);

function forwardable(
  headers: HeaderList,
  options: { lengths: Uint8Array; brokerScoped: boolean },
): HeaderField[] {
  const kept: HeaderField[] = [];
  let nominating = false;
  for (const field of headers) {
    const name = field[0];
    if (name.length < options.lengths.length && options.lengths[name.length] === 1) {
      const lower = name.toLowerCase();
      if (lower === "connection") nominating ||= !NAMES_NO_FIELD.has(field[1]);
      if (HOP_BY_HOP.has(lower)) continue;
      if (options.brokerScoped && BROKER_SCOPED.has(lower)) continue;
    }
    kept.push(field);
  }
  if (!nominating) return kept;
  const nominated = new Set(listMembers(headers, "connection"));
  return kept.filter(([name]) => {
    const lower = name.toLowerCase();
    return !nominated.has(lower) || NEVER_NOMINATED.has(lower);
  });
}

function lengthsOf(names: readonly string[]): Uint8Array {
  const table = new Uint8Array(Math.max(...names.map((name) => name.length)) + 1);
  for (const name of names) table[name.length] = 1;
  return table;
}
