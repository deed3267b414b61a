// What the traffic page computes, without the page: the filter, the counts and the plots. Rows are as
// GET /v1/vaults/{vault}/logs shows them.

/** Seconds that one bar of a plot stands for. */
export const BUCKET_SECONDS = 2;

/** Bars of a plot: two minutes. */
export const BUCKETS = 60;

/** Latencies kept of one bar; a median needs no more, and a thousand rows a second stay cheap. */
const SAMPLE = 64;

/** Whether the request failed, or was refused by the broker itself. */
export function isFailure(row) {
  return row.error_code != null || row.status === 0 || row.status >= 400;
}

/** A word for how a request ended, as the filter and the colours use it. */
export function outcomeOf(row) {
  if (row.error_code != null) return "refused";
  if (row.status === 0) return "left";
  return `${Math.floor(row.status / 100)}xx`;
}

/** Makes the test for the rows that a person wants to see; empty choices let everything through. */
export function createFilter({ text = "", service = "", outcome = "" }) {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return (row) => {
    if (service !== "" && (row.matched_service ?? "-") !== service) return false;
    if (outcome === "failed" ? !isFailure(row) : outcome !== "" && outcomeOf(row) !== outcome) {
      return false;
    }
    if (words.length === 0) return true;
    const said = [
      row.method,
      row.host + row.path,
      row.status,
      row.matched_service,
      row.error_code,
      row.actor_name,
      row.id,
    ].join(" ").toLowerCase();
    return words.every((word) => said.includes(word));
  };
}

/** What one service, or all, did in the last {@link BUCKETS} bars; older rows are forgotten. */
export class Tally {
  /** By the number of the bar since 1970. */
  #buckets = new Map();

  add(row) {
    const at = barAt(new Date(row.created_at) / 1000);
    let bucket = this.#buckets.get(at);
    if (bucket === undefined) {
      bucket = { count: 0, failed: 0, answers: 0, latencies: [] };
      this.#buckets.set(at, bucket);
      // A long request arrives late and belongs to an early bar, so the oldest are found by number.
      const oldest = Math.max(...this.#buckets.keys()) - BUCKETS;
      for (const key of this.#buckets.keys()) if (key <= oldest) this.#buckets.delete(key);
    }
    // The rows that come after the sample is full take the places of earlier ones in turn.
    bucket.count++;
    // How long a tunnel was open says nothing about the speed of answers.
    if (row.ingress !== "tunnel") bucket.latencies[bucket.answers++ % SAMPLE] = row.latency_ms;
    if (isFailure(row)) bucket.failed++;
  }

  /** The bars that end now, oldest first; a latency is `undefined` where nothing came. */
  series(nowSeconds) {
    const first = barAt(nowSeconds) - BUCKETS + 1;
    const bars = Array.from({ length: BUCKETS }, (_, index) => this.#buckets.get(first + index));
    return {
      counts: bars.map((bar) => bar?.count ?? 0),
      failures: bars.map((bar) => bar?.failed ?? 0),
      latencies: bars.map((bar) => bar && median(bar.latencies)),
    };
  }

  /** The numbers of the same bars taken together; the latency is a median in milliseconds. */
  sums(nowSeconds) {
    const first = barAt(nowSeconds) - BUCKETS + 1;
    const bars = [...this.#buckets].filter(([at]) => at >= first).map(([, bar]) => bar);
    return {
      count: sum(bars.map(({ count }) => count)),
      failed: sum(bars.map(({ failed }) => failed)),
      latency: median(bars.flatMap(({ latencies }) => latencies)),
    };
  }
}

function barAt(seconds) {
  return Math.floor(seconds / BUCKET_SECONDS);
}

function sum(values) {
  return values.reduce((a, b) => a + b, 0);
}

/** The middle value, the lower one of two; `undefined` of nothing. */
export function median(values) {
  if (values.length === 0) return undefined;
  return [...values].sort((a, b) => a - b)[(values.length - 1) >> 1];
}

/** The `d` of a path that draws bars from the bottom of a box. */
export function barsPath(values, { width, height, max }) {
  const step = width / values.length;
  const gap = step * 0.25;
  return values.map((value, index) => {
    if (value <= 0 || max <= 0) return "";
    // A single request among thousands is still seen.
    const tall = Math.max(1, Math.min(height, height * value / max));
    return `M${round(index * step)} ${height}v${round(-tall)}h${round(step - gap)}v${round(tall)}z`;
  }).join("");
}

/** The `d` of a path that joins the values; a gap where there is none. */
export function linePath(values, { width, height, max }) {
  const step = width / Math.max(1, values.length - 1);
  let pen = "M";
  let path = "";
  values.forEach((value, index) => {
    if (value === undefined) return void (pen = "M");
    const y = max <= 0 ? height : height - height * Math.min(value, max) / max;
    // A point that stands alone becomes a short line, or it would not be drawn.
    path += `${pen}${round(index * step)} ${round(y)}`;
    if (pen === "M") path += "h0.5";
    pen = "L";
  });
  return path;
}

/** 1234 as `1,234`, and from a million on with a unit. */
export function formatCount(count) {
  return count < 1e6 ? count.toLocaleString("en") : `${(count / 1e6).toFixed(1)} M`;
}

/** Milliseconds as people read them. */
export function formatLatency(ms) {
  if (ms === undefined) return "–";
  if (ms < 1) return "<1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Bytes as people read them. */
export function formatBytes(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  const unit = Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** unit).toFixed(1)} ${["B", "kB", "MB", "GB"][unit]}`;
}

function round(value) {
  return Math.round(value * 100) / 100;
}
