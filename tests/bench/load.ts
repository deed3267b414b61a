/** What a load of many small requests gave. */
export interface LoadResult {
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  /** Milliseconds. */
  readonly p99: number;
  /** Answers with another status than 200, and failed requests. */
  readonly failures: number;
}

/** What to load. */
export interface LoadOptions {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Proxy URL with its credentials; `undefined` for the direct way. */
  readonly proxy: string | undefined;
}

/**
 * Runs `hey`, which keeps its connections open and measures every request. It does not verify
 * certificates, so that each proxy's own authority needs no setting up.
 *
 * @throws {Error} when hey is missing or prints something else than a report.
 */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { stdout, stderr, success } = await new Deno.Command("hey", {
    args: [
      "-z",
      `${options.seconds}s`,
      "-c",
      String(options.connections),
      ...(options.proxy === undefined ? [] : ["-x", options.proxy]),
      options.url,
    ],
    stdout: "piped",
    stderr: "piped",
  }).output();
  const text = new TextDecoder().decode(stdout);
  if (!success) throw new Error(`hey failed: ${new TextDecoder().decode(stderr)}`);
  return parseReport(text);
}

function parseReport(text: string): LoadResult {
  const number = (pattern: RegExp) => {
    const match = pattern.exec(text);
    if (match === null) throw new Error(`hey printed no ${pattern}: ${text}`);
    return Number(match[1]);
  };
  const total = number(/Requests\/sec:\s+([\d.]+)/);
  let failures = 0;
  for (const [, status, count] of text.matchAll(/\[(\d{3})\]\s+(\d+) responses/g)) {
    if (status !== "200") failures += Number(count);
  }
  for (const [, count] of text.matchAll(/^\s+\[(\d+)\]\s+(?:Get|Post|Put)/gm)) {
    failures += Number(count);
  }
  return {
    requestsPerSecond: total,
    p50: number(/50% in ([\d.]+) secs/) * 1000,
    p99: number(/99% in ([\d.]+) secs/) * 1000,
    failures,
  };
}
