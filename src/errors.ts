/**
 * The one error type that the program raises on purpose. Anything else that is thrown is a defect:
 * the edges (terminal, HTTP API, proxy) show a request id for it and never its text.
 *
 * Messages inside the program: capital first letter, no final period, action first, values in double
 * quotes, detail after a colon. A message never holds a secret or a header value.
 */

/** What went wrong, as one word that scripts can compare. Each edge maps it to a status exhaustively. */
export type ErrorCode =
  | "usage"
  | "validation_failed"
  | "not_found"
  | "already_exists"
  | "ambiguous_host"
  | "conflict"
  | "unauthorized"
  | "forbidden"
  | "vault_mismatch"
  | "limit_exceeded"
  | "too_many_proposals"
  | "proposal_applied"
  | "proposal_rejected"
  | "proposal_expired"
  | "vault_changed"
  | "values_missing"
  | "wrong_passphrase"
  | "passphrase_required"
  | "key_file_missing"
  | "home_unusable"
  | "schema_too_new"
  | "store_busy"
  | "disk_full"
  | "cancelled"
  | "not_a_terminal"
  | "unavailable";

/** One fault of an input, with the place it stands at. */
export interface Issue {
  /** Where, from the document's root: `["services", 0, "auth", "token"]`. */
  readonly path: readonly (string | number)[];
  /** What is wrong and what to write instead; never holds a credential's value. */
  readonly message: string;
}

/** What may accompany a {@link BrokerError}. */
export interface BrokerErrorOptions {
  /** The next thing to type or do, as a sentence fragment or a command. */
  readonly hint?: string;
  /** Every fault of the input, when the code is `validation_failed`. */
  readonly issues?: readonly Issue[];
  /** Further machine-readable members for the JSON form, such as `candidates`. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** What was caught, for the debug log. */
  readonly cause?: unknown;
}

/** A failure that the program foresaw and can explain. */
export class BrokerError extends Error {
  override readonly name = "BrokerError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly issues: readonly Issue[];
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: BrokerErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.issues = options.issues ?? [];
    this.details = options.details ?? {};
  }
}
