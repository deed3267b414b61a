import { REFUSAL_HELP, type RefusalCode } from "../model/refusal_code.ts";

/** Reason phrases of the statuses above (RFC 9110 section 15, RFC 6585, RFC 5842). */
export const REASON: Readonly<Record<number, string>> = {
  400: "Bad Request",
  403: "Forbidden",
  407: "Proxy Authentication Required",
  413: "Content Too Large",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  502: "Bad Gateway",
  504: "Gateway Timeout",
  508: "Loop Detected",
};

/** One refusal: nothing of the request reached an upstream, or nothing usable came back. */
export interface Refusal {
  readonly code: RefusalCode;
  /** For people; never holds a credential's value or a header's. */
  readonly message: string;
  /** Members that the JSON body has beside the common ones. */
  readonly extras?: Readonly<Record<string, unknown>>;
}

/** Thrown where a refusal is found below the place that answers. */
export class RefusalError extends Error {
  override readonly name = "RefusalError";
  readonly refusal: Refusal;

  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(refusal.message, options);
    this.refusal = refusal;
  }
}

/** The JSON document of a refusal (interfaces: Proxy). */
export function refusalBody(refusal: Refusal, requestId: string): string {
  return JSON.stringify({
    error: refusal.code,
    message: refusal.message,
    help: REFUSAL_HELP[refusal.code],
    request_id: requestId,
    ...refusal.extras,
  }) + "\n";
}

/** The extras of a 403 for a host that an agent may ask for (spec: Errors, "Unknown host"). */
export function proposalHint(host: string): Readonly<Record<string, unknown>> {
  return {
    proposal_hint: {
      host,
      endpoint: "POST /v1/proposals",
      supported_auth_types: ["bearer", "basic", "api-key", "custom", "passthrough"],
    },
  };
}
