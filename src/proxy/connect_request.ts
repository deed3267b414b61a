import { HttpFault } from "../http1/fault.ts";
import { requestFraming } from "../http1/framing.ts";
import { headerValues } from "../http1/headers.ts";
import type { RequestHead } from "../http1/request_head.ts";
import type { Authority } from "../http1/request_target.ts";
import type { AccessCheck } from "./access.ts";

/** The answer to a CONNECT behind which the tunnel begins. */
export const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n";

/** A CONNECT request whose client may use the broker. */
export interface ConnectRequest {
  readonly authority: Authority;
  readonly access: AccessCheck;
}

/**
 * Checks a CONNECT's own form: it has no body, and one Host at most (its value decides nothing).
 *
 * @throws {HttpFault} otherwise.
 */
export function checkConnectHead(head: RequestHead): void {
  if (headerValues(head.headers, "host").length > 1) {
    throw new HttpFault("there are several Host fields");
  }
  const framing = requestFraming(head);
  if (framing.kind === "chunked" || (framing.kind === "length" && framing.length > 0)) {
    throw new HttpFault("a CONNECT carries a body");
  }
}
