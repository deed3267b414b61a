/** A server that shows what reached it. */
export interface DemoUpstream {
  readonly port: number;
  /** The lines of every head received since the last call. */
  takeHeads(): string[][];
  stop(): void;
}

const ANSWER = new TextEncoder().encode(
  "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 24\r\nConnection: close\r\n\r\n" +
    "hello from the upstream\n",
);

/** Starts an upstream on a loopback port of the system's choosing that says hello to everything. */
export function startDemoUpstream(
  options: { tls?: { cert: string; key: string } },
): DemoUpstream {
  const address = { hostname: "127.0.0.1", port: 0 };
  const listener: Deno.Listener<Deno.TcpConn | Deno.TlsConn, Deno.NetAddr> = options.tls
    ? Deno.listenTls({ ...address, ...options.tls }) as Deno.Listener<Deno.TlsConn, Deno.NetAddr>
    : Deno.listen(address);
  let heads: string[][] = [];
  const serve = async (connection: Deno.TcpConn | Deno.TlsConn) => {
    const buffer = new Uint8Array(16 * 1024);
    let text = "";
    while (!text.includes("\r\n\r\n")) {
      const count = await connection.read(buffer);
      if (count === null) break;
      text += new TextDecoder().decode(buffer.subarray(0, count));
    }
    if (text !== "") {
      heads.push(text.slice(0, text.indexOf("\r\n\r\n")).split("\r\n"));
      await connection.write(ANSWER);
    }
    connection.close();
  };
  (async () => {
    // A client that refuses the certificate ends its own connection only.
    for await (const connection of listener) serve(connection).catch(() => {});
  })().catch(() => {});
  return {
    port: listener.addr.port,
    takeHeads() {
      const taken = heads;
      heads = [];
      return taken;
    },
    stop: () => listener.close(),
  };
}
