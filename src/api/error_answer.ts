import { BrokerError, type ErrorCode, type Issue } from "../errors.ts";
import { HttpFault, type HttpFaultCode } from "./http_fault.ts";

/** The one place where a failure becomes a status (interfaces: HTTP API). */
const STATUS: Readonly<Record<ErrorCode | HttpFaultCode, number>> = {
  usage: 400,
  validation_failed: 400,
  not_found: 404,
  already_exists: 409,
  ambiguous_host: 409,
  conflict: 409,
  unauthorized: 401,
  forbidden: 403,
  vault_mismatch: 403,
  limit_exceeded: 429,
  too_many_proposals: 429,
  proposal_applied: 409,
  proposal_rejected: 409,
  proposal_expired: 409,
  vault_changed: 409,
  values_missing: 400,
  // 403, not 401: the bearer token of the request is not what was wrong.
  wrong_passphrase: 403,
  passphrase_required: 403,
  key_file_missing: 503,
  home_unusable: 503,
  schema_too_new: 503,
  store_busy: 503,
  disk_full: 507,
  cancelled: 503,
  not_a_terminal: 500,
  unavailable: 503,
  bad_request: 400,
  host_not_allowed: 403,
  origin_not_allowed: 403,
  method_not_allowed: 405,
  request_too_large: 413,
  unsupported_media_type: 415,
  vault_required: 400,
  form_not_accepted: 403,
  sign_in_refused: 403,
  too_many_attempts: 429,
};

/** Fields that a status demands (RFC 9110, 11.6.1 and 10.2.3). */
const STATUS_HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { "WWW-Authenticate": 'Bearer realm="broker"' },
  503: { "Retry-After": "1" },
};

/** The JSON of an answer that reports a failure. */
export interface ErrorBody extends Record<string, unknown> {
  readonly error: string;
  readonly message: string;
  readonly hint?: string;
  readonly issues?: readonly Issue[];
}

/** What the answer to a failure says, before it is written as JSON or as a page. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;
}

/** The answer to a failure that was foreseen, or `undefined` for any other thrown value. */
export function describeKnownError(error: unknown): ErrorAnswer | undefined {
  if (error instanceof HttpFault) return describe(error, [], error.headers);
  if (error instanceof BrokerError) return describe(error, error.issues, {});
  return undefined;
}

/** The answer to a failure that nobody foresaw: an id to look up in the log, and no word of the fault. */
export function describeDefect(requestId: string): ErrorAnswer {
  const body: ErrorBody = {
    error: "internal_error",
    message: "The broker failed to answer this request; its log has the reason",
    request_id: requestId,
  };
  return { status: 500, body, headers: {} };
}

/** Writes the answer as JSON. */
export function answerJson({ status, body, headers }: ErrorAnswer): Response {
  return Response.json(body, { status, headers });
}

function describe(
  error: HttpFault | BrokerError,
  issues: readonly Issue[],
  headers: Readonly<Record<string, string>>,
): ErrorAnswer {
  const status = STATUS[error.code];
  const body: ErrorBody = {
    // First, so that no detail can take the place of the members that every client reads.
    ...error.details,
    error: error.code,
    message: error.message,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(issues.length === 0 ? {} : { issues }),
  };
  return { status, body, headers: { ...STATUS_HEADERS[status], ...headers } };
}
