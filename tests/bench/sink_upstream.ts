import type { TestCertificate } from "./certificate.ts";

/** A TLS server that reads a request's body to its end and answers 200. */
export interface SinkUpstream {
  readonly port: number;
  stop(): void;
}

/** Starts the sink: nginx discards bodies in a way of its own, so uploads go here, direct and brokered alike. */
export async function startSink(certificate: TestCertificate): Promise<SinkUpstream> {
  const listener = Deno.listenTls({
    hostname: "127.0.0.1",
    port: 0,
    cert: await Deno.readTextFile(certificate.certificatePath),
    key: await Deno.readTextFile(certificate.keyPath),
  });
  (async () => {
    for await (const connection of listener) serve(connection).catch(() => connection.close());
  })().catch(() => {});
  return { port: listener.addr.port, stop: () => listener.close() };
}

const ANSWER = new TextEncoder().encode("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");

async function serve(connection: Deno.TlsConn): Promise<void> {
  const buffer = new Uint8Array(256 * 1024);
  while (true) {
    let head = "";
    let surplus = 0;
    while (!head.includes("\r\n\r\n")) {
      const count = await connection.read(buffer);
      if (count === null) return connection.close();
      head += new TextDecoder("latin1").decode(buffer.subarray(0, count));
      surplus = head.length - (head.indexOf("\r\n\r\n") + 4);
    }
    let left = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0) - surplus;
    while (left > 0) left -= (await connection.read(buffer)) ?? left;
    await connection.write(ANSWER);
  }
}
