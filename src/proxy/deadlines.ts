/** Something with a time limit. Moving it is an assignment, which is what makes it free on the hot path. */
export interface Deadline {
  /** Milliseconds since the epoch; `Infinity` while no limit applies. */
  at: number;
}

/**
 * Time limits for many connections on one timer: limits here are minutes, so that looking at all of
 * them a few times a second is exact enough and costs a request nothing.
 */
export class Deadlines {
  readonly #entries = new Map<Deadline, () => void>();
  readonly #tickMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param tickMs How often the limits are looked at. */
  constructor(tickMs: number) {
    this.#tickMs = tickMs;
  }

  /** Calls `expire` once when the deadline has passed, until {@link Deadlines.forget}. */
  watch(deadline: Deadline, expire: () => void): void {
    this.#entries.set(deadline, expire);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#look(), this.#tickMs);
      Deno.unrefTimer(this.#timer);
    }
  }

  forget(deadline: Deadline): void {
    this.#entries.delete(deadline);
    if (this.#entries.size === 0) this.close();
  }

  /** Stops the timer and forgets every deadline. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#entries.clear();
  }

  #look(): void {
    const now = Date.now();
    for (const [deadline, expire] of [...this.#entries]) {
      if (deadline.at > now) continue;
      this.forget(deadline);
      expire();
    }
  }
}
