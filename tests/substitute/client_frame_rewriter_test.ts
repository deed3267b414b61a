import assert from "node:assert/strict";
import {
  ClientFrameRewriter,
  MAX_SCANNED_PAYLOAD_BYTES,
} from "../../src/substitute/client_frame_rewriter.ts";
import { bytesOf, joined, replacerOf } from "./support.ts";
import {
  frameOf,
  type FrameOptions,
  FRESH_KEY,
  rewriterOf,
  rewritten,
} from "./websocket_support.ts";

/** Frames that hold a placeholder and pass unchanged all the same. */
const UNTOUCHED: readonly (readonly [why: string, options: FrameOptions])[] = [
  ["a binary frame", { firstByte: 0x82 }],
  ["a close frame", { firstByte: 0x88 }],
  ["a ping", { firstByte: 0x89 }],
  ["a pong", { firstByte: 0x8a }],
  ["a reserved data frame", { firstByte: 0x83 }],
  ["a reserved control frame", { firstByte: 0x8b }],
  ["a first fragment", { firstByte: 0x01 }],
  ["a stray continuation", { firstByte: 0x80 }],
  ["a compressed frame", { firstByte: 0xc1 }],
  ["a frame with RSV2", { firstByte: 0xa1 }],
  ["a frame with RSV3", { firstByte: 0x91 }],
  ["an unmasked frame", { key: undefined }],
  ["a length in two bytes too many", { lengthBytes: 2 }],
  ["a length in eight bytes too many", { lengthBytes: 8 }],
];

for (const [why, options] of UNTOUCHED) {
  Deno.test(`${why} passes byte for byte, wherever it is split`, () => {
    const frame = frameOf("say __token__ twice __token__", options);
    for (let cut = 0; cut <= frame.length; cut++) {
      const rewriter = rewriterOf();
      assert.deepEqual(rewritten(rewriter, frame, [cut]), frame, `split at ${cut}`);
      assert.deepEqual(rewriter.flush(), [], `split at ${cut}`);
    }
  });
}

Deno.test("every fragment passes, control frames between them, and the next message is scanned", () => {
  const token = frameOf("__token__");
  for (const opcode of [0x1, 0x2]) {
    const fragments = joined([
      frameOf("__token__", { firstByte: opcode }),
      frameOf("__token__", { firstByte: 0x89 }),
      frameOf("__token__", { firstByte: 0x00 }),
      frameOf("", { firstByte: 0x00 }),
      frameOf("__token__", { firstByte: 0x8a }),
      frameOf("__token__", { firstByte: 0x80 }),
    ]);
    const expected = joined([fragments, frameOf("secret", { key: FRESH_KEY })]);
    const stream = joined([fragments, token]);
    for (let cut = 0; cut <= stream.length; cut++) {
      assert.deepEqual(rewritten(rewriterOf(), stream, [cut]), expected, `split at ${cut}`);
    }
  }
});

Deno.test("a whole text frame within a fragmented message breaks the standard and passes", () => {
  const stream = joined([
    frameOf("a", { firstByte: 0x01 }),
    frameOf("__token__"),
    frameOf("", { firstByte: 0x89 }),
    frameOf("__token__"),
    frameOf("__token__", { firstByte: 0x80 }),
  ]);
  const rewriter = rewriterOf();
  assert.deepEqual(rewritten(rewriter, stream), stream);
  assert.deepEqual(
    rewritten(rewriter, frameOf("__token__")),
    frameOf("secret", { key: FRESH_KEY }),
  );
});

Deno.test("a control frame without its FIN bit begins no fragmented message", () => {
  const rewriter = rewriterOf();
  const ping = frameOf("__token__", { firstByte: 0x09 });
  assert.deepEqual(rewritten(rewriter, ping), ping);
  assert.deepEqual(
    rewritten(rewriter, frameOf("__token__")),
    frameOf("secret", { key: FRESH_KEY }),
  );
});

Deno.test("an unmasked frame is not read with the bytes before its payload for a key", () => {
  const disguised = bytesOf("__token__").map((byte, i) => byte ^ [0, 0, 0x81, 9][i % 4]!);
  const frame = frameOf(disguised, { key: undefined });
  assert.deepEqual(rewritten(rewriterOf(), frame), frame);
});

Deno.test("after a length that nobody can count to, everything passes", () => {
  for (const first of [0x80, 0x00]) {
    const header = Uint8Array.of(0x81, 0xff, first, 0x20, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4);
    const stream = joined([header, frameOf("__token__"), frameOf("__token__")]);
    for (let cut = 0; cut <= stream.length; cut++) {
      assert.deepEqual(rewritten(rewriterOf(), stream, [cut]), stream, `split at ${cut}`);
    }
  }
});

