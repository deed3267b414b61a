import type { ActorType } from "./session.ts";

/** How a request reached the proxy: in an intercepted tunnel, in absolute-form, or as a blind tunnel. */
export type Ingress = "connect" | "forward" | "tunnel";

/**
 * What the request log keeps of one request, tunnel or refusal (interfaces: Log row). Never a query
 * string, a header, a body or a credential's value.
 */
export interface RequestLogRow {
  readonly id: string;
  /** Milliseconds since the epoch, when the head had been read. */
  readonly createdAt: number;
  /** `undefined` where the caller could not be told, as with a 407. */
  readonly vault: string | undefined;
  readonly ingress: Ingress;
  readonly method: string;
  /** `host` or `host:port`, the scheme's default port left out. */
  readonly host: string;
  /** As the client sent it, before substitution and without the query. */
  readonly path: string;
  readonly matchedService: string | undefined;
  readonly credentialKeys: readonly string[];
  /** What the client was answered; 0 when it left before there was an answer. */
  readonly status: number;
  /** Milliseconds from the request's head to the answer's last byte. */
  readonly latencyMs: number;
  /** Body bytes for requests, all bytes for tunnels. */
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly errorCode: string | undefined;
  readonly actorType: ActorType | undefined;
  readonly actorName: string | undefined;
}
