/** How long single requests took, one after the other on one connection, in milliseconds. */
export interface LatencyResult {
  readonly p50: number;
  readonly p99: number;
  readonly requestsPerSecond: number;
}

/** What to measure. */
export interface LatencyOptions {
  readonly hostname: string;
  readonly port: number;
  readonly path: string;
  readonly requests: number;
  /** Roots that the far end's certificate is verified against, PEM. */
  readonly caCerts: string[];
  /** A proxy's port on loopback and its `Proxy-Authorization` value. */
  readonly proxy?: { readonly port: number; readonly authorization?: string };
}

/** Requests that warm everything up and are not counted. */
const WARM_UP = 500;

/**
 * Measures with a client of its own, because the percentiles of load generators are rounded to a tenth
 * of a millisecond, which is what is to be measured.
 */
export async function latency(options: LatencyOptions): Promise<LatencyResult> {
  const connection = await connectThrough(options);
  const request = new TextEncoder().encode(
    `GET ${options.path} HTTP/1.1\r\nHost: ${options.hostname}:${options.port}\r\n\r\n`,
  );
  const buffer = new Uint8Array(64 * 1024);
  const times: number[] = [];
  const begin = performance.now();
  let counted = begin;
  for (let i = -WARM_UP; i < options.requests; i++) {
    if (i === 0) counted = performance.now();
    const start = performance.now();
    await connection.write(request);
    await readAnswer(connection, buffer);
    if (i >= 0) times.push(performance.now() - start);
  }
  const seconds = (performance.now() - counted) / 1000;
  connection.close();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)]!;
  return { p50: at(0.5), p99: at(0.99), requestsPerSecond: options.requests / seconds };
}

/** Opens TLS to the upstream, through the proxy's CONNECT where there is one. */
export async function connectThrough(
  options: Omit<LatencyOptions, "path" | "requests">,
): Promise<Deno.TlsConn> {
  const port = options.proxy?.port ?? options.port;
  const tcp = await Deno.connect({ hostname: "127.0.0.1", port });
  tcp.setNoDelay(true);
  if (options.proxy !== undefined) {
    const { authorization } = options.proxy;
    const credentials = authorization === undefined
      ? ""
      : `Proxy-Authorization: ${authorization}\r\n`;
    const authority = `${options.hostname}:${options.port}`;
    await tcp.write(
      new TextEncoder().encode(
        `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`,
      ),
    );
    const answer = new Uint8Array(4096);
    const count = await tcp.read(answer);
    const text = new TextDecoder().decode(answer.subarray(0, count ?? 0));
    if (!/^HTTP\/1\.1 200 [^\r]*\r\n([^\r]+\r\n)*\r\n$/.test(text)) {
      throw new Error(`The proxy refused CONNECT: ${text}`);
    }
  }
  const tls = await Deno.startTls(tcp, { hostname: options.hostname, caCerts: options.caCerts });
  await tls.handshake();
  return tls;
}

/** Reads one answer with a Content-Length. */
async function readAnswer(connection: Deno.TlsConn, buffer: Uint8Array): Promise<void> {
  let used = 0;
  let expected = Infinity;
  while (used < expected) {
    const count = await connection.read(buffer.subarray(used));
    if (count === null) throw new Error("The connection closed within an answer");
    used += count;
    if (expected !== Infinity) continue;
    const text = new TextDecoder().decode(buffer.subarray(0, used));
    const end = text.indexOf("\r\n\r\n");
    if (end === -1) continue;
    if (!text.startsWith("HTTP/1.1 200 ")) throw new Error(`Not a 200: ${text.slice(0, end)}`);
    expected = end + 4 + Number(/content-length: *(\d+)/i.exec(text)![1]);
  }
}