const MEBIBYTE = 1024 * 1024;

/** Payload lengths before and after: each length form, each change between two, both sides of the limit. */
const LENGTHS: readonly (readonly [before: number, after: number])[] = [
  [9, 0],
  [9, 6],
  [124, 125],
  [125, 125],
  [125, 126],
  [126, 125],
  [126, 126],
  [126, 65535],
  [9, 65536],
  [65534, 65535],
  [65535, 65535],
  [65535, 65536],
  [65536, 65535],
  [65536, 65536],
  [65537, 65536],
  [MEBIBYTE - 1, MEBIBYTE],
  [MEBIBYTE, MEBIBYTE],
  [MEBIBYTE, MEBIBYTE - 1],
  [MEBIBYTE, MEBIBYTE + 1],
  [MEBIBYTE, 9],
];

for (const [before, after] of LENGTHS) {
  Deno.test(`a text frame of ${before} bytes becomes one of ${after}, wherever it is split`, () => {
    // The placeholder is as long as it must be for the value to make up the difference.
    const fill = Math.min(before - 9, after);
    const placeholder = `__${"t".repeat(before - fill - 4)}__`;
    const value = "v".repeat(after - fill);
    const lead = "x".repeat(Math.floor(fill / 2));
    const rest = "y".repeat(fill - lead.length);
    const frame = frameOf(lead + placeholder + rest);
    const expected = joined([
      frameOf(lead + value + rest, { key: FRESH_KEY }),
      frameOf("next", { firstByte: 0x82 }),
    ]);
    const stream = joined([frame, frameOf("next", { firstByte: 0x82 })]);
    for (const cuts of cutsFor(stream.length, frame.length)) {
      const sent = rewritten(rewriterOf({ [placeholder]: value }), stream, cuts);
      assert(isSame(sent, expected), `split at ${cuts}`);
    }
  });
}

for (const length of [MAX_SCANNED_PAYLOAD_BYTES + 1, 2 * MAX_SCANNED_PAYLOAD_BYTES]) {
  Deno.test(`a text frame of ${length} bytes is larger than 1 MB and streams through`, () => {
    const frame = frameOf("__token__".padEnd(length));
    for (const cuts of cutsFor(frame.length, frame.length)) {
      const rewriter = rewriterOf();
      assert(isSame(rewritten(rewriter, frame, cuts), frame), `split at ${cuts}`);
    }
    const [first] = rewriterOf().push(frame.subarray(0, 20));
    assert.equal(first?.length, 20, "The beginning waits for the rest");
  });
}

for (const length of [125, 126, 65535, 65536, MEBIBYTE]) {
  Deno.test(`a text frame of ${length} bytes without a placeholder keeps its mask and bytes`, () => {
    const frame = frameOf("__tokem__".padEnd(length, "_t"));
    for (const cuts of cutsFor(frame.length, frame.length)) {
      assert(isSame(rewritten(rewriterOf(), frame, cuts), frame), `split at ${cuts}`);
    }
  });
}

Deno.test("a stream that arrives byte by byte is rewritten like one in a single piece", () => {
  const stream = joined([
    frameOf("__token__ and __token__"),
    frameOf("", { firstByte: 0x89 }),
    frameOf("binary __token__", { firstByte: 0x82 }),
    frameOf("x".repeat(200) + "__token__"),
    frameOf(""),
    frameOf("__t"),
    frameOf("__token__"),
  ]);
  const expected = joined([
    frameOf("secret and secret", { key: FRESH_KEY }),
    frameOf("", { firstByte: 0x89 }),
    frameOf("binary __token__", { firstByte: 0x82 }),
    frameOf("x".repeat(200) + "secret", { key: FRESH_KEY }),
    frameOf(""),
    frameOf("__t"),
    frameOf("secret", { key: FRESH_KEY }),
  ]);
  const everyByte = Array.from(stream, (_, i) => i);
  assert.deepEqual(rewritten(rewriterOf(), stream), expected);
  assert.deepEqual(rewritten(rewriterOf(), stream, everyByte), expected);
  for (const cut of everyByte) {
    assert.deepEqual(rewritten(rewriterOf(), stream, [cut]), expected, `split at ${cut}`);
  }
});

