import type { Contender } from "./contenders.ts";
import { latency, type LatencyOptions, type LatencyResult } from "./latency.ts";
import { load, type LoadResult } from "./load.ts";
import { transfer, type TransferResult } from "./transfer.ts";
import { measureEcho } from "./websocket_echo.ts";

/** What small requests on one way to the upstream gave in one round. */
export interface RequestFigures {
  readonly single: LatencyResult;
  readonly many: LoadResult;
}

/** What large bodies and WebSockets gave. */
export interface StreamFigures {
  readonly bulk: TransferResult;
  /** WebSocket frames echoed in a second. */
  readonly frames: number;
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

/** Measures small requests on one way once. @throws {Error} when a request fails. */
export async function measureRequests(
  contender: Contender,
  setting: Setting,
): Promise<RequestFigures> {
  const single = await latency({
    hostname: "localhost",
    port: setting.port,
    path: "/1k",
    requests: setting.requests,
    ...endOf(contender),
  });
  const many = await load({
    url: "https://localhost/1k",
    connections: setting.connections,
    seconds: setting.seconds,
    proxy: contender.proxy,
  });
  if (many.failures > 0) throw new Error(`${contender.name}: ${many.failures} requests failed`);
  return { single, many };
}

/** Measures large bodies and WebSockets on one way once. @throws {Error} when one fails. */
export async function measureStreams(
  contender: Contender,
  setting: Setting,
): Promise<StreamFigures> {
  const bulk = await transfer({
    downloadUrl: "https://localhost/100m",
    uploadUrl: `https://localhost:${setting.sinkPort}/`,
    file: setting.file,
    proxy: contender.proxy,
  });
  const end = endOf(contender);
  const echoes: number[] = [];
  for (let i = 0; i < REPEATED; i++) {
    echoes.push(await measureEcho({ hostname: "localhost", port: setting.echoPort, ...end }));
  }
  return { bulk, frames: echoes.toSorted((a, b) => a - b)[1]! };
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
