import assert from "node:assert/strict";
import fc from "fast-check";
import { parseDuration, serializeDuration } from "../../src/model/duration.ts";
import { parseSessionTtl } from "../../src/model/session_ttl.ts";

Deno.test("parseDuration() refuses what has no unit, no number or nothing but zero", () => {
  for (
    const text of ["", "24", "h", "1.5h", "-1h", "1h ", "1 h", "1y", "0s", "0h0m", "1H", "1hm"]
  ) {
    assert.throws(() => parseDuration(text), { code: "usage" }, text);
  }
  assert.throws(() => parseDuration("300"), (error: { hint: string }) => {
    assert.match(error.hint, /such as 300s/);
    return true;
  });
});

Deno.test("parseDuration() gives milliseconds", () => {
  const cases: [text: string, ms: number][] = [
    ["90s", 90_000],
    ["30m", 1_800_000],
    ["24h", 86_400_000],
    ["7d", 604_800_000],
    ["2w", 1_209_600_000],
    ["1h30m", 5_400_000],
  ];
  for (const [text, ms] of cases) assert.equal(parseDuration(text), ms);
});

Deno.test("parseDuration(serializeDuration(ms)) is ms for whole seconds", () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 10_000_000 }), (seconds) => {
    assert.equal(parseDuration(serializeDuration(seconds * 1_000)), seconds * 1_000);
  }));
});

Deno.test("a session lives 300 to 604800 whole seconds, 24 hours when nobody says", () => {
  for (const bad of [299, 604_801, 0, -300, 300.5, NaN, Infinity, "300", null]) {
    assert.throws(() => parseSessionTtl(bad), { code: "validation_failed" }, String(bad));
  }
  assert.equal(parseSessionTtl(300), 300);
  assert.equal(parseSessionTtl(604_800), 604_800);
  assert.equal(parseSessionTtl(undefined), 86_400);
});
