import type { Secret } from "../model/secret.ts";

/** Forms whose values are kept at once; the oldest makes room. */
const LIMIT = 32;

/** How long values are kept after they were typed, in milliseconds. */
const LIFE_MS = 10 * 60_000;

/** The form that values were typed into. */
export interface DraftPlace {
  /** The browser's session. */
  readonly operatorPath: string;
  readonly vault: string;
  readonly id: number;
}

interface Draft {
  readonly values: ReadonlyMap<string, Secret>;
  readonly typedAt: number;
}

/**
 * Values that a person typed into a form which came back, for a fault elsewhere in it. They stay in
 * memory and are never written into a page; the form says that it has them.
 */
export class ApprovalDrafts {
  readonly #drafts = new Map<string, Draft>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Keeps values instead of those that were kept for the form. */
  keep(place: DraftPlace, values: ReadonlyMap<string, Secret>): void {
    this.forget(place);
    if (values.size === 0) return;
    this.#drafts.set(keyOf(place), { values, typedAt: this.#now() });
    const [oldest] = this.#drafts.keys();
    if (this.#drafts.size > LIMIT && oldest !== undefined) this.#drafts.delete(oldest);
  }

  /** What is kept for the form, which may be nothing. */
  find(place: DraftPlace): ReadonlyMap<string, Secret> {
    this.#dropOld();
    return this.#drafts.get(keyOf(place))?.values ?? new Map();
  }

  forget(place: DraftPlace): void {
    this.#drafts.delete(keyOf(place));
  }

  /** Forgets all that a browser typed. */
  forgetOperator(operatorPath: string): void {
    for (const key of this.#drafts.keys()) {
      if (key.startsWith(`${operatorPath}/`)) this.#drafts.delete(key);
    }
  }

  #dropOld(): void {
    const limit = this.#now() - LIFE_MS;
    for (const [key, { typedAt }] of this.#drafts) if (typedAt <= limit) this.#drafts.delete(key);
  }
}

function keyOf({ operatorPath, vault, id }: DraftPlace): string {
  return `${operatorPath}/${vault}/${id}`;
}