Deno.test("a placeholder is found at every place of a payload and under every mask", () => {
  const keys = [[0, 0, 0, 0], [255, 255, 255, 255], [0x80, 0x7f, 0x01, 0xfe], [0x5f, 0x74, 0, 1]];
  for (const key of keys) {
    for (let before = 0; before < 12; before++) {
      for (let after = 0; after < 5; after++) {
        const frame = frameOf("é".repeat(before) + "__token__" + "_".repeat(after), {
          key: Uint8Array.from(key),
        });
        const expected = frameOf("é".repeat(before) + "secret" + "_".repeat(after), {
          key: FRESH_KEY,
        });
        assert.deepEqual(rewritten(rewriterOf(), frame), expected, `${key}, ${before}, ${after}`);
      }
    }
  }
});

Deno.test("each rewritten frame asks for a masking key of its own, others for none", () => {
  let drawn = 0;
  const rewriter = rewriterOf({ __token__: "s" }, (target) => target.fill(++drawn));
  const stream = joined([frameOf("__token__"), frameOf("none"), frameOf("__token__")]);
  assert.deepEqual(
    rewritten(rewriter, stream),
    joined([
      frameOf("s", { key: Uint8Array.of(1, 1, 1, 1) }),
      frameOf("none"),
      frameOf("s", { key: Uint8Array.of(2, 2, 2, 2) }),
    ]),
  );
});

Deno.test("a frame whose placeholder stands for itself keeps its bytes", () => {
  const frame = frameOf("say __token__");
  const never = () => {
    throw new Error("A masking key was drawn");
  };
  const rewriter = new ClientFrameRewriter(replacerOf({ __token__: "__token__" }), never);
  assert.deepEqual(rewritten(rewriter, frame), frame);
});

Deno.test("the value is written as UTF-8 and as it is", () => {
  const rewriter = rewriterOf({ __token__: '"é$&\\' });
  assert.deepEqual(
    rewritten(rewriter, frameOf('{"t":"__token__"}')),
    frameOf('{"t":""é$&\\"}', { key: FRESH_KEY }),
  );
});

Deno.test("what a client leaves unfinished is passed on unchanged when it ends", () => {
  const frame = frameOf("__token__ and more");
  for (let cut = 0; cut < frame.length; cut++) {
    const rewriter = rewriterOf();
    const begun = frame.subarray(0, cut);
    const passed = joined([...rewriter.push(begun), ...rewriter.flush()]);
    assert.deepEqual(passed, frame.slice(0, cut), `ends at ${cut}`);
    assert.deepEqual(rewriter.flush(), []);
  }
});

Deno.test("frames that pass are given on as the piece that was pushed, not as a copy", () => {
  const stream = joined(Array.from({ length: 50 }, () => frameOf("nothing to see")));
  assert.deepEqual(rewriterOf().push(stream), [stream]);
  const [only] = rewriterOf().push(stream);
  assert.equal(only, stream);
  const mixed = joined([stream, frameOf("__token__"), stream]);
  const [before, , after] = rewriterOf().push(mixed);
  assert.equal(before!.buffer, mixed.buffer);
  assert.equal(after!.buffer, mixed.buffer);
});

Deno.test("a payload of a large binary frame is not held, whatever it looks like", () => {
  const rewriter = rewriterOf();
  const header = frameOf(new Uint8Array(70_000), { firstByte: 0x82 }).subarray(0, 14);
  assert.equal(joined(rewriter.push(header)).length, 14);
  let left = 70_000;
  for (const decoy = frameOf("__token__"); left > 0; left -= decoy.length) {
    const piece = decoy.subarray(0, left);
    const [passed, ...more] = rewriter.push(piece);
    assert.equal(passed, piece);
    assert.deepEqual(more, []);
  }
  assert.deepEqual(rewriter.push(frameOf("__token__")), [frameOf("secret", { key: FRESH_KEY })]);
});

/** Cuts at every byte of a short stream; of a long one at every header byte and at sampled others. */
function cutsFor(length: number, secondFrame: number): number[][] {
  const single = new Set<number>();
  const step = length < 400 ? 1 : Math.ceil(length / 5);
  for (let cut = 0; cut < length; cut += step) single.add(cut);
  for (let i = 0; i < 16; i++) {
    for (const cut of [i, secondFrame - 8 + i]) if (cut >= 0 && cut <= length) single.add(cut);
  }
  const segments = Array.from({ length: Math.floor(length / 1460) }, (_, i) => (i + 1) * 1460);
  return [
    [],
    ...[...single].map((cut) => [cut]),
    segments,
    [0, 1, 2, 3, 5, 9, 14].filter((cut) => cut < length),
  ];
}

/** Compares megabytes without printing them. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

Deno.test("the test's own frame builder agrees with the example of RFC 6455 section 5.7", () => {
  assert.deepEqual(
    frameOf(bytesOf("Hello"), { key: Uint8Array.of(0x37, 0xfa, 0x21, 0x3d) }),
    Uint8Array.of(0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58),
  );
});
