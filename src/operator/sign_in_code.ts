import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { Secret } from "../model/secret.ts";

/** Crockford's base 32: no I, L, O or U, which are read as something else. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Characters of five bits each: 50 bits. */
const LENGTH = 10;
const GROUP = 5;

/**
 * The code that a person copies from the terminal into the browser, in a home without a passphrase. It
 * holds for the life of the process, because a person may sign in from a second browser.
 */
export class SignInCode {
  /** `ABCDE-FGHJK`, to be shown on the operator's terminal and nowhere else. */
  readonly text: Secret;
  readonly #hash: Uint8Array;

  constructor() {
    const characters = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]);
    const code = characters.join("");
    this.text = new Secret(`${code.slice(0, GROUP)}-${code.slice(GROUP)}`);
    this.#hash = hash(code);
  }

  /** Whether this is the code, typed with or without dashes, blanks and capitals. */
  matches(typed: Secret): boolean {
    return timingSafeEqual(this.#hash, hash(normalize(typed.reveal())));
  }
}

function normalize(typed: string): string {
  return typed.toUpperCase().replace(/[\s\p{Dash}]/gu, "").replace(/O/g, "0").replace(/[IL]/g, "1");
}

function hash(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
