import { BrokerError } from "../errors.ts";

/** Which rows of the request log are meant. What is left out does not narrow. */
export interface RequestLogFilter {
  readonly vault?: string;
  /** With a vault: also rows of nobody's, such as a 407, whose vault could not be told. */
  readonly nobodys?: boolean;
  /** Canonical service name; rows from before path-based matching hold the matched host (spec: Versioning). */
  readonly service?: string;
  readonly status?: StatusRange;
  readonly actor?: string;
  /** `host` or `host:port` as the row has it. */
  readonly host?: string;
  /** Begun at this moment or later, milliseconds since the epoch. */
  readonly since?: number;
  /** Begun before this moment, milliseconds since the epoch. */
  readonly until?: number;
}

/** Statuses from the first to the last, both included; 0 is a client that left before its answer. */
export interface StatusRange {
  readonly first: number;
  readonly last: number;
}

const WORDS: Readonly<Record<string, StatusRange>> = {
  ok: { first: 100, last: 399 },
  error: { first: 400, last: 599 },
};

/**
 * Reads `404`, `4xx`, `ok` (below 400) or `error` (400 and above).
 *
 * @throws BrokerError `validation_failed` for anything else.
 */
export function parseStatusRange(text: string): StatusRange {
  const lower = text.toLowerCase();
  const word = Object.hasOwn(WORDS, lower) ? WORDS[lower] : undefined;
  if (word !== undefined) return word;
  const [, digit] = /^([1-5])xx$/.exec(lower) ?? [];
  if (digit !== undefined) return { first: Number(digit) * 100, last: Number(digit) * 100 + 99 };
  if (/^(0|[1-5][0-9]{2})$/.test(lower)) return { first: Number(lower), last: Number(lower) };
  throw new BrokerError(
    "validation_failed",
    `${
      JSON.stringify(text.slice(0, 40))
    } is no status: write a status such as 404, a class such as ` +
      "4xx, ok or error",
    { hint: "4xx" },
  );
}
