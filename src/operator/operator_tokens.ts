import { createHash, randomBytes } from "node:crypto";
import { Secret } from "../model/secret.ts";
import { OPERATOR_TOKEN_PREFIX } from "./operator_sessions.ts";

/** How long a program's token holds, in milliseconds; a script signs in again. */
export const TOKEN_LIFE_MS = 60 * 60 * 1000;

/** Tokens that hold at once; the oldest makes room. */
const TOKEN_LIMIT = 16;

const TOKEN_BYTES = 32;

/** A new token. It is shown here and never again. */
export interface CreatedOperatorToken {
  readonly token: Secret;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Bearer tokens of programs for which a person signed in, in the memory of this process. They are apart
 * from the browsers' sessions, whose token alone opens nothing.
 */
export class OperatorTokens {
  readonly #now: () => number;
  /** When each ends, by the SHA-256 of the token, so that looking one up tells nothing by its time. */
  readonly #ends = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  create(): CreatedOperatorToken {
    this.#dropExpired();
    for (const oldest of [...this.#ends.keys()]) {
      if (this.#ends.size >= TOKEN_LIMIT) this.#ends.delete(oldest);
    }
    const token = OPERATOR_TOKEN_PREFIX + randomBytes(TOKEN_BYTES).toString("base64url");
    const expiresAt = this.#now() + TOKEN_LIFE_MS;
    this.#ends.set(hash(token), expiresAt);
    return { token: new Secret(token), expiresAt };
  }

  has(token: string): boolean {
    this.#dropExpired();
    return this.#ends.has(hash(token));
  }

  end(token: string): void {
    this.#ends.delete(hash(token));
  }

  #dropExpired(): void {
    const now = this.#now();
    for (const [key, end] of this.#ends) {
      if (end <= now) this.#ends.delete(key);
    }
  }
}

function hash(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
