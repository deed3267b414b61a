/** Wrong attempts that are answered at once; a person mistypes. */
const FREE_ATTEMPTS = 5;

/** The first wait, in milliseconds; each further wrong attempt doubles it. */
const FIRST_WAIT_MS = 5_000;

/** Longest wait, in milliseconds: an owner whom a program locked out has to come in some time. */
const LONGEST_WAIT_MS = 5 * 60_000;

/** After this long without a wrong attempt, in milliseconds, the count starts anew. */
const FORGET_MS = 60 * 60_000;

/**
 * Counts wrong attempts of anybody: every client comes from loopback, so there is nothing to tell a
 * guessing program from the owner by.
 */
export class Attempts {
  readonly #now: () => number;
  #wrong = 0;
  #lastWrong = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds until the next attempt is looked at; 0 when that is now. */
  waitMs(): number {
    const now = this.#now();
    if (now - this.#lastWrong >= FORGET_MS) this.#wrong = 0;
    const beyond = this.#wrong - FREE_ATTEMPTS;
    if (beyond < 0) return 0;
    const wait = Math.min(FIRST_WAIT_MS * 2 ** beyond, LONGEST_WAIT_MS);
    return Math.max(0, this.#lastWrong + wait - now);
  }

  countWrong(): void {
    this.#wrong++;
    this.#lastWrong = this.#now();
  }

  forget(): void {
    this.#wrong = 0;
  }
}
