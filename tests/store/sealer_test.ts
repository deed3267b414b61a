import assert from "node:assert/strict";
import fc from "fast-check";
import { SealBrokenError, type SealedPlace, Sealer } from "../../src/store/sealer.ts";
import { secret } from "./temporary_home.ts";

const PLACE: SealedPlace = { table: "credentials", vault: "v1", key: "API_KEY" };
const KEY = new Uint8Array(32).fill(7);

Deno.test("a sealed value opens in no other table, vault or key", () => {
  const sealer = new Sealer(KEY);
  const sealed = sealer.seal(secret("value"), PLACE);
  const elsewhere: SealedPlace[] = [
    { ...PLACE, table: "proposals" },
    { ...PLACE, vault: "v2" },
    { ...PLACE, key: "API_KEY2" },
    // Joined without care, these two would read like the right place.
    { table: "credentials", vault: "v1API_", key: "KEY" },
    { table: 'credentials","v1', vault: "", key: "API_KEY" },
  ];
  for (const place of elsewhere) {
    assert.throws(() => sealer.open(sealed, place), SealBrokenError, JSON.stringify(place));
  }
});

Deno.test("a sealed value does not open under another key", () => {
  const sealed = new Sealer(KEY).seal(secret("value"), PLACE);
  const other = new Sealer(new Uint8Array(32).fill(8));
  assert.throws(() => other.open(sealed, PLACE), SealBrokenError);
});

Deno.test("a sealed value with any one bit changed does not open", () => {
  const sealer = new Sealer(KEY);
  const sealed = sealer.seal(secret("value"), PLACE);
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Uint8Array.from(sealed);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    assert.throws(() => sealer.open(changed, PLACE), SealBrokenError, `bit ${bit}`);
  }
});

Deno.test("a sealed value that is cut anywhere does not open", () => {
  const sealer = new Sealer(KEY);
  const sealed = sealer.seal(secret("value"), PLACE);
  for (let length = 0; length < sealed.length; length++) {
    assert.throws(() => sealer.open(sealed.subarray(0, length), PLACE), SealBrokenError);
  }
});

Deno.test("sealing the same value twice gives two texts, so equal values do not show", () => {
  const sealer = new Sealer(KEY);
  const first = sealer.seal(secret("value"), PLACE);
  assert.notDeepEqual(first, sealer.seal(secret("value"), PLACE));
});

Deno.test("what is sealed opens to the same text", () => {
  const sealer = new Sealer(KEY);
  const text = fc.string({ unit: "binary", maxLength: 200 }).filter((t) => t.isWellFormed());
  const place = fc.record({ table: fc.string(), vault: fc.string(), key: fc.string() });
  fc.assert(fc.property(text, place, (value, where) => {
    assert.equal(sealer.open(sealer.seal(secret(value), where), where).reveal(), value);
  }));
});

Deno.test("a byte order mark at the start of a value is kept", () => {
  const sealer = new Sealer(KEY);
  assert.equal(sealer.open(sealer.seal(secret("\ufeffkey"), PLACE), PLACE).reveal(), "\ufeffkey");
});

Deno.test("a wiped sealer opens nothing", () => {
  const sealer = new Sealer(KEY);
  const sealed = sealer.seal(secret("value"), PLACE);
  sealer.wipe();
  assert.throws(() => sealer.open(sealed, PLACE), SealBrokenError);
});

Deno.test("a sealer prints nothing of its key", () => {
  assert.equal(Deno.inspect(new Sealer(KEY)), "Sealer {}");
});
