/**
 * `deno task bench`: the broker beside the direct way and mitmproxy, in one run on one machine, so that
 * the ratios hold where absolute figures do not. Needs nginx, hey, curl, openssl and the right to listen
 * on port 443; mitmproxy is left out where it is not installed. `--quick` measures one short round.
 */

import { createCertificate } from "./certificate.ts";
import { broker, type Contender, direct, mitmproxy } from "./contenders.ts";
import { type LogPageResult, measureLogPages } from "./log_pages.ts";
import { measureMatching } from "./matching.ts";
import { measureRequests, measureStreams, type Setting, warmUp } from "./measure.ts";
import { startNginx } from "./nginx_upstream.ts";
import { table, verdicts, type Way } from "./report.ts";
import { startSink } from "./sink_upstream.ts";
import { startEcho } from "./websocket_echo.ts";

const QUICK = Deno.args.includes("--quick");

/**
 * Every way is measured once a round; machines drift, so ratios are taken within a round. Many short
 * rounds drift less than few long ones.
 */
const REQUEST_ROUNDS = QUICK ? 1 : 9;
const STREAM_ROUNDS = QUICK ? 1 : 3;

async function run(): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "broker-bench-" });
  await Deno.chmod(directory, 0o755);
  const certificate = await createCertificate(directory);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(directory, { recursive: true }));
  const nginx = await startNginx(directory, { port: 443, certificate });
  stack.defer(() => nginx.stop());
  const sink = await startSink(certificate);
  stack.defer(() => sink.stop());
  const echo = await startEcho(certificate);
  stack.defer(() => echo.stop());
  const contenders: Contender[] = [await direct(certificate)];
  // What is compared with each other is measured one after the other.
  for (
    const options of [
      { services: 1 },
      { services: 1, log: "off" },
      { services: 10 },
      { services: 10_000 },
      { services: 1_000 },
    ] as const
  ) {
    contenders.push(stack.use(await broker(directory, { ...options, certificate })));
  }
  const other = await mitmproxy(directory);
  if (other !== undefined) contenders.push(stack.use(other));
  const measured = await inRounds(contenders, {
    port: 443,
    sinkPort: sink.port,
    echoPort: echo.port,
    file: `${directory}/100m`,
    connections: 32,
    seconds: 2,
    requests: QUICK ? 2_000 : 4_000,
  });
  print(measured, measureLogPages(directory));
}

async function inRounds(contenders: readonly Contender[], setting: Setting): Promise<Way[]> {
  const ways = contenders.map((contender) => ({
    contender,
    way: { name: contender.name, requests: [], streams: [] } as Way,
  }));
  for (const contender of contenders) await warmUp(contender, setting);
  for (let round = 1; round <= REQUEST_ROUNDS; round++) {
    console.error(`requests, round ${round} of ${REQUEST_ROUNDS}`);
    for (const { contender, way } of ways) {
      way.requests.push(await measureRequests(contender, setting));
    }
  }
  for (let round = 1; round <= STREAM_ROUNDS; round++) {
    console.error(`bodies and WebSockets, round ${round} of ${STREAM_ROUNDS}`);
    for (const { contender, way } of ways) {
      if (contender.bulk) way.streams.push(await measureStreams(contender, setting));
    }
  }
  return ways.map(({ way }) => way);
}

function print(ways: readonly Way[], pages: readonly LogPageResult[]): void {
  const [base, one, unlogged, ten, most, thousand, other] = ways;
  console.log(
    `\n1 KiB answers over TLS on both sides, 100 MiB bodies, frames of 32 bytes; ` +
      `${navigator.hardwareConcurrency} cores, medians of ${REQUEST_ROUNDS} rounds, of ` +
      `${STREAM_ROUNDS} with bodies and WebSockets\n`,
  );
  console.log(table(ways));
  console.log();
  const found = verdicts(
    {
      direct: base!,
      one: one!,
      ten: ten!,
      thousand: thousand!,
      most: most!,
      unlogged: unlogged!,
      mitmproxy: other,
    },
    measureMatching(),
    pages,
  );
  for (const { what, figure, bound, holds } of found) {
    const verdict = holds ? "holds" : "FAILS";
    console.log(`${verdict}  ${figure.toFixed(3).padStart(8)}  ${bound.padEnd(8)}  ${what}`);
  }
}

await run();
