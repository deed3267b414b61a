/** What can be wrong with a request before any part of the program below HTTP sees it. */
export type HttpFaultCode =
  | "bad_request"
  | "host_not_allowed"
  | "origin_not_allowed"
  | "method_not_allowed"
  | "request_too_large"
  | "unsupported_media_type"
  | "vault_required"
  | "form_not_accepted"
  | "sign_in_refused"
  | "too_many_attempts";

/** What may accompany an {@link HttpFault}. */
export interface HttpFaultOptions {
  /** What to send instead. */
  readonly hint?: string;
  /** Further members of the JSON answer. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Further header fields of the answer, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that is refused for its HTTP form; faults of its content are BrokerErrors. */
export class HttpFault extends Error {
  override readonly name = "HttpFault";
  readonly code: HttpFaultCode;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: HttpFaultCode, message: string, options: HttpFaultOptions = {}) {
    super(message);
    this.code = code;
    this.hint = options.hint;
    this.details = options.details ?? {};
    this.headers = options.headers ?? {};
  }
}
