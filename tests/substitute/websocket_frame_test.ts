import assert from "node:assert/strict";
import {
  applyMask,
  frameLength,
  headerLength,
  isMinimalLength,
  payloadLength,
  serializeTextFrame,
} from "../../src/substitute/websocket_frame.ts";
import { bytesOf } from "./support.ts";

/** A header's bytes, its own length and the payload length that it announces. */
const HEADERS: readonly (readonly [
  bytes: readonly number[],
  header: number,
  payload: number | undefined,
  minimal: boolean,
])[] = [
  [[0x81, 0x00], 2, 0, true],
  [[0x81, 0x7d], 2, 125, true],
  [[0x81, 0xfd], 6, 125, true],
  [[0x81, 0xfe, 0x00, 0x7d], 8, 125, false],
  [[0x81, 0xfe, 0x00, 0x7e], 8, 126, true],
  [[0x81, 0x7e, 0xff, 0xff], 4, 65535, true],
  [[0x81, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 14, 65535, false],
  [[0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 0], 14, 65536, true],
  [[0x81, 0x7f, 0, 0, 0, 0, 0, 0x10, 0, 0], 10, 1024 * 1024, true],
  [[0x82, 0x7f, 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 10, 2 ** 53 - 1, true],
  [[0x82, 0x7f, 0, 0x20, 0, 0, 0, 0, 0, 0], 10, undefined, true],
  [[0x82, 0x7f, 0x80, 0, 0, 0, 0, 0, 0, 0], 10, undefined, true],
];

for (const [bytes, header, payload, minimal] of HEADERS) {
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
  Deno.test(`the frame header ${hex} announces ${payload} bytes after ${header}`, () => {
    // At an odd place, so that nothing reads from the beginning by accident.
    const shifted = Uint8Array.of(0xff, 0xff, 0xff, ...bytes);
    assert.equal(headerLength(shifted, 3), header);
    assert.equal(payloadLength(shifted, 3), payload);
    assert.equal(isMinimalLength(shifted, 3), minimal);
    assert.equal(frameLength(shifted, 3), header + (payload ?? Infinity));
  });
}

Deno.test("the masked Hello of RFC 6455 section 5.7 is written byte for byte", () => {
  assert.deepEqual(
    serializeTextFrame(bytesOf("Hello"), Uint8Array.of(0x37, 0xfa, 0x21, 0x3d)),
    Uint8Array.of(0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58),
  );
});

for (const length of [0, 1, 125, 126, 65535, 65536, 1024 * 1024, 1024 * 1024 + 1]) {
  Deno.test(`a text frame of ${length} bytes is written with its shortest length form`, () => {
    const payload = new Uint8Array(length).fill(0x61);
    const frame = serializeTextFrame(payload, Uint8Array.of(0x80, 0xff, 0x01, 0x7f));
    assert.equal(payloadLength(frame, 0), length);
    assert.equal(isMinimalLength(frame, 0), true);
    assert.equal(frame.length, frameLength(frame, 0));
    const sent = frame.slice(headerLength(frame, 0));
    applyMask(sent, 0x7f01ff80);
    assert(sent.every((byte) => byte === 0x61));
  });
}
