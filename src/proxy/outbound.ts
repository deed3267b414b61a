import { HttpFault } from "../http1/fault.ts";
import type { Framing } from "../http1/framing.ts";
import { listMembers, requestFraming } from "../http1/framing.ts";
import { type HeaderField, type HeaderList, headerValues } from "../http1/headers.ts";
import { forwardableRequestHeaders } from "../http1/hop_by_hop.ts";
import type { RequestHead } from "../http1/request_head.ts";
import { type Authority, hostField } from "../http1/request_target.ts";
import { applyAuth } from "../inject/apply_auth.ts";
import type { CompiledService } from "./compiled_vault.ts";
import { RefusalError } from "./refusal.ts";
import { SubstitutionFault } from "../substitute/fault.ts";

/** The head of a request as it leaves for the upstream, before its framing is known. */
export interface OutboundHead {
  readonly method: string;
  /** Origin-form or `*`, substituted. */
  readonly target: string;
  /** Without framing and connection fields. */
  readonly headers: HeaderList;
}

/** What {@link outboundHead} needs beside the client's head. */
export interface OutboundOptions {
  readonly scheme: "http" | "https";
  readonly authority: Authority;
  /** Path and query as the client sent them. */
  readonly pathAndQuery: string;
  readonly service: CompiledService | undefined;
}

/**
 * Turns a client's head into the upstream's, step by step in the order that keeps the credential safe.
 *
 * @throws {RefusalError} `credential_not_found`, or `bad_request` for a substitution that would break
 * the head.
 */
export function outboundHead(head: RequestHead, options: OutboundOptions): OutboundHead {
  const { service } = options;
  if (service !== undefined && service.missing.length > 0) throw missingCredentials(service);
  // 1. Only what may travel: a nominated field is gone before the slot is filled, so that a client
  //    cannot nominate the slot away.
  let headers: HeaderList = forwardableRequestHeaders(head.headers);
  // 2. The authority that was matched is the one that the upstream hears of.
  headers = withHost(headers, hostField(options.scheme, options.authority));
  if (service === undefined) return { method: head.method, target: options.pathAndQuery, headers };
  // 3. The slot, every earlier copy of it replaced.
  if (service.auth.kind === "ready") headers = applyAuth(headers, service.auth);
  // 4. Placeholders, on the listed surfaces only; injected fields are not scanned.
  return substitute({ method: head.method, target: options.pathAndQuery, headers }, service);
}

/** The fields that tell the upstream how the body is framed and whether the protocol changes. */
export function connectionFields(
  headers: HeaderList,
  options: { framing: Framing; upgrade: boolean },
): HeaderList {
  const fields: HeaderField[] = [];
  if (options.framing.kind === "chunked") fields.push(["Transfer-Encoding", "chunked"]);
  if (options.upgrade) fields.push(["Connection", "Upgrade"], ["Upgrade", "websocket"]);
  return fields.length === 0 ? headers : [...headers, ...fields];
}

/** The same fields with the length of a body that the broker itself has changed. */
export function withContentLength(headers: HeaderList, length: number): HeaderList {
  const kept = headers.filter(([name]) => {
    const lower = name.toLowerCase();
    // The broker has the whole body, so the client is not asked to wait for a go-ahead.
    return lower !== "content-length" && lower !== "expect";
  });
  return [...kept, ["Content-Length", String(length)]];
}

/**
 * True for the opening handshake of a WebSocket (RFC 6455 section 4.1). One with a body is none: the body
 * and the first frames would be read off the connection at the same time.
 */
export function isWebSocketUpgrade(head: RequestHead): boolean {
  return head.method === "GET" && head.minorVersion === 1 &&
    headerValues(head.headers, "upgrade").some((value) => value.toLowerCase() === "websocket") &&
    listMembers(head.headers, "connection").includes("upgrade") && !hasBody(head);
}

function hasBody(head: RequestHead): boolean {
  const framing = requestFraming(head);
  return framing.kind === "length" ? framing.length > 0 : framing.kind !== "none";
}

function withHost(headers: HeaderList, host: string): HeaderList {
  const replaced: HeaderField[] = [];
  let found = false;
  for (const field of headers) {
    if (field[0].length === 4 && field[0].toLowerCase() === "host") {
      replaced.push([field[0], host]);
      found = true;
    } else {
      replaced.push(field);
    }
  }
  return found ? replaced : [["Host", host], ...replaced];
}

function substitute(outbound: OutboundHead, service: CompiledService): OutboundHead {
  const { substitutions, auth } = service;
  if (substitutions.kind !== "ready") return outbound;
  let { target, headers } = outbound;
  if (substitutions.path !== undefined || substitutions.query !== undefined) {
    const mark = target.indexOf("?");
    let path = mark === -1 ? target : target.slice(0, mark);
    let query = mark === -1 ? "" : target.slice(mark + 1);
    if (substitutions.path !== undefined) path = orRefuse(substitutions.path(path));
    if (substitutions.query !== undefined) query = substitutions.query(query);
    target = mark === -1 ? path : `${path}?${query}`;
  }
  if (substitutions.header !== undefined) {
    const injected = auth.kind === "ready" ? auth.slotNames : NO_NAMES;
    headers = orRefuse(substitutions.header(headers, injected));
  }
  if (substitutions.websocket !== undefined) {
    // A compressed frame cannot be scanned, so no extension is negotiated (spec: Substitutions, 5).
    headers = headers.filter(([name]) => name.toLowerCase() !== "sec-websocket-extensions");
  }
  return { method: outbound.method, target, headers };
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** @throws {RefusalError} `credential_unusable` for a value that would break the request. */
function orRefuse<T>(result: T | SubstitutionFault): T {
  if (!(result instanceof SubstitutionFault)) return result;
  throw new RefusalError({ code: "credential_unusable", message: result.message });
}

function missingCredentials(service: CompiledService): RefusalError {
  const keys = service.missing.map((key) => `"${key}"`).join(", ");
  return new RefusalError({
    code: "credential_not_found",
    message: `The service "${service.service.name}" needs ${keys}, which the vault does not hold`,
    extras: { missing: service.missing },
  });
}

/**
 * Checks the `Host` fields of a request (RFC 9112 section 3.2): HTTP/1.1 demands exactly one. Its value
 * decides nothing and is replaced.
 *
 * @throws {HttpFault} for none or several.
 */
export function checkHostFields(head: RequestHead): void {
  const count = headerValues(head.headers, "host").length;
  if (count > 1) throw new HttpFault("there are several Host fields");
  if (count === 0 && head.minorVersion === 1) throw new HttpFault("there is no Host field");
}
