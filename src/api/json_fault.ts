/** Where a text stops being JSON. */
export interface JsonFault {
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1, in UTF-16 code units. */
  readonly column: number;
  /** What RFC 8259 allows at that place; never holds a part of the text. */
  readonly expected: string;
}

type State = "value" | "value or end" | "key" | "key or end" | "colon" | "separator" | "end";

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const LITERAL = /true|false|null/y;
const BLANK = /[ \t\r\n]*/y;
const SIMPLE_ESCAPE = new Set('"\\/bfnrt');
const HEX4 = /[0-9a-fA-F]{4}/y;

/**
 * Finds the place at which a text stops being JSON, or `undefined` when it is JSON (RFC 8259).
 *
 * JSON.parse says so in words that quote the text, and the text of a request may hold a secret; it also
 * leaves the position out of most of its messages. JSON.parse stays the judge: this only explains.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: ("{" | "[")[] = [];
  let state: State = "value";
  let at = 0;
  for (;;) {
    at = matchEnd(BLANK, text, at) ?? at;
    const char = text[at];
    switch (state) {
      case "end":
        return char === undefined ? undefined : faultAt(text, at, "the end of the text");
      case "colon":
        if (char !== ":") return faultAt(text, at, '":"');
        state = "value";
        at++;
        break;
      case "separator": {
        const closing = open.at(-1) === "{" ? "}" : "]";
        if (char === ",") state = closing === "}" ? "key" : "value";
        else if (char === closing) state = afterValue(open, true);
        else return faultAt(text, at, `"," or "${closing}"`);
        at++;
        break;
      }
      case "key":
      case "key or end": {
        if (char === "}" && state === "key or end") {
          state = afterValue(open, true);
          at++;
          break;
        }
        if (char !== '"') {
          return faultAt(text, at, state === "key" ? "a quoted name" : 'a quoted name or "}"');
        }
        const scanned = scanString(text, at);
        if (scanned.expected !== undefined) return faultAt(text, scanned.at, scanned.expected);
        at = scanned.at;
        state = "colon";
        break;
      }
      case "value":
      case "value or end": {
        if (char === "]" && state === "value or end") {
          state = afterValue(open, true);
          at++;
        } else if (char === "{" || char === "[") {
          open.push(char);
          state = char === "{" ? "key or end" : "value or end";
          at++;
        } else if (char === '"') {
          const scanned = scanString(text, at);
          if (scanned.expected !== undefined) return faultAt(text, scanned.at, scanned.expected);
          at = scanned.at;
          state = afterValue(open, false);
        } else {
          const end = matchEnd(NUMBER, text, at) ?? matchEnd(LITERAL, text, at);
          if (end === undefined) {
            return faultAt(text, at, state === "value" ? "a value" : 'a value or "]"');
          }
          at = end;
          state = afterValue(open, false);
        }
        break;
      }
    }
  }
}

/** The state behind a finished value; `closes` when that value is the innermost object or array. */
function afterValue(open: ("{" | "[")[], closes: boolean): State {
  if (closes) open.pop();
  return open.length === 0 ? "end" : "separator";
}

/** Walks from an opening quote past the closing one, or to the place that no string may hold. */
function scanString(text: string, start: number): { at: number; expected?: string } {
  let at = start + 1;
  for (;;) {
    const char = text[at];
    if (char === undefined) return { at, expected: "a closing quote" };
    if (char === '"') return { at: at + 1 };
    if (char < " ") return { at, expected: "an escaped control character" };
    if (char !== "\\") {
      at++;
    } else if (text[at + 1] === "u") {
      const end = matchEnd(HEX4, text, at + 2);
      if (end === undefined) return { at: at + 2, expected: "four hexadecimal digits" };
      at = end;
    } else {
      if (!SIMPLE_ESCAPE.has(text[at + 1] ?? "")) return { at: at + 1, expected: "an escape" };
      at += 2;
    }
  }
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function faultAt(text: string, at: number, expected: string): JsonFault {
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  return { line, column: at - before.lastIndexOf("\n"), expected };
}
