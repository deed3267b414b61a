import type { LogPageResult } from "./log_pages.ts";
import type { MatchingResult } from "./matching.ts";
import type { RequestFigures, StreamFigures } from "./measure.ts";

/** One way to the upstream, and what its rounds gave. */
export interface Way {
  readonly name: string;
  readonly requests: RequestFigures[];
  /** Empty for a way that carries no large bodies. */
  readonly streams: StreamFigures[];
}

/** A figure with its bound. */
export interface Verdict {
  readonly what: string;
  readonly figure: number;
  readonly bound: string;
  readonly holds: boolean;
}

/** One figure of each round. */
type Series = (way: Way) => readonly number[];

const single = (pick: (figures: RequestFigures["single"]) => number): Series => (way) =>
  way.requests.map((figures) => pick(figures.single));
const many = (pick: (figures: RequestFigures["many"]) => number): Series => (way) =>
  way.requests.map((figures) => pick(figures.many));
const streams = (pick: (figures: StreamFigures) => number): Series => (way) =>
  way.streams.map(pick);

const LOADED = many(({ requestsPerSecond }) => requestsPerSecond);
const SINGLE_RATE = single(({ requestsPerSecond }) => requestsPerSecond);
const SINGLE_P50 = single(({ p50 }) => p50);
const UPLOAD = streams(({ bulk }) => bulk.upload);
const FRAMES = streams(({ frames }) => frames);

const COLUMNS: readonly [heading: string, series: Series, digits: number][] = [
  ["1 conn req/s", SINGLE_RATE, 0],
  ["p50 ms", SINGLE_P50, 3],
  ["p99 ms", single(({ p99 }) => p99), 3],
  ["32 conn req/s", LOADED, 0],
  ["p50 ms", many(({ p50 }) => p50), 1],
  ["p99 ms", many(({ p99 }) => p99), 1],
  ["down MB/s", streams(({ bulk }) => bulk.download), 0],
  ["up MB/s", UPLOAD, 0],
  ["ws frames/s", FRAMES, 0],
];

/** The medians as an aligned table, each way's share of the direct one behind its loaded rate. */
export function table(ways: readonly Way[]): string {
  const base = ways[0]!;
  const rows = [["", ...COLUMNS.map(([heading]) => heading), "kept"]];
  for (const way of ways) {
    const cells = COLUMNS.map(([, series, digits]) => {
      const figures = series(way);
      return figures.length === 0 ? "" : median(figures).toFixed(digits);
    });
    const kept = ratio(way, base, LOADED);
    rows.push([way.name, ...cells, `${(100 * kept).toFixed(1)} %`]);
  }
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const aligned = rows.map((row) =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)
    ).join("  ")
  );
  return aligned.join("\n");
}

/** The figures that the project holds itself to. */
export function verdicts(
  ways: {
    direct: Way;
    one: Way;
    ten: Way;
    thousand: Way;
    most: Way;
    unlogged: Way;
    mitmproxy: Way | undefined;
  },
  matching: readonly MatchingResult[],
  pages: readonly LogPageResult[],
): Verdict[] {
  const { direct, one, ten, thousand, most, unlogged, mitmproxy } = ways;
  const found = [
    atLeast("kept of direct at 32 connections", ratio(one, direct, LOADED), 0.45),
    atMost(
      "ms added to p50 at one connection",
      median(SINGLE_P50(one).map((p50, round) => p50 - SINGLE_P50(direct)[round]!)),
      0.25,
    ),
    atLeast("logging on to logging off, at 32 connections", ratio(one, unlogged, LOADED), 0.95),
    atLeast("10,000 services to 10, at 32 connections", ratio(most, ten, LOADED), 0.9),
    atLeast(
      "upload MB/s kept with a body substitution on another service",
      ratio(thousand, one, UPLOAD),
      0.9,
    ),
    atLeast("kept of direct WebSocket frames", ratio(one, direct, FRAMES), 0.6),
    ...matching.map(({ shape, microseconds }) =>
      atMost(`us a match among 10,000 ${shape}`, microseconds, 5)
    ),
    ...pages.map(({ what, milliseconds }) =>
      atMost(`ms a page of a million log rows: ${what}`, milliseconds, 20)
    ),
  ];
  if (mitmproxy === undefined) return found;
  return [
    ...found,
    atLeast("times mitmproxy at 32 connections", ratio(one, mitmproxy, LOADED), 15),
    atLeast(
      "times mitmproxy at one connection",
      ratio(one, mitmproxy, SINGLE_RATE),
      4,
    ),
  ];
}

function atLeast(what: string, figure: number, bound: number): Verdict {
  return { what, figure, bound: `>= ${bound}`, holds: figure >= bound };
}

function atMost(what: string, figure: number, bound: number): Verdict {
  return { what, figure, bound: `<= ${bound}`, holds: figure <= bound };
}

/** The median of the ratios within each round. */
function ratio(way: Way, base: Way, series: Series): number {
  const bases = series(base);
  return median(series(way).map((figure, round) => figure / bases[round]!));
}

function median(figures: readonly number[]): number {
  const ordered = figures.toSorted((a, b) => a - b);
  return ordered[Math.floor(ordered.length / 2)]!;
}
