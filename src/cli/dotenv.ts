import { BrokerError } from "../errors.ts";
import { isCredentialKey } from "../model/credential_key.ts";
import { Secret } from "../model/secret.ts";
import type { LocatedIssue } from "./failure.ts";

/** One line of a `.env` file. */
export interface DotenvEntry {
  readonly key: string;
  readonly value: Secret;
}

const ASSIGNMENT = /^(?:export[ \t]+)?([^=\s]+)[ \t]*=[ \t]*(.*)$/;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/**
 * Reads `KEY=VALUE` lines: `export` before the key, `#` comments, single quotes (taken literally) and
 * double quotes (with `\n`, `\t`, `\"`, `\\`, `\$`). Variables are not expanded: a `$` is a `$`.
 *
 * @throws {BrokerError} `validation_failed` with every faulty line; no message holds a line's text.
 */
export function parseDotenv(text: string, file: string): DotenvEntry[] {
  const entries: DotenvEntry[] = [];
  const issues: LocatedIssue[] = [];
  const seen = new Map<string, number>();
  text.split(/\r?\n/).forEach((raw, index) => {
    const line = index + 1;
    const fault = (message: string, column = 1): void => {
      issues.push({ path: [], message, file, line, column });
    };
    const indent = raw.length - raw.trimStart().length;
    const trimmed = raw.trim();
    if (trimmed === "" || trimmed.startsWith("#")) return;
    const match = ASSIGNMENT.exec(trimmed);
    if (match === null) return fault("write KEY=VALUE", indent + 1);
    const [, key = "", rest = ""] = match;
    if (!isCredentialKey(key)) {
      return fault(
        "a key is upper case letters, digits and underscores, first a letter",
        indent + 1,
      );
    }
    const earlier = seen.get(key);
    if (earlier !== undefined) {
      return fault(`"${key}" stands on line ${earlier} already`, indent + 1);
    }
    seen.set(key, line);
    const value = readValue(rest);
    if (value === undefined) {
      return fault(`the value of "${key}" has an opening quote and no closing one`, indent + 1);
    }
    entries.push({ key, value: new Secret(value) });
  });
  if (issues.length > 0) {
    const count = issues.length === 1 ? "1 fault" : `${issues.length} faults`;
    throw new BrokerError("validation_failed", `Read "${file}": ${count}, nothing was stored`, {
      hint: "mend the lines and type the command again",
      issues,
    });
  }
  return entries;
}

function readValue(text: string): string | undefined {
  const quote = text.charAt(0);
  if (quote === "'" || quote === '"') {
    // What follows the closing quote may only be a comment.
    const pattern = quote === "'"
      ? /^'([^']*)'[ \t]*(?:#.*)?$/
      : /^"((?:[^"\\]|\\.)*)"[ \t]*(?:#.*)?$/;
    const inner = pattern.exec(text)?.[1];
    if (inner === undefined || quote === "'") return inner;
    return inner.replace(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character);
  }
  if (text.startsWith("#")) return "";
  return text.replace(/[ \t]+#.*$/, "");
}
