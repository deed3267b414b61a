import assert from "node:assert/strict";
import { BurstPace } from "../../src/proxy/burst_pace.ts";

/** How often a copy rests over pieces that come at an interval in milliseconds. */
function restsOver(
  pace: BurstPace,
  pieces: number,
  { length, interval }: { length: (i: number) => number; interval: number },
): number {
  let rests = 0;
  for (let i = 0; i < pieces; i++) {
    if (pace.shouldRest(length(i), i * interval)) rests++;
  }
  return rests;
}

/** One to five messages of forty bytes, as a reader that is too slow for them finds them. */
const gathered = (i: number) => 40 * (1 + i % 5);

Deno.test("messages that wait for their answers are never held back, however fast they are", () => {
  const alone = { length: () => 40, interval: 0.01 };
  assert.equal(restsOver(new BurstPace(), 10_000, alone), 0);
});

Deno.test("messages of any size are not held back at the pace of a network", () => {
  const varied = { length: (i: number) => 40 + (i * 97) % 1900, interval: 0.13 };
  assert.equal(restsOver(new BurstPace(), 10_000, varied), 0);
});

Deno.test("a transfer is never held back", () => {
  const transfer = { length: () => 16 * 1024, interval: 0.001 };
  assert.equal(restsOver(new BurstPace(), 10_000, transfer), 0);
});

Deno.test("a stream in which messages gather is given a rest after sixteen pieces", () => {
  const pace = new BurstPace();
  assert.equal(restsOver(pace, 15, { length: gathered, interval: 0.05 }), 0);
  assert.equal(pace.shouldRest(gathered(15), 0.75), true);
});

Deno.test("resting goes on while much gathers, and a burst is proof for 64 rests at most", () => {
  const pace = new BurstPace();
  restsOver(pace, 16, { length: gathered, interval: 0.05 });
  assert.equal(restsOver(pace, 10_000, { length: () => 8 * 1024, interval: 1 }), 64);
});

Deno.test("resting ends when little has gathered", () => {
  const pace = new BurstPace();
  restsOver(pace, 16, { length: gathered, interval: 0.05 });
  assert.equal(pace.shouldRest(100, 2), false);
  assert.equal(pace.shouldRest(8 * 1024, 3), false);
});
