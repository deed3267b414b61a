/**
 * `deno task bench`: the broker beside the direct way and mitmproxy, in one run on one machine, so that
 * the ratios hold where absolute figures do not. Needs nginx, hey, curl and openssl; mitmproxy is left
 * out where it is not installed. `--quick` shortens every measurement.
 */

import { createCertificate } from "./certificate.ts";
import { broker, type Contender, direct, mitmproxy } from "./contenders.ts";
import { latency, type LatencyResult } from "./latency.ts";
import { load, type LoadResult } from "./load.ts";
import { startNginx } from "./nginx_upstream.ts";
import { startSink } from "./sink_upstream.ts";
import { transfer, type TransferResult } from "./transfer.ts";

const QUICK = Deno.args.includes("--quick");
const SECONDS = QUICK ? 2 : 6;
const REQUESTS = QUICK ? 2_000 : 10_000;
const CONNECTIONS = 32;

/** hey sends `host:port` as the server name unless the port is 443, and rustls refuses such names. */
const PORT = 443;

interface Figures {
  readonly name: string;
  readonly single: LatencyResult;
  readonly many: LoadResult;
  readonly bulk: TransferResult | undefined;
}

async function measure(
  contender: Contender,
  setting: { sinkPort: number; file: string; bulk: boolean },
): Promise<Figures> {
  const { proxy, name } = contender;
  const through = proxy === undefined ? {} : { proxy };
  console.error(`measuring ${name} ...`);
  const url = proxy === undefined ? undefined : new URL(proxy);
  const single = await latency({
    hostname: "localhost",
    port: PORT,
    path: "/1k",
    requests: REQUESTS,
    caCerts: contender.caCerts,
    ...(url && {
      proxy: {
        port: Number(url.port),
        ...(url.username && {
          authorization: `Basic ${btoa(`${url.username}:${url.password}`)}`,
        }),
      },
    }),
  });
  // Once to open and warm everything, once to count.
  await load({ url: "https://localhost/1k", connections: CONNECTIONS, seconds: 2, ...through });
  const many = await load({
    url: "https://localhost/1k",
    connections: CONNECTIONS,
    seconds: SECONDS,
    ...through,
  });
  if (many.failures > 0) throw new Error(`${name}: ${many.failures} requests failed`);
  const bulk = setting.bulk
    ? await transfer({
      downloadUrl: "https://localhost/100m",
      uploadUrl: `https://localhost:${setting.sinkPort}/`,
      file: setting.file,
      ...through,
    })
    : undefined;
  return { name, single, many, bulk };
}

async function run(): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "broker-bench-" });
  await Deno.chmod(directory, 0o755);
  const certificate = await createCertificate(directory);
  const nginx = await startNginx(directory, { port: PORT, certificate });
  const sink = await startSink(certificate);
  const setting = { sinkPort: sink.port, file: `${directory}/100m`, bulk: true };
  const figures: Figures[] = [];
  try {
    {
      await using contender = await direct(certificate);
      figures.push(await measure(contender, setting));
    }
    for (const services of [1, 10, 1_000, 10_000]) {
      await using contender = await broker(directory, { services, certificate });
      figures.push(
        await measure(contender, { ...setting, bulk: services === 1 || services === 1_000 }),
      );
    }
    const other = await mitmproxy(directory);
    if (other !== undefined) {
      await using contender = other;
      figures.push(await measure(contender, setting));
    }
  } finally {
    sink.stop();
    await nginx.stop();
    await Deno.remove(directory, { recursive: true });
  }
  report(figures);
}

function report(figures: readonly Figures[]): void {
  const base = figures[0]!;
  console.log(
    `1 KiB answers over TLS on both sides, ${navigator.hardwareConcurrency} cores; ratios to direct\n`,
  );
  const rows = [[
    "",
    "1 conn req/s",
    "p50 ms",
    "p99 ms",
    `${CONNECTIONS} conn req/s`,
    "p50 ms",
    "p99 ms",
    "kept",
    "down MB/s",
    "up MB/s",
  ]];
  for (const { name, single, many, bulk } of figures) {
    rows.push([
      name,
      single.requestsPerSecond.toFixed(0),
      single.p50.toFixed(3),
      single.p99.toFixed(3),
      many.requestsPerSecond.toFixed(0),
      many.p50.toFixed(1),
      many.p99.toFixed(1),
      `${(100 * many.requestsPerSecond / base.many.requestsPerSecond).toFixed(1)} %`,
      bulk === undefined ? "" : bulk.download.toFixed(0),
      bulk === undefined ? "" : bulk.upload.toFixed(0),
    ]);
  }
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows) {
    console.log(
      row.map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)
      ).join("  "),
    );
  }
  compare(figures);
}

/** The figures that the project holds itself to, each beside its bound. */
function compare(figures: readonly Figures[]): void {
  const find = (name: string) => figures.find((entry) => entry.name === name);
  const base = find("direct")!;
  const one = find("broker, 1 service")!;
  const ten = find("broker, 10 services")!;
  const most = find("broker, 10000 services")!;
  const other = find("mitmproxy");
  const lines: [what: string, figure: number, bound: string, holds: boolean][] = [];
  const kept = one.many.requestsPerSecond / base.many.requestsPerSecond;
  lines.push(["kept of direct at 32 connections", kept, ">= 0.45", kept >= 0.45]);
  const added = one.single.p50 - base.single.p50;
  lines.push(["ms added to p50 at one connection", added, "<= 0.25", added <= 0.25]);
  const many = most.many.requestsPerSecond / ten.many.requestsPerSecond;
  lines.push(["10,000 services to 10, at 32 connections", many, ">= 0.90", many >= 0.9]);
  if (other !== undefined) {
    const at32 = one.many.requestsPerSecond / other.many.requestsPerSecond;
    lines.push(["times mitmproxy at 32 connections", at32, ">= 15", at32 >= 15]);
    const at1 = one.single.requestsPerSecond / other.single.requestsPerSecond;
    lines.push(["times mitmproxy at one connection", at1, ">= 4", at1 >= 4]);
  }
  console.log();
  for (const [what, figure, bound, holds] of lines) {
    console.log(
      `${holds ? "holds" : "FAILS"}  ${figure.toFixed(3).padStart(8)}  ${bound.padEnd(8)}  ${what}`,
    );
  }
}

await run();
