import assert from "node:assert/strict";
import { DEFAULT_SCRYPT_COST, unwrapKey, wrapKey } from "../../src/store/key_wrap.ts";
import { SealBrokenError } from "../../src/store/sealer.ts";
import { LOW_COST, secret } from "./temporary_home.ts";

const DEK = new Uint8Array(32).fill(9);
const passphrase = secret("correct horse");

Deno.test("a wrong passphrase unwraps to nothing", async () => {
  const wrapped = await wrapKey(DEK, { passphrase, cost: LOW_COST });
  assert.equal(await unwrapKey(wrapped, secret("Correct horse")), undefined);
});

Deno.test("the right passphrase tells a damaged key from a wrong passphrase", async () => {
  const key = await wrapKey(DEK, { passphrase, cost: LOW_COST });
  const wrapped = Uint8Array.from(key.wrapped);
  wrapped[20]! ^= 1;
  await assert.rejects(() => unwrapKey({ ...key, wrapped }, passphrase), SealBrokenError);
});

Deno.test("stored costs that would eat all memory are refused", async () => {
  const key = await wrapKey(DEK, { passphrase, cost: LOW_COST });
  for (const cost of [0, 1, 3, 2 ** 24, -16, NaN]) {
    await assert.rejects(() => unwrapKey({ ...key, cost }, passphrase), RangeError, `N=${cost}`);
  }
  await assert.rejects(() => unwrapKey({ ...key, blockSize: 4096 }, passphrase), RangeError);
});

Deno.test("the default cost is N=2^17, r=8, p=1 with a salt of 16 bytes", async () => {
  const key = await wrapKey(DEK, { passphrase, cost: DEFAULT_SCRYPT_COST });
  assert.deepEqual([key.cost, key.blockSize, key.parallelization], [131072, 8, 1]);
  assert.equal(key.salt.length, 16);
  assert.deepEqual(await unwrapKey(key, passphrase), DEK);
});

Deno.test("every wrapping has a salt and a check of its own", async () => {
  const [a, b] = await Promise.all([
    wrapKey(DEK, { passphrase, cost: LOW_COST }),
    wrapKey(DEK, { passphrase, cost: LOW_COST }),
  ]);
  assert.notDeepEqual(a.salt, b.salt);
  assert.notDeepEqual(a.passphraseCheck, b.passphraseCheck);
});

Deno.test("a passphrase opens in either Unicode composition", async () => {
  const key = await wrapKey(DEK, { passphrase: secret("caf\u00e9"), cost: LOW_COST });
  assert.deepEqual(await unwrapKey(key, secret("cafe\u0301")), DEK);
});
