import type {
  FailedSignIn,
  OperatorSession,
  SignInMethod,
  SignInOutcome,
} from "../model/operator.ts";
import type { Secret } from "../model/secret.ts";
import { Attempts } from "./attempts.ts";
import { type CreatedOperatorSession, OperatorSessions } from "./operator_sessions.ts";
import { type CreatedOperatorToken, OperatorTokens } from "./operator_tokens.ts";
import type { SignInCode } from "./sign_in_code.ts";

/** What a person is compared with. */
export interface OperatorsOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether the home has a passphrase now. */
  readonly hasPassphrase: () => boolean;
  /** Whether this is the home's passphrase; costs most of a second and 128 MiB. */
  readonly isPassphrase: (typed: Secret) => Promise<boolean>;
  /** The code that was shown on the terminal, if one was. */
  readonly code?: SignInCode | undefined;
}

/** Longest text that is compared, in characters. */
const TYPED_LIMIT = 1024;

/** Seconds that a client is told to wait while another attempt is being checked. */
const BUSY_SECONDS = 1;

/** People who sign in to the pages and the API of one process. */
export class Operators {
  readonly #options: OperatorsOptions;
  readonly #attempts: Attempts;
  readonly #sessions: OperatorSessions;
  readonly #tokens: OperatorTokens;
  #checking = false;

  constructor(options: OperatorsOptions) {
    this.#options = options;
    this.#attempts = new Attempts(options.now);
    this.#sessions = new OperatorSessions(options.now);
    this.#tokens = new OperatorTokens(options.now);
  }

  /** What is asked for now; a passphrase that another process has just set counts from here on. */
  method(): SignInMethod {
    if (this.#options.hasPassphrase()) return "passphrase";
    return this.#options.code === undefined ? "none" : "code";
  }

  /** Signs a browser in when what was typed is right. */
  async signIn(typed: Secret): Promise<SignInOutcome<CreatedOperatorSession>> {
    const attempt = await this.#compare(typed);
    return attempt.kind === "right"
      ? { kind: "signed_in", session: this.#sessions.create() }
      : attempt;
  }

  /** Signs a program in when what it sent is right; counted together with what people type. */
  async signInProgram(sent: Secret): Promise<SignInOutcome<CreatedOperatorToken>> {
    const attempt = await this.#compare(sent);
    return attempt.kind === "right"
      ? { kind: "signed_in", session: this.#tokens.create() }
      : attempt;
  }

  /**
   * Whether this is a program's token. A browser's opens nothing outside of its session's path, so that
   * whoever is sent the cookie by mistake holds half a key.
   */
  has(token: string): boolean {
    return this.#tokens.has(token);
  }

  /** Takes a program's token back. */
  endToken(token: string): void {
    this.#tokens.end(token);
  }

  /** Compares what was typed, one attempt at a time, and fewer the more were wrong. */
  async #compare(typed: Secret): Promise<{ kind: "right" } | FailedSignIn> {
    const method = this.method();
    if (method === "none") return { kind: "unavailable" };
    const waitMs = this.#attempts.waitMs();
    if (waitMs > 0) return { kind: "wait", seconds: Math.ceil(waitMs / 1000) };
    if (this.#checking) return { kind: "wait", seconds: BUSY_SECONDS };
    this.#checking = true;
    try {
      if (!await this.#isRight(method, typed)) {
        this.#attempts.countWrong();
        return { kind: "wrong" };
      }
    } finally {
      this.#checking = false;
    }
    this.#attempts.forget();
    return { kind: "right" };
  }

  /** The session of that path and token; its idle time starts anew where a person used it. */
  find(path: string, token: string, options: { use: boolean }): OperatorSession | undefined {
    return this.#sessions.find(path, token, options);
  }

  /** Whether the session still holds, without counting as use. */
  isCurrent(path: string): boolean {
    return this.#sessions.isCurrent(path);
  }

  signOut(path: string): void {
    this.#sessions.end(path);
  }

  async #isRight(method: "passphrase" | "code", typed: Secret): Promise<boolean> {
    const { length } = typed.reveal();
    if (length === 0 || length > TYPED_LIMIT) return false;
    if (method === "code") return this.#options.code?.matches(typed) === true;
    return await this.#options.isPassphrase(typed);
  }
}
