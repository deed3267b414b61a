import assert from "node:assert/strict";
import fc from "fast-check";
import { bytesOf, expectedReplacement, joined } from "./support.ts";
import {
  frameOf,
  type FrameOptions,
  FRESH_KEY,
  rewriterOf,
  rewritten,
} from "./websocket_support.ts";

/** Bytes that frames begin with, so that random input reaches every state. */
const headerLike = fc.constantFrom(0x81, 0x01, 0x00, 0x80, 0x82, 0x89, 0xc1, 0xfe, 0xff, 0x7f);
const randomBytes = fc.uint8Array({ maxLength: 200 });
const frameLikeBytes = fc.array(fc.oneof(headerLike, fc.nat(255)), { maxLength: 200 })
  .map((bytes) => Uint8Array.from(bytes));

Deno.test("random bytes never throw, and no more than a frame is held", () => {
  const pieces = fc.array(fc.oneof(randomBytes, frameLikeBytes), { maxLength: 20 });
  fc.assert(
    fc.property(pieces, (pieces) => {
      const rewriter = rewriterOf();
      let pushed = 0;
      let passed = 0;
      for (const piece of pieces) {
        pushed += piece.length;
        for (const part of rewriter.push(piece)) passed += part.length;
        assert(pushed - passed <= 1024 * 1024 + 14);
      }
      for (const part of rewriter.flush()) passed += part.length;
      // Nothing here spells a masked placeholder, so nothing may be lost or added.
      assert.equal(passed, pushed);
    }),
    { numRuns: 1000 },
  );
});

Deno.test("a frame that never ends is held up to its announced length and no further", () => {
  const rewriter = rewriterOf();
  const frame = frameOf("x".repeat(1024 * 1024));
  const byte = new Uint8Array(1);
  rewriter.push(frame.subarray(0, frame.length - 2));
  assert.deepEqual(rewriter.push(byte), []);
  assert.equal(joined(rewriter.push(byte)).length, frame.length);
});

/** One frame, and how it reads after replacement when it is one that is scanned. */
interface Sample {
  readonly bytes: Uint8Array;
  readonly expected: Uint8Array;
}

const VALUES = { "__a__": "secret", "__a__b__": "", "~~~~": "__a__" };

const payloads = fc.string({
  unit: fc.constantFrom("__a__", "b__", "~~", "_", "a", "é"),
  maxLength: 80,
});
const keys = fc.uint8Array({ minLength: 4, maxLength: 4 });

const textFrames = fc.tuple(payloads, keys).map(([text, key]): Sample => {
  const bytes = frameOf(text, { key });
  const after = expectedReplacement(text, VALUES);
  return { bytes, expected: after === text ? bytes : frameOf(after, { key: FRESH_KEY }) };
});

const otherFrames = fc.tuple(payloads, keys, fc.constantFrom(0x82, 0x88, 0x89, 0x8a, 0xc1, 0x83))
  .map(([text, key, firstByte]) => unchanged(frameOf(text, { key, firstByte })));

const fragmented = fc.tuple(fc.array(payloads), keys, fc.constantFrom(0x01, 0x02))
  .map(([texts, key, firstByte]) => {
    const frame = (text: string, options: FrameOptions) => frameOf(text, { key, ...options });
    return unchanged(joined([
      frame("__a__", { firstByte }),
      ...texts.flatMap((text) => [
        frame(text, { firstByte: 0x00 }),
        frame("~~~~", { firstByte: 0x89 }),
      ]),
      frame("__a__", { firstByte: 0x80 }),
    ]));
  });

function unchanged(bytes: Uint8Array): Sample {
  return { bytes, expected: bytes };
}

Deno.test("any frames, split and joined anywhere, come out as their texts are replaced", () => {
  const samples = fc.array(fc.oneof(textFrames, otherFrames, fragmented), { maxLength: 12 });
  const cuts = fc.array(fc.nat(1500), { maxLength: 30 });
  fc.assert(
    fc.property(samples, cuts, (samples, cuts) => {
      const stream = joined(samples.map(({ bytes }) => bytes));
      const expected = joined(samples.map((sample) => sample.expected));
      const sorted = cuts.filter((cut) => cut <= stream.length).sort((a, b) => a - b);
      const rewriter = rewriterOf(VALUES);
      assert.deepEqual(rewritten(rewriter, stream, sorted), expected);
      assert.deepEqual(rewriter.flush(), []);
    }),
    { numRuns: 500 },
  );
});

Deno.test("no value leaves in a frame that is not scanned", () => {
  fc.assert(fc.property(fc.array(otherFrames), (samples) => {
    const stream = joined(samples.map(({ bytes }) => bytes));
    assert.deepEqual(rewritten(rewriterOf(VALUES), stream), stream);
  }));
  assert.deepEqual(
    rewritten(rewriterOf(VALUES), frameOf("__a__", { key: undefined })),
    Uint8Array.of(0x81, 5, ...bytesOf("__a__")),
  );
});
