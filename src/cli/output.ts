/**
 * The one file that writes to the terminal. Its rules:
 * 1. What a command was asked for is data and goes to stdout; everything said about it goes to stderr,
 *    each line after `broker: `. So `broker ... > file` and `broker ... | program` get data only.
 * 2. With --json stdout holds exactly one JSON document, or nothing when the command failed, and every
 *    line of stderr is a JSON object: `{"error": CODE, ...}` or `{"warning": TEXT}`.
 * 3. Colour only on a terminal, never with --no-color, NO_COLOR, TERM=dumb or --json.
 * 4. A reader that closed its end (`broker ... | head`) ends the printing, not the program.
 * 5. No secret passes through here, except the values that an operator asked for by name.
 */

import { BrokerError } from "../errors.ts";
import type { Column } from "./table.ts";
import { formatTable, printable } from "./table.ts";

/** One end that {@link Output} writes to. */
export interface Sink {
  /** Writes all of it, synchronously, so that nothing is lost when the process ends right after. */
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Characters in a line, or `Infinity` when it is not a terminal. */
  readonly columns: number;
}

/** Marks that a text can carry on a terminal. */
export type Mark = "bold" | "dim" | "red" | "yellow" | "green" | "cyan" | "danger";

const MARKS: Readonly<Record<Mark, readonly [on: string, off: string]>> = {
  bold: ["1", "22"],
  dim: ["2", "22"],
  red: ["31", "39"],
  yellow: ["33", "39"],
  green: ["32", "39"],
  cyan: ["36", "39"],
  // Bold white on red, so that it stands out on a light and on a dark terminal.
  danger: ["1;97;41", "22;39;49"],
};

/** How {@link Output} prints; known once the arguments were read. */
export interface OutputMode {
  /** One JSON document instead of text. */
  readonly json: boolean;
  /** Colour where the stream is a terminal. */
  readonly color: boolean;
}

/** Prints data and talk by the rules at the head of this file. */
export class Output {
  readonly #out: Sink;
  readonly #err: Sink;
  #mode: OutputMode;

  constructor(sinks: { readonly out: Sink; readonly err: Sink }, mode: OutputMode) {
    this.#out = sinks.out;
    this.#err = sinks.err;
    this.#mode = mode;
  }

  /** Sets the mode once the command line says what it is. */
  setMode(mode: OutputMode): void {
    this.#mode = mode;
  }

  /** Whether the command prints one JSON document. */
  get json(): boolean {
    return this.#mode.json;
  }

  /** Characters in a line of stdout; `Infinity` when it is not a terminal. */
  get columns(): number {
    return this.#out.columns;
  }

  /** Whether what is said on stderr is seen on a terminal. */
  get talksToTerminal(): boolean {
    return this.#err.isTerminal;
  }

  /** Prints the value as the JSON document, or calls the other to print the same as text. */
  print(value: unknown, asText: () => void): void {
    if (this.#mode.json) this.#out.write(`${JSON.stringify(value, null, 2)}\n`);
    else asText();
  }

  /** Writes data to stdout exactly as it is. */
  data(text: string): void {
    this.#out.write(text);
  }

  /** Writes one line of data. */
  line(text: string): void {
    this.#out.write(`${text}\n`);
  }

  /** Writes rows as aligned columns, or as blocks on a terminal that is too narrow for them. */
  table(columns: readonly Column[], rows: readonly (readonly string[])[]): void {
    const lines = formatTable(columns, rows, {
      width: this.#out.columns,
      title: (text) => this.mark("bold", text),
    });
    this.#out.write(lines.map((line) => `${line}\n`).join(""));
  }

  /** The text with the mark around it where stdout shows colours, else the text. */
  mark(mark: Mark, text: string): string {
    return this.#marked(this.#out, mark, text);
  }

  /** As {@link mark}, for a text that goes to stderr. */
  markTalk(mark: Mark, text: string): string {
    return this.#marked(this.#err, mark, text);
  }

  /** Says on stderr what was done; silent with --json. */
  note(text: string): void {
    if (!this.#mode.json) this.#err.write(`broker: ${printable(text)}\n`);
  }

  /** Warns on stderr. */
  warn(text: string): void {
    if (this.#mode.json) this.#err.write(`${JSON.stringify({ warning: text })}\n`);
    else this.#talk("yellow", "warning", text);
  }

  /** Says on stderr what went wrong. */
  error(text: string): void {
    this.#talk("red", "error", text);
  }

  /** Says on stderr what to type next. */
  hint(text: string): void {
    this.#talk("cyan", "hint", text);
  }

  /** Writes one further line below an error or a note. */
  detail(text: string): void {
    this.#err.write(`  ${printable(text)}\n`);
  }

  /** Writes the JSON form of an error as one line of stderr. */
  errorDocument(value: unknown): void {
    this.#err.write(`${JSON.stringify(value)}\n`);
  }

  /** Writes a text to stderr exactly as it is: help after wrong usage, a stack trace when asked for. */
  talk(text: string): void {
    this.#err.write(text);
  }

  #talk(mark: Mark, word: string, text: string): void {
    this.#err.write(`broker: ${this.#marked(this.#err, mark, `${word}:`)} ${printable(text)}\n`);
  }

  #marked(sink: Sink, mark: Mark, text: string): string {
    if (!this.#mode.color || this.#mode.json || !sink.isTerminal) return text;
    const [on, off] = MARKS[mark];
    return `\x1b[${on}m${text}\x1b[${off}m`;
  }
}

/** Columns assumed where a terminal does not tell its size. */
const DEFAULT_COLUMNS = 80;

/** Milliseconds to wait before trying again when the other end of a non-blocking pipe is full. */
const FULL_PIPE_WAIT_MS = 2;

/** Makes the {@link Sink} of a standard stream of this process. */
export function standardSink(stream: typeof Deno.stdout | typeof Deno.stderr): Sink {
  const isTerminal = stream.isTerminal();
  let closed = false;
  return {
    isTerminal,
    columns: isTerminal ? terminalColumns() : Infinity,
    write(text) {
      if (closed) return;
      const bytes = new TextEncoder().encode(text);
      for (let written = 0; written < bytes.length;) {
        try {
          written += stream.writeSync(bytes.subarray(written));
        } catch (error) {
          if (error instanceof Deno.errors.WouldBlock) {
            // A program that shares the pipe, Node for one, may have made it non-blocking.
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_WAIT_MS);
            continue;
          }
          closed = true;
          if (error instanceof Deno.errors.BrokenPipe || stream === Deno.stderr) return;
          throw new BrokerError("unavailable", "Write to standard output", {
            hint: "check the disk or the program that the output goes to",
            cause: error,
          });
        }
      }
    },
  };
}

function terminalColumns(): number {
  try {
    return Deno.consoleSize().columns || DEFAULT_COLUMNS;
  } catch {
    return DEFAULT_COLUMNS;
  }
}
