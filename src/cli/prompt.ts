/**
 * The one file that asks on the terminal. It loads the prompt library, and `live_text.ts` which is made
 * with it, at the first question only. Questions go to stderr, so that stdout stays data. A secret is
 * never echoed, and its prompt cannot be switched to show it. Ctrl-C becomes a `cancelled` error:
 * nothing was changed yet.
 */

import type { ReadStream } from "node:tty";
import { BrokerError } from "../errors.ts";
import { Secret } from "../model/secret.ts";
import type { LiveText } from "./live_text.ts";

/** Lines of a list that are shown at once; the rest scrolls. */
const PAGE_SIZE = 10;

/** What a prompt needs to know before it may ask. */
export interface Question {
  readonly message: string;
  /** What to type instead where there is no terminal: the flags or the variable. */
  readonly instead: string;
}

/** A question whose answer is a line of text. */
export interface TextQuestion extends Question, Omit<LiveText, "message"> {}

/** One answer of {@link Prompts.choose}, {@link Prompts.search} or {@link Prompts.pick}. */
export interface Choice<T> {
  readonly name: string;
  readonly value: T;
  /** What stands after the question once this is chosen, when the name says more than that. */
  readonly short?: string;
  /** One line that is shown below the list while this choice is the one under the cursor. */
  readonly description?: string;
}

/** One answer of {@link Prompts.pick}. */
export interface Pickable<T> extends Choice<T> {
  readonly checked: boolean;
}

/** Asks a person. Commands take it from their context, and nothing else asks. */
export interface Prompts {
  /** Whether standard input is a terminal that a question can be seen and answered on. */
  readonly interactive: boolean;
  /**
   * Reads a secret without showing it. With `anyTerminal` the process's own terminal is asked even when
   * standard input is a pipe, as the passphrase needs it while a value is piped in.
   */
  hidden(question: Question, options?: { readonly anyTerminal?: boolean }): Promise<Secret>;
  /** Reads a new secret twice until both are equal. An empty answer gives `undefined`. */
  newSecret(question: Question): Promise<Secret | undefined>;
  /** Asks yes or no; Return alone means no. */
  confirm(question: Question): Promise<boolean>;
  /** Lets one of several answers be chosen with the arrow keys; the first is chosen already. */
  choose<T>(question: Question, choices: readonly Choice<T>[]): Promise<T>;
  /** As {@link choose}, among what `find` gives for the text that is typed; never an empty list. */
  search<T>(question: Question, find: (typed: string) => readonly Choice<T>[]): Promise<T>;
  /** Lets some of several answers be chosen, at least one. */
  pick<T>(question: Question, choices: readonly Pickable<T>[]): Promise<T[]>;
  /** Reads a line of text, checked while it is typed; may be empty where no check forbids it. */
  text(question: TextQuestion): Promise<string>;
}

/** Makes the {@link Prompts} of this process's terminal; `say` tells the person why a question comes again. */
export function terminalPrompts(say: (text: string) => void): Prompts {
  const interactive = Deno.stdin.isTerminal() && Deno.stderr.isTerminal();
  const requireTerminal = (question: Question): void => {
    if (!interactive) throw notATerminal(question);
  };
  return {
    interactive,
    async hidden(question, options) {
      if (interactive) return new Secret(await askHidden(question.message));
      if (options?.anyTerminal !== true) throw notATerminal(question);
      const input = await openTerminal();
      if (input === undefined) throw notATerminal(question);
      try {
        return new Secret(await askHidden(question.message, input));
      } finally {
        input.destroy();
      }
    },
    async newSecret(question) {
      requireTerminal(question);
      while (true) {
        const first = await askHidden(question.message);
        if (first === "") return undefined;
        if (await askHidden("Repeat it") === first) return new Secret(first);
        say("the two were not the same; once more");
      }
    },
    async confirm(question) {
      requireTerminal(question);
      const { confirm } = await import("@inquirer/prompts");
      const output = (await import("node:process")).default.stderr;
      return await cancellable(
        confirm({ message: question.message, default: false }, { output }),
      );
    },
    async choose(question, choices) {
      requireTerminal(question);
      const { select } = await import("@inquirer/prompts");
      const output = (await import("node:process")).default.stderr;
      return await cancellable(
        select({ message: question.message, choices, pageSize: PAGE_SIZE }, { output }),
      );
    },
    async search(question, find) {
      requireTerminal(question);
      const { search } = await import("@inquirer/prompts");
      const output = (await import("node:process")).default.stderr;
      const source = (typed: string | undefined) => [...find(typed ?? "")];
      return await cancellable(
        search({ message: question.message, source, pageSize: PAGE_SIZE }, { output }),
      );
    },
    async pick(question, choices) {
      requireTerminal(question);
      const { checkbox } = await import("@inquirer/prompts");
      const output = (await import("node:process")).default.stderr;
      return await cancellable(
        checkbox({ message: question.message, choices, required: true }, { output }),
      );
    },
    async text({ instead, ...question }) {
      requireTerminal({ message: question.message, instead });
      const { liveText } = await import("./live_text.ts");
      const output = (await import("node:process")).default.stderr;
      return await cancellable(liveText(question, { output }));
    },
  };
}

async function askHidden(message: string, input?: ReadStream): Promise<string> {
  const { password } = await import("@inquirer/prompts");
  const output = (await import("node:process")).default.stderr;
  return await cancellable(
    password({ message, toggleMask: false }, input === undefined ? { output } : { output, input }),
  );
}

/** The terminal that controls the process, when there is one and stderr shows what is asked. */
async function openTerminal(): Promise<ReadStream | undefined> {
  if (Deno.build.os === "windows" || !Deno.stderr.isTerminal()) return undefined;
  const { openSync } = await import("node:fs");
  const { ReadStream } = await import("node:tty");
  try {
    return new ReadStream(openSync("/dev/tty", "r+"));
  } catch {
    return undefined;
  }
}

async function cancellable<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && error.name === "ExitPromptError") {
      throw new BrokerError("cancelled", "Cancelled, nothing was changed", { cause: error });
    }
    throw error;
  }
}

function notATerminal(question: Question): BrokerError {
  return new BrokerError(
    "not_a_terminal",
    `Ask "${question.message}": standard input is not a terminal`,
    { hint: question.instead },
  );
}
