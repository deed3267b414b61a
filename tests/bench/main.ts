/**
 * `deno task bench`: the broker beside the direct way and mitmproxy, in one run on one machine, so that
 * the ratios hold where absolute figures do not. Needs nginx, hey, curl, openssl and the right to listen
 * on port 443; mitmproxy is left out where it is not installed. `--quick` measures one short round.
 */

import { createCertificate } from "./certificate.ts";
import { broker, type Contender, direct, mitmproxy } from "./contenders.ts";
import { type LogPageResult, measureLogPages } from "./log_pages.ts";
import { measureMatching } from "./matching.ts";
import { type Figures, measure, type Setting, warmUp } from "./measure.ts";
import { startNginx } from "./nginx_upstream.ts";
import { type Rounds, table, verdicts } from "./report.ts";
import { startSink } from "./sink_upstream.ts";
import { startEcho } from "./websocket_echo.ts";

const QUICK = Deno.args.includes("--quick");

/** Every way is measured once a round; machines drift, so ratios are taken within a round. */
const ROUNDS = QUICK ? 1 : 3;

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
  for (const services of [1, 10, 1_000, 10_000]) {
    contenders.push(stack.use(await broker(directory, { services, certificate })));
  }
  contenders.push(stack.use(await broker(directory, { services: 1, certificate, log: "off" })));
  const other = await mitmproxy(directory);
  if (other !== undefined) contenders.push(stack.use(other));
  const measured = await inRounds(contenders, {
    port: 443,
    sinkPort: sink.port,
    echoPort: echo.port,
    file: `${directory}/100m`,
    connections: 32,
    seconds: QUICK ? 2 : 4,
    requests: QUICK ? 2_000 : 10_000,
  });
  print(measured, measureLogPages(directory));
}

async function inRounds(contenders: readonly Contender[], setting: Setting): Promise<Rounds[]> {
  const measured = contenders.map(({ name }) => ({ name, rounds: [] as Figures[] }));
  for (const contender of contenders) await warmUp(contender, setting);
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [index, contender] of contenders.entries()) {
      console.error(`round ${round} of ${ROUNDS}: ${contender.name}`);
      measured[index]!.rounds.push(await measure(contender, setting));
    }
  }
  return measured;
}

function print(ways: readonly Rounds[], pages: readonly LogPageResult[]): void {
  const [base, one, ten, thousand, most, unlogged, other] = ways;
  console.log(
    `\n1 KiB answers over TLS on both sides, 100 MiB bodies, frames of 32 bytes; ` +
      `${navigator.hardwareConcurrency} cores, medians of ${ROUNDS} round${
        ROUNDS === 1 ? "" : "s"
      }\n`,
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
