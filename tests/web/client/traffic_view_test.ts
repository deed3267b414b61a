import assert from "node:assert/strict";
import {
  barsPath,
  BUCKET_SECONDS,
  BUCKETS,
  createFilter,
  formatBytes,
  formatCount,
  formatLatency,
  linePath,
  median,
  outcomeOf,
  Tally,
} from "../../../src/web/client/traffic_view.js";

const NOW = 1_900_000_000;

function row(change: Record<string, unknown> = {}) {
  return {
    id: "7f3a",
    created_at: new Date(NOW * 1000).toISOString(),
    ingress: "connect",
    method: "GET",
    host: "api.github.com",
    path: "/user",
    matched_service: "github",
    status: 200,
    latency_ms: 10,
    error_code: null,
    actor_name: "3fa9",
    ...change,
  };
}

Deno.test("the filter finds every word anywhere in a row, in any case", () => {
  const fits = (text: string, change = {}) => createFilter({ text })(row(change));
  assert.ok(fits(""));
  assert.ok(fits("  USER get "));
  assert.ok(fits("api.github.com/us"));
  assert.ok(fits("3fa9"));
  assert.ok(fits("credential_not", { error_code: "credential_not_found" }));
  assert.equal(fits("user stripe"), false);
});

Deno.test("the filter chooses by service and by outcome, refusals of the broker apart", () => {
  const refused = row({ status: 403, error_code: "service_disabled" });
  const failed = row({ status: 404 });
  const tunnel = row({ matched_service: null });
  const left = row({ status: 0 });
  const chosen = (choice: Record<string, string>) =>
    [row(), refused, failed, tunnel, left].map((one) => createFilter(choice)(one) ? 1 : 0).join("");
  assert.equal(chosen({ service: "github" }), "11101");
  assert.equal(chosen({ service: "-" }), "00010");
  assert.equal(chosen({ outcome: "failed" }), "01101");
  assert.equal(chosen({ outcome: "refused" }), "01000");
  assert.equal(chosen({ outcome: "4xx" }), "00100");
  assert.equal(chosen({ outcome: "2xx", service: "github" }), "10000");
  assert.equal(outcomeOf(left), "left");
});

Deno.test("a tally counts the last two minutes and forgets what is older", () => {
  const tally = new Tally();
  const at = (seconds: number, change = {}) =>
    tally.add(row({ created_at: (NOW - seconds) * 1000, ...change }));
  at(BUCKETS * BUCKET_SECONDS + 2);
  at(100, { latency_ms: 50 });
  at(0, { status: 500, latency_ms: 30 });
  at(60, { latency_ms: 40 });
  assert.deepEqual(tally.sums(NOW), { count: 3, failed: 1, latency: 40 });
  const { counts, failures, latencies } = tally.series(NOW);
  assert.equal(counts.length, BUCKETS);
  assert.deepEqual([counts.at(-1), failures.at(-1), latencies.at(-1)], [1, 1, 30]);
  assert.deepEqual([counts.at(-31), latencies.at(-31), latencies.at(-2)], [1, 40, undefined]);
  assert.deepEqual(tally.sums(NOW + 300), { count: 0, failed: 0, latency: undefined });
});

Deno.test("the time that a tunnel was open is no latency", () => {
  const tally = new Tally();
  tally.add(row({ ingress: "tunnel", latency_ms: 60_000 }));
  assert.deepEqual(tally.sums(NOW), { count: 1, failed: 0, latency: undefined });
  tally.add(row({ latency_ms: 3 }));
  assert.equal(tally.sums(NOW).latency, 3);
});

Deno.test("a tally of a hundred thousand rows keeps a bounded sample of each bar", () => {
  const tally = new Tally();
  for (let count = 0; count < 100_000; count++) tally.add(row({ latency_ms: count }));
  const { count, latency } = tally.sums(NOW);
  assert.equal(count, 100_000);
  assert.ok(latency! > 99_900, "the sample holds the latest");
});

Deno.test("a median is the middle value", () => {
  assert.equal(median([]), undefined);
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([4, 1]), 1);
});

Deno.test("bars stand on the bottom, in scale, and one request is always seen", () => {
  const box = { width: 40, height: 10, max: 1000 };
  assert.equal(
    barsPath([1000, 0, 1, 2000], box),
    "M0 10v-10h7.5v10zM20 10v-1h7.5v1zM30 10v-10h7.5v10z",
  );
  assert.equal(barsPath([0, 0], { ...box, max: 0 }), "");
});

Deno.test("a line has a gap where nothing came, and shows a point that stands alone", () => {
  const box = { width: 30, height: 10, max: 10 };
  assert.equal(linePath([0, 10, undefined, 5], box), "M0 10h0.5L10 0M30 5h0.5");
  assert.equal(linePath([undefined, undefined], box), "");
});

Deno.test("numbers are written as people read them", () => {
  assert.deepEqual([0, 1234, 2_500_000].map(formatCount), ["0", "1,234", "2.5 M"]);
  assert.deepEqual([undefined, 0.2, 14.6, 999, 2500, 600_000].map(formatLatency), [
    "–",
    "<1 ms",
    "15 ms",
    "999 ms",
    "2.5 s",
    "10 min",
  ]);
  assert.deepEqual([0, 999, 1000, 2_540_000, 7e12].map(formatBytes), [
    "0 B",
    "999 B",
    "1.0 kB",
    "2.5 MB",
    "7000.0 GB",
  ]);
});
