/**
 * What the program tells its operator on standard error: one record a line, `TIME LEVEL EVENT` and then
 * `name=value` pairs. It redacts by construction, so that no call can be careless:
 *
 * - a field is a primitive, a {@link Secret} (printed `[secret]`) or an Error; objects do not type-check;
 * - a field whose name says that it holds a secret, a header, a body or a query prints `[secret]`;
 * - texts, error messages included, lose URL queries, URL user names, broker tokens and what follows
 *   `Bearer` or `Basic`;
 * - control and direction characters are escaped, so that a value cannot forge a line or a colour.
 */
import { BrokerError } from "./errors.ts";
import { Secret } from "./model/secret.ts";

/** The levels from the fewest records to the most. */
export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;

/** How much is logged: the named level and those before it. */
export type LogLevel = typeof LOG_LEVELS[number];

/** What is logged when `BROKER_LOG` is not set. */
export const DEFAULT_LOG_LEVEL: LogLevel = "warn";

/** What a field may hold; `undefined` leaves the field out. */
export type LogValue = string | number | bigint | boolean | null | undefined | Secret | Error;

/** The fields of one record, in their order. */
export type LogFields = Readonly<Record<string, LogValue>>;

/** What a part of the program takes in order to log. */
export interface Logger {
  /** Whether records of this level are written, for callers whose fields cost something. */
  isEnabled(level: LogLevel): boolean;
  /** Something failed that should not. `event` is a short constant: `"store.write_failed"`. */
  error(event: string, fields?: LogFields): void;
  /** Something the operator may want to change. */
  warn(event: string, fields?: LogFields): void;
  /** What the program does, one record for each thing it was asked. */
  info(event: string, fields?: LogFields): void;
  /** Everything else; stack traces stand at this level only. */
  debug(event: string, fields?: LogFields): void;
}

/** Where records go and how many. */
export interface LoggerOptions {
  readonly level: LogLevel;
  /** Takes one record without its line end; must not throw. */
  readonly write: (line: string) => void;
  /** The time of a record; the system's clock unless told. */
  readonly now?: () => Date;
}

/** Creates a logger. A level that is not enabled costs one call of an empty function. */
export function createLogger({ level, write, now = () => new Date() }: LoggerOptions): Logger {
  const rank = LOG_LEVELS.indexOf(level);
  const method = (name: LogLevel) =>
    LOG_LEVELS.indexOf(name) > rank ? ignore : (event: string, fields?: LogFields) => {
      write(`${now().toISOString()} ${name} ${event}${formatFields(fields, level === "debug")}`);
    };
  return {
    isEnabled: (name) => LOG_LEVELS.indexOf(name) <= rank,
    error: method("error"),
    warn: method("warn"),
    info: method("info"),
    debug: method("debug"),
  };
}

/**
 * Reads `BROKER_LOG`; unset or empty gives {@link DEFAULT_LOG_LEVEL}.
 * @throws BrokerError usage, when it names no level.
 */
export function parseLogLevel(text: string | undefined): LogLevel {
  if (text === undefined || text === "") return DEFAULT_LOG_LEVEL;
  const level = LOG_LEVELS.find((each) => each === text.toLowerCase());
  if (level !== undefined) return level;
  throw new BrokerError("usage", `Read BROKER_LOG: ${JSON.stringify(text)} is no level`, {
    hint: `use one of ${LOG_LEVELS.join(", ")}`,
  });
}

/** A `write` for {@link createLogger}: the line goes to standard error, whole, or is given up. */
export function writeToStandardError(line: string): void {
  const bytes = new TextEncoder().encode(line + "\n");
  try {
    for (let sent = 0; sent < bytes.length;) sent += Deno.stderr.writeSync(bytes.subarray(sent));
  } catch {
    // Nobody reads standard error any more; the work must not stop for it.
  }
}

function ignore(): void {}

const MASK = "[secret]";

