import type { Contender } from "./contenders.ts";
import { latency, type LatencyOptions, type LatencyResult } from "./latency.ts";
import { load, type LoadResult } from "./load.ts";
import { transfer, type TransferResult } from "./transfer.ts";
import { measureEcho } from "./websocket_echo.ts";

/** What one way to the upstream gave in one round. */
export interface Figures {
  readonly single: LatencyResult;
  readonly many: LoadResult;
  /** Measured for the ways that carry them. */
  readonly bulk: TransferResult | undefined;
  /** WebSocket frames echoed in a second. */
  readonly frames: number | undefined;
}

/** What is measured, and how long. */
export interface Setting {
  /** hey sends `host:port` as the server name unless the port is 443, and rustls refuses such names. */
  readonly port: 443;
  readonly sinkPort: number;
  readonly echoPort: number;
  /** A file of 100 MiB. */
  readonly file: string;
  readonly connections: number;
  readonly seconds: number;
  readonly requests: number;
}

/** Echoes in a round, of which the middle one counts: each takes half a second, in which much may happen. */
const REPEATED = 3;

/** Measures one way once. @throws {Error} when a request fails. */
export async function measure(contender: Contender, setting: Setting): Promise<Figures> {
  const end = endOf(contender);
  const single = await latency({
    hostname: "localhost",
    port: setting.port,
    path: "/1k",
    requests: setting.requests,
    ...end,
  });
  const many = await load({
    url: "https://localhost/1k",
    connections: setting.connections,
    seconds: setting.seconds,
    proxy: contender.proxy,
  });
  if (many.failures > 0) throw new Error(`${contender.name}: ${many.failures} requests failed`);
  if (!contender.bulk) return { single, many, bulk: undefined, frames: undefined };
  const bulk = await transfer({
    downloadUrl: "https://localhost/100m",
    uploadUrl: `https://localhost:${setting.sinkPort}/`,
    file: setting.file,
    proxy: contender.proxy,
  });
  const echoes: number[] = [];
  for (let i = 0; i < REPEATED; i++) {
    echoes.push(await measureEcho({ hostname: "localhost", port: setting.echoPort, ...end }));
  }
  return { single, many, bulk, frames: echoes.toSorted((a, b) => a - b)[1]! };
}

/** Opens every connection once, so that start-up costs are not measured. */
export async function warmUp(contender: Contender, setting: Setting): Promise<void> {
  await load({
    url: "https://localhost/1k",
    connections: setting.connections,
    seconds: 2,
    proxy: contender.proxy,
  });
}

/** The client's own end of a contender's way. */
function endOf({ proxy, caCerts }: Contender): Pick<LatencyOptions, "caCerts" | "proxy"> {
  if (proxy === undefined) return { caCerts };
  const { port, username, password } = new URL(proxy);
  return {
    caCerts,
    proxy: {
      port: Number(port),
      ...(username && { authorization: `Basic ${btoa(`${username}:${password}`)}` }),
    },
  };
}
