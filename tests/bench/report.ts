import type { LogPageResult } from "./log_pages.ts";
import type { MatchingResult } from "./matching.ts";
import type { Figures } from "./measure.ts";

/** The rounds of one way to the upstream. */
export interface Rounds {
  readonly name: string;
  readonly rounds: readonly Figures[];
}

/** A figure with its bound. */
export interface Verdict {
  readonly what: string;
  readonly figure: number;
  readonly bound: string;
  readonly holds: boolean;
}

type Pick = (figures: Figures) => number | undefined;

const COLUMNS: readonly [heading: string, pick: Pick, digits: number][] = [
  ["1 conn req/s", ({ single }) => single.requestsPerSecond, 0],
  ["p50 ms", ({ single }) => single.p50, 3],
  ["p99 ms", ({ single }) => single.p99, 3],
  ["32 conn req/s", ({ many }) => many.requestsPerSecond, 0],
  ["p50 ms", ({ many }) => many.p50, 1],
  ["p99 ms", ({ many }) => many.p99, 1],
  ["down MB/s", ({ bulk }) => bulk?.download, 0],
  ["up MB/s", ({ bulk }) => bulk?.upload, 0],
  ["ws frames/s", ({ frames }) => frames, 0],
];

/** The medians as an aligned table, each way's share of the direct one behind its loaded rate. */
export function table(ways: readonly Rounds[]): string {
  const base = ways[0]!;
  const rows = [["", ...COLUMNS.map(([heading]) => heading), "kept"]];
  for (const way of ways) {
    const cells = COLUMNS.map(([, pick, digits]) => {
      const figure = medianOf(way, pick);
      return figure === undefined ? "" : figure.toFixed(digits);
    });
    const kept = ratio(way, base, ({ many }) => many.requestsPerSecond);
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
    direct: Rounds;
    one: Rounds;
    ten: Rounds;
    thousand: Rounds;
    most: Rounds;
    unlogged: Rounds;
    mitmproxy: Rounds | undefined;
  },
  matching: readonly MatchingResult[],
  pages: readonly LogPageResult[],
): Verdict[] {
  const { direct, one, ten, thousand, most, unlogged, mitmproxy } = ways;
  const loaded: Pick = ({ many }) => many.requestsPerSecond;
  const found = [
    atLeast("kept of direct at 32 connections", ratio(one, direct, loaded), 0.45),
    atMost(
      "ms added to p50 at one connection",
      median(one.rounds.map(({ single }, i) => single.p50 - direct.rounds[i]!.single.p50)),
      0.25,
    ),
    atLeast("logging on to logging off, at 32 connections", ratio(one, unlogged, loaded), 0.95),
    atLeast("10,000 services to 10, at 32 connections", ratio(most, ten, loaded), 0.9),
    atLeast(
      "upload MB/s kept with a body substitution on another service",
      ratio(thousand, one, ({ bulk }) => bulk?.upload),
      0.9,
    ),
    atLeast("kept of direct WebSocket frames", ratio(one, direct, ({ frames }) => frames), 0.6),
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
    atLeast("times mitmproxy at 32 connections", ratio(one, mitmproxy, loaded), 15),
    atLeast(
      "times mitmproxy at one connection",
      ratio(one, mitmproxy, ({ single }) => single.requestsPerSecond),
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
function ratio(way: Rounds, base: Rounds, pick: Pick): number {
  return median(way.rounds.map((figures, i) => pick(figures)! / pick(base.rounds[i]!)!));
}

function medianOf(way: Rounds, pick: Pick): number | undefined {
  const figures = way.rounds.map(pick).filter((figure) => figure !== undefined);
  return figures.length === 0 ? undefined : median(figures);
}

function median(figures: readonly number[]): number {
  const ordered = figures.toSorted((a, b) => a - b);
  return ordered[Math.floor(ordered.length / 2)]!;
}
