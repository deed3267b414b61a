import { HttpFault } from "./fault.ts";
import { type HeaderList, headerValues } from "./headers.ts";
import type { RequestHead } from "./request_head.ts";
import type { ResponseHead } from "./response_head.ts";

/** How the end of a body is found (RFC 9112 section 6). */
export type Framing =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly length: number }
  | { readonly kind: "chunked" }
  | { readonly kind: "until-close" };

const NONE: Framing = { kind: "none" };
const CHUNKED: Framing = { kind: "chunked" };
const UNTIL_CLOSE: Framing = { kind: "until-close" };

/**
 * How a request's body is framed: by exactly one rule, or refused. RFC 9112 section 6.3 would let a
 * recipient repair some of these; whoever repairs differently from the next hop smuggles requests.
 *
 * @throws {HttpFault} for both length and coding, for several or malformed lengths, for any coding but
 * `chunked`, and for a coding on HTTP/1.0.
 */
export function requestFraming(head: RequestHead): Framing {
  const declared = declaredFraming(head.headers);
  if (declared?.kind === "chunked" && head.minorVersion === 0) {
    throw new HttpFault("an HTTP/1.0 request carries Transfer-Encoding");
  }
  return declared ?? NONE;
}

/**
 * How a response's body is framed; the request's method and the status come first (RFC 9112 section
 * 6.3), because answers to HEAD and 304 carry the lengths of bodies that do not follow.
 *
 * @throws {HttpFault} as {@link requestFraming} does.
 */
export function responseFraming(head: ResponseHead, requestMethod: string): Framing {
  const declared = declaredFraming(head.headers);
  if (requestMethod === "HEAD" || isBodiless(head.status)) return NONE;
  if (declared?.kind === "chunked" && head.minorVersion === 0) {
    throw new HttpFault("an HTTP/1.0 answer carries Transfer-Encoding");
  }
  return declared ?? UNTIL_CLOSE;
}

/** True for the statuses whose answers never have a body (RFC 9110 section 6.4.1). */
export function isBodiless(status: number): boolean {
  return status < 200 || status === 204 || status === 304;
}

function declaredFraming(headers: HeaderList): Framing | undefined {
  let length: string | undefined;
  let coding: string | undefined;
  for (const [name, value] of headers) {
    if (name.length === 14 && name.toLowerCase() === "content-length") {
      if (length !== undefined) throw new HttpFault("there are several Content-Length fields");
      length = value;
    } else if (name.length === 17 && name.toLowerCase() === "transfer-encoding") {
      if (coding !== undefined) throw new HttpFault("there are several Transfer-Encoding fields");
      coding = value;
    }
  }
  if (coding !== undefined) {
    if (length !== undefined) {
      throw new HttpFault("there are both Transfer-Encoding and Content-Length");
    }
    if (coding.toLowerCase() !== "chunked") {
      throw new HttpFault("the only Transfer-Encoding understood is chunked");
    }
    return CHUNKED;
  }
  if (length === undefined) return undefined;
  // At most 15 digits, so that every length is an exact integer.
  if (!/^[0-9]{1,15}$/.test(length)) {
    throw new HttpFault("Content-Length is not a plain decimal number");
  }
  return { kind: "length", length: Number(length) };
}

/** The comma-separated, lower-cased members of a field such as `Connection`. */
export function listMembers(headers: HeaderList, lowerCaseName: string): string[] {
  return headerValues(headers, lowerCaseName)
    .flatMap((value) => value.split(","))
    .map((member) => member.trim().toLowerCase())
    .filter((member) => member !== "");
}
