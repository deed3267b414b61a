import type { ErrorCode, Issue } from "../errors.ts";
import { BrokerError } from "../errors.ts";
import { CommandError } from "../run/child_command.ts";
import type { Output } from "./output.ts";

/** Exit status of a command that was not typed as it must be. */
const WRONG_USAGE = 2;

/** What a shell reports for a program that Ctrl-C ended: 128 + SIGINT. */
const INTERRUPTED = 130;

const EXIT_STATUS: Readonly<Record<ErrorCode, number>> = {
  usage: WRONG_USAGE,
  cancelled: INTERRUPTED,
  validation_failed: 1,
  not_found: 1,
  already_exists: 1,
  ambiguous_host: 1,
  conflict: 1,
  unauthorized: 1,
  forbidden: 1,
  vault_mismatch: 1,
  limit_exceeded: 1,
  too_many_proposals: 1,
  proposal_applied: 1,
  proposal_rejected: 1,
  proposal_expired: 1,
  vault_changed: 1,
  values_missing: 1,
  wrong_passphrase: 1,
  passphrase_required: 1,
  key_file_missing: 1,
  home_unusable: 1,
  schema_too_new: 1,
  store_busy: 1,
  disk_full: 1,
  not_a_terminal: 1,
  unavailable: 1,
};

/** An {@link Issue} of a file, with its place in the text. */
export interface LocatedIssue extends Issue {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in characters. */
  readonly column: number;
}

/**
 * Tells the user what went wrong and returns the exit status. An error that nobody foresaw is shown as
 * an id only: its text may hold anything. With `debug` the stack and its causes follow.
 */
export function reportFailure(
  error: unknown,
  output: Output,
  options: { readonly debug: boolean },
): number {
  const failure = error instanceof BrokerError ? error : unforeseen(error);
  if (output.json) {
    output.errorDocument({
      // First, so that no detail can take the place of the members that every script reads.
      ...failure.details,
      error: failure instanceof BrokerError ? failure.code : "internal_error",
      message: failure.message,
      ...(failure.hint === undefined ? {} : { hint: failure.hint }),
      ...(failure.issues.length === 0 ? {} : { issues: failure.issues }),
    });
  } else {
    output.error(failure.message);
    for (const issue of failure.issues) {
      // Where there is one fault only, the message often says it already.
      if (!failure.message.includes(issue.message)) output.detail(issueLine(issue));
    }
    if (failure.hint !== undefined) output.hint(failure.hint);
    const commands = failure.details["commands"];
    if (Array.isArray(commands)) { for (const command of commands) output.detail(String(command)); }
  }
  if (options.debug) output.talk(`${Deno.inspect(error)}\n`);
  if (error instanceof CommandError) return error.exitStatus;
  return error instanceof BrokerError ? EXIT_STATUS[error.code] : 1;
}

/** `services[0].auth.token`, as people write it. */
export function formatPath(path: Issue["path"]): string {
  return path.map((part, index) =>
    typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`
  ).join("");
}

function issueLine(issue: Issue | LocatedIssue): string {
  const place = "file" in issue ? `${issue.file}:${issue.line}:${issue.column}: ` : "";
  const path = formatPath(issue.path);
  return `${place}${path === "" ? "" : `${path}: `}${issue.message}`;
}

function unforeseen(cause: unknown): Pick<BrokerError, "message" | "hint" | "issues" | "details"> {
  const kind = cause instanceof Error ? cause.name : typeof cause;
  return {
    message: `Internal error (${kind}); this is a defect of the program`,
    hint: "type the same with BROKER_LOG=debug in front and report what it prints",
    issues: [],
    details: {},
  };
}
