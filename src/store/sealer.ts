import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { Secret } from "../model/secret.ts";

/** Length of the DEK and of every other AES-256 key, in bytes. */
export const KEY_LENGTH = 32;

/** GCM's own nonce length (NIST SP 800-38D, 8.2.2: random nonces of 96 bits). */
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

/** First byte of every sealed value, so that another algorithm can follow one day. */
const FORMAT = 1;

const ALGORITHM = "aes-256-gcm";

/** The row that a sealed value belongs to. Elsewhere it does not open. */
export interface SealedPlace {
  readonly table: string;
  /** Vault id; empty for what belongs to no vault. */
  readonly vault: string;
  readonly key: string;
}

/** A sealed value did not open: changed, moved to another row, or sealed under another key. */
export class SealBrokenError extends Error {
  override readonly name = "SealBrokenError";
}

/**
 * Seals values with AES-256-GCM under one key. A sealed value is format byte, nonce, ciphertext, tag;
 * the additional data binds table, vault and key name.
 */
export class Sealer {
  readonly #key: Uint8Array;

  /** @param key 32 bytes; copied, so that the caller may wipe its own. */
  constructor(key: Uint8Array) {
    if (key.length !== KEY_LENGTH) throw new RangeError("A sealing key has 32 bytes");
    this.#key = Uint8Array.from(key);
  }

  seal(secret: Secret, place: SealedPlace): Uint8Array {
    return this.sealBytes(new TextEncoder().encode(secret.reveal()), place);
  }

  /** @throws {SealBrokenError} */
  open(sealed: Uint8Array, place: SealedPlace): Secret {
    return new Secret(new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      this.openBytes(sealed, place),
    ));
  }

  sealBytes(plain: Uint8Array, place: SealedPlace): Uint8Array {
    const nonce = randomBytes(NONCE_LENGTH);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_LENGTH });
    cipher.setAAD(additionalData(place));
    const sealed = new Uint8Array(1 + NONCE_LENGTH + plain.length + TAG_LENGTH);
    sealed[0] = FORMAT;
    sealed.set(nonce, 1);
    sealed.set(cipher.update(plain), 1 + NONCE_LENGTH);
    cipher.final();
    sealed.set(cipher.getAuthTag(), 1 + NONCE_LENGTH + plain.length);
    return sealed;
  }

  /** @throws {SealBrokenError} */
  openBytes(sealed: Uint8Array, place: SealedPlace): Uint8Array {
    const end = sealed.length - TAG_LENGTH;
    if (sealed[0] !== FORMAT || end < 1 + NONCE_LENGTH) throw new SealBrokenError("Not sealed");
    const decipher = createDecipheriv(ALGORITHM, this.#key, sealed.subarray(1, 1 + NONCE_LENGTH), {
      authTagLength: TAG_LENGTH,
    });
    decipher.setAAD(additionalData(place));
    decipher.setAuthTag(sealed.subarray(end));
    const plain = decipher.update(sealed.subarray(1 + NONCE_LENGTH, end));
    try {
      decipher.final();
    } catch (cause) {
      throw new SealBrokenError("The seal is broken", { cause });
    }
    return Uint8Array.from(plain);
  }

  /** What the database keeps to recognise this key: tells a wrong key from a damaged value. */
  keyCheck(): Uint8Array {
    return Uint8Array.from(createHmac("sha256", this.#key).update("broker key check 1").digest());
  }

  /** A copy of the key, for wrapping it or writing the key file. */
  copyKey(): Uint8Array {
    return Uint8Array.from(this.#key);
  }

  /** Overwrites the key in memory; the sealer is of no use afterwards. */
  wipe(): void {
    this.#key.fill(0);
  }
}

/** JSON of an array of strings has one reading, so no two places share their additional data. */
function additionalData(place: SealedPlace): Uint8Array {
  return new TextEncoder().encode(JSON.stringify([place.table, place.vault, place.key]));
}
