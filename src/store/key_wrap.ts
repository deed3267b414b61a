import { createHash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import type { Secret } from "../model/secret.ts";
import { KEY_LENGTH, type SealedPlace, Sealer } from "./sealer.ts";

/** Cost of deriving a key from a passphrase (RFC 7914, 2: N, r and p). */
export interface ScryptCost {
  /** CPU and memory cost N, a power of two. */
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelization: number;
}

/** 128 MiB and some tenths of a second for each guess. */
export const DEFAULT_SCRYPT_COST: ScryptCost = {
  cost: 2 ** 17,
  blockSize: 8,
  parallelization: 1,
};

/** A DEK under a passphrase, with all that is needed to open it again except the passphrase. */
export interface WrappedKey extends ScryptCost {
  readonly salt: Uint8Array;
  /** Recognises the passphrase's derived key, so that a typing error is told from a damaged row. */
  readonly passphraseCheck: Uint8Array;
  readonly wrapped: Uint8Array;
}

const SALT_LENGTH = 16;

/** Stored costs beyond these are not ours; following them would let a changed file eat all memory. */
const LIMITS: ScryptCost = { cost: 2 ** 20, blockSize: 16, parallelization: 4 };

const PLACE: SealedPlace = { table: "protection", vault: "", key: "dek" };

/** Wraps a DEK under a passphrase with a fresh salt. */
export async function wrapKey(
  dek: Uint8Array,
  options: { readonly passphrase: Secret; readonly cost: ScryptCost },
): Promise<WrappedKey> {
  const salt = Uint8Array.from(randomBytes(SALT_LENGTH));
  const { kek, check } = await derive(options.passphrase, { ...options.cost, salt });
  try {
    const { cost, blockSize, parallelization } = options.cost;
    const wrapped = kek.sealBytes(dek, PLACE);
    return { cost, blockSize, parallelization, salt, passphraseCheck: check, wrapped };
  } finally {
    kek.wipe();
  }
}

/**
 * The DEK, or `undefined` when the passphrase is a wrong one.
 *
 * @throws {SealBrokenError} the passphrase is right and the wrapped key is damaged
 * @throws {RangeError} the stored parameters are impossible
 */
export async function unwrapKey(
  key: WrappedKey,
  passphrase: Secret,
): Promise<Uint8Array | undefined> {
  if (!isPlausible(key)) throw new RangeError("Impossible scrypt parameters");
  const { kek, check } = await derive(passphrase, key);
  try {
    if (!isEqual(check, key.passphraseCheck)) return undefined;
    return kek.openBytes(key.wrapped, PLACE);
  } finally {
    kek.wipe();
  }
}

/** Compares in constant time; different lengths are different. */
export function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function isPlausible({ cost, blockSize, parallelization }: ScryptCost): boolean {
  return cost >= 2 && cost <= LIMITS.cost && Number.isInteger(Math.log2(cost)) &&
    blockSize >= 1 && blockSize <= LIMITS.blockSize &&
    parallelization >= 1 && parallelization <= LIMITS.parallelization;
}

/** Two keys from one derivation: the KEK, and one whose hash may be stored. */
async function derive(
  passphrase: Secret,
  parameters: ScryptCost & { readonly salt: Uint8Array },
): Promise<{ kek: Sealer; check: Uint8Array }> {
  // The same passphrase typed on another system may arrive in another composition form.
  const text = passphrase.reveal().normalize("NFC");
  const { cost, blockSize, parallelization, salt } = parameters;
  const options = {
    cost,
    blockSize,
    parallelization,
    maxmem: 256 * cost * blockSize * parallelization,
  };
  const derived = await new Promise<Uint8Array>((resolve, reject) => {
    scrypt(
      text,
      salt,
      2 * KEY_LENGTH,
      options,
      (error, key) => error === null ? resolve(key) : reject(error),
    );
  });
  const kek = new Sealer(derived.subarray(0, KEY_LENGTH));
  const check = Uint8Array.from(
    createHash("sha256").update(derived.subarray(KEY_LENGTH)).digest(),
  );
  derived.fill(0);
  return { kek, check };
}