/** Longest text of one field, in UTF-16 units: a hostile peer's message must not fill the terminal. */
const MAX_TEXT_LENGTH = 2_000;

/** Text beyond this is not even looked at: the patterns below must not cost seconds on a huge message. */
const MAX_REDACTED_LENGTH = 8_000;

/** How many causes of an error are told; more than any real chain. */
const MAX_CAUSES = 8;

/** Field names, or last words of them, whose text is never printed. */
const SECRET_NAME =
  /(?:^|[_\-. ])(?:authorization|cookie2?|passw(?:or)?d|passphrase|secret|token|api[_-]?key|private[_-]?key|value|headers?|body|query|search)s?$/i;

/** A URL or an absolute path, its user name, and what follows its path. */
const URL_PARTS = /(\b[a-z][a-z0-9+.-]*:\/\/)([^\s/?#"'<>]*@)?|(?<=\S)([?#])[^\s"'<>]+/gi;

/** Credentials as they stand in a header (RFC 9110, section 11.4), with the scheme's name before them. */
const SCHEME_CREDENTIALS = /\b(bearer|basic|digest|token|negotiate)(\s+)[^\s"',;]+/gi;

/** A header that carries credentials, to the end of its line. */
const HEADER_LINE =
  /\b((?:proxy-)?authorization|(?:set-)?cookie2?|x-api-key)(["']?\s*[:=]\s*)[^\r\n]+/gi;

/** The broker's own tokens (interfaces: Tokens). */
const BROKER_TOKEN = /\b(brk_[a-z]+_)[A-Za-z0-9_-]+/g;

/** What `encodeURI` and terminals treat specially: controls, line and paragraph ends, directions. */
// deno-lint-ignore no-control-regex
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function formatFields(fields: LogFields | undefined, withStacks: boolean): string {
  if (fields === undefined) return "";
  let text = "";
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    text += ` ${escapeUnprintable(name)}=${formatValue(name, value)}`;
    if (withStacks && value instanceof Error && value.stack !== undefined) {
      text += ` ${escapeUnprintable(name)}_stack=${quote(redact(value.stack))}`;
    }
  }
  return text;
}

function formatValue(name: string, value: Exclude<LogValue, undefined>): string {
  if (value instanceof Secret) return MASK;
  if (value instanceof Error) return quote(redact(describeError(value)));
  if (typeof value === "string") return SECRET_NAME.test(name) ? MASK : quote(redact(value));
  // A caller that escaped the type checker may still hand in an object; its text is not asked for.
  return typeof value === "object" && value !== null ? MASK : String(value);
}

function describeError(error: Error): string {
  const parts: string[] = [];
  let current: unknown = error;
  while (current instanceof Error && parts.length < MAX_CAUSES) {
    const code = current instanceof BrokerError ? ` ${current.code}` : "";
    parts.push(`${current.name}${code}: ${current.message}`);
    current = current.cause;
  }
  return parts.join("; because of ");
}

function redact(text: string): string {
  return text
    .slice(0, MAX_REDACTED_LENGTH)
    .replace(
      URL_PARTS,
      (_, scheme?: string, user?: string, mark?: string) =>
        scheme === undefined ? `${mark}${MASK}` : user === undefined ? scheme : `${scheme}${MASK}@`,
    )
    .replace(HEADER_LINE, (_, name: string, mark: string) => `${name}${mark}${MASK}`)
    .replace(SCHEME_CREDENTIALS, (_, name: string, blank: string) => `${name}${blank}${MASK}`)
    .replace(BROKER_TOKEN, (_, prefix: string) => `${prefix}${MASK}`);
}

function quote(text: string): string {
  const short = text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}... (cut)` : text;
  return escapeUnprintable(/^[^\s"=\\]+$/.test(short) ? short : JSON.stringify(short));
}

function escapeUnprintable(text: string): string {
  return text.replace(
    UNPRINTABLE,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
