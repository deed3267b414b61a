import assert from "node:assert/strict";
import fc from "fast-check";
import type { ByteReplacer } from "../../src/substitute/byte_replacer.ts";
import { StreamReplacer } from "../../src/substitute/stream_replacer.ts";
import {
  bytesOf,
  crowdedPlaceholders,
  crowdedText,
  expectedReplacement,
  joined,
  replacerOf,
  textOf,
} from "./support.ts";

/** Pushes the pieces between the cuts through one stream replacer. */
function streamed(replacer: ByteReplacer, bytes: Uint8Array, cuts: readonly number[]): Uint8Array {
  const stream = new StreamReplacer(replacer);
  const passed: Uint8Array[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    // A copy that is overwritten afterwards, as a read buffer is: nothing may be kept as a view.
    const piece = bytes.slice(from, cut);
    passed.push(...stream.push(piece).map((part) => part.slice()));
    piece.fill(0xaa);
    from = cut;
  }
  return joined([...passed, ...stream.flush()]);
}

Deno.test("replacement over the whole is leftmost, longest first and never repeated", () => {
  fc.assert(
    fc.property(crowdedPlaceholders, crowdedText, (values, text) => {
      const after = replacerOf(values).replace(bytesOf(text));
      assert.equal(textOf(after), expectedReplacement(text, values));
    }),
    { numRuns: 1000 },
  );
});

Deno.test("replacement over any split of a stream equals replacement over the whole", () => {
  const cuts = fc.array(fc.nat(100), { maxLength: 12 });
  fc.assert(
    fc.property(crowdedPlaceholders, crowdedText, cuts, (values, text, cuts) => {
      const bytes = bytesOf(text);
      const replacer = replacerOf(values);
      const sorted = cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b);
      assert.deepEqual(streamed(replacer, bytes, sorted), joined([replacer.replace(bytes)]));
    }),
    { numRuns: 1000 },
  );
});

/** Texts in which one placeholder begins, ends or stands within another. */
const OVERLAPPING = [
  ["__a__b__", "<long>"],
  ["__a__b_", "<short>b_"],
  ["__a__a__b__", "<short>a__b__"],
  ["x__a__y", "x<short>y"],
  ["___a__", "_<short>"],
  ["__a____a__b__", "<short><long>"],
  ["__a_", "__a_"],
  ["", ""],
] as const;

for (const [text, expected] of OVERLAPPING) {
  Deno.test(`"${text}" becomes "${expected}" however it is split`, () => {
    const replacer = replacerOf({ "__a__": "<short>", "__a__b__": "<long>" });
    const bytes = bytesOf(text);
    assert.equal(textOf(replacer.replace(bytes)), expected);
    const everyByte = Array.from(bytes, (_, i) => i);
    assert.equal(textOf(streamed(replacer, bytes, everyByte)), expected, "split everywhere");
    for (const cut of everyByte) {
      assert.equal(textOf(streamed(replacer, bytes, [cut])), expected, `split at ${cut}`);
    }
  });
}

Deno.test("no more than the beginning of one placeholder is held back", () => {
  const stream = new StreamReplacer(replacerOf({ "__token__": "x" }));
  let pushed = 0;
  let passed = 0;
  for (const piece of ["aaaa", "__token_", "_", "__toke", "____", "b"]) {
    pushed += piece.length;
    for (const part of stream.push(bytesOf(piece.replace("n", () => "q")))) passed += part.length;
    assert(pushed - passed < 9, `${pushed - passed} bytes are held after "${piece}"`);
  }
});

Deno.test("what cannot be the beginning of a placeholder any more passes at once", () => {
  const stream = new StreamReplacer(replacerOf({ "ab__": "v", "__xyz": "w" }));
  // "__xy" would be a beginning if "ab__" had not taken its first half.
  assert.equal(textOf(joined(stream.push(bytesOf("ab__xy")))), "vxy");
});

Deno.test("a piece without a placeholder passes as a view, not a copy", () => {
  const piece = bytesOf("nothing to see here");
  const [part] = new StreamReplacer(replacerOf({ "__token__": "x" })).push(piece);
  assert.equal(part!.buffer, piece.buffer);
});
