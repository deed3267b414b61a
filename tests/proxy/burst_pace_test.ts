import assert from "node:assert/strict";
import { BurstPace } from "../../src/proxy/burst_pace.ts";

/** How often a copy rests over pieces of a length that come at an interval in milliseconds. */
function restsOver(pace: BurstPace, pieces: number, length: number, interval: number): number {
  let rests = 0;
  for (let i = 0; i < pieces; i++) {
    if (pace.shouldRest(length, i * interval)) rests++;
  }
  return rests;
}

Deno.test("a stream of small messages is given a rest after sixteen of them", () => {
  const pace = new BurstPace();
  assert.equal(restsOver(pace, 15, 100, 0.05), 0);
  assert.equal(pace.shouldRest(100, 0.75), true);
});

Deno.test("messages that wait for their answers are never held back", () => {
  assert.equal(restsOver(new BurstPace(), 10_000, 100, 0.14), 0);
});

Deno.test("a transfer is never held back", () => {
  assert.equal(restsOver(new BurstPace(), 10_000, 16 * 1024, 0.001), 0);
});

Deno.test("resting goes on while much gathers, and a burst is proof for 64 rests at most", () => {
  const pace = new BurstPace();
  restsOver(pace, 16, 100, 0.05);
  assert.equal(restsOver(pace, 10_000, 8 * 1024, 1), 64);
});

Deno.test("resting ends when little has gathered", () => {
  const pace = new BurstPace();
  restsOver(pace, 16, 100, 0.05);
  assert.equal(pace.shouldRest(100, 2), false);
  assert.equal(pace.shouldRest(8 * 1024, 3), false);
});
