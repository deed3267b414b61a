import type { TestCertificate } from "./certificate.ts";
import { connectThrough, type LatencyOptions } from "./latency.ts";

/** Frames that are sent and echoed. */
const FRAMES = 100_000;

/** Payload of each frame in bytes, so that a header is two bytes without and six with its mask. */
const PAYLOAD = 32;

/** A TLS server that echoes masked frames of {@link PAYLOAD} bytes unmasked. */
export interface EchoUpstream {
  readonly port: number;
  stop(): void;
}

/** Starts the echo. It answers every handshake: the digest of RFC 6455 is no part of the measurement. */
export async function startEcho(certificate: TestCertificate): Promise<EchoUpstream> {
  const listener = Deno.listenTls({
    hostname: "127.0.0.1",
    port: 0,
    cert: await Deno.readTextFile(certificate.certificatePath),
    key: await Deno.readTextFile(certificate.keyPath),
  });
  (async () => {
    for await (const connection of listener) echo(connection).catch(() => connection.close());
  })().catch(() => {});
  return { port: listener.addr.port, stop: () => listener.close() };
}

const SWITCHING =
  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

async function echo(connection: Deno.TlsConn): Promise<void> {
  const buffer = new Uint8Array(256 * 1024);
  const out = new Uint8Array(2 + PAYLOAD);
  out.set([0x81, PAYLOAD]);
  await connection.read(buffer);
  await connection.write(new TextEncoder().encode(SWITCHING));
  const size = 6 + PAYLOAD;
  let used = 0;
  while (true) {
    const count = await connection.read(buffer.subarray(used));
    if (count === null) return connection.close();
    used += count;
    let at = 0;
    // One write a frame, as a server's send() is.
    for (; used - at >= size; at += size) {
      for (let k = 0; k < PAYLOAD; k++) {
        out[2 + k] = buffer[at + 6 + k]! ^ buffer[at + 2 + (k & 3)]!;
      }
      await writeAll(connection, out);
    }
    buffer.copyWithin(0, at, used);
    used -= at;
  }
}

/** Frames a second, there and back. @throws {Error} when the echo ends before every frame came back. */
export async function measureEcho(
  options: Omit<LatencyOptions, "path" | "requests">,
): Promise<number> {
  const connection = await connectThrough(options);
  const buffer = new Uint8Array(256 * 1024);
  const host = `${options.hostname}:${options.port}`;
  await connection.write(
    new TextEncoder().encode(
      `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    ),
  );
  const head = await connection.read(buffer);
  const text = new TextDecoder().decode(buffer.subarray(0, head ?? 0));
  if (!text.startsWith("HTTP/1.1 101 ")) throw new Error(`No upgrade: ${text}`);
  const frame = new Uint8Array(6 + PAYLOAD).fill(0x61);
  frame.set([0x81, 0x80 | PAYLOAD, 0, 0, 0, 0]);
  const size = 2 + PAYLOAD;
  const begin = performance.now();
  // One write a frame, as a client's send() is; echoes are read meanwhile.
  const sending = (async () => {
    for (let i = 0; i < FRAMES; i++) await writeAll(connection, frame);
  })();
  for (let bytes = 0; bytes < FRAMES * size;) {
    const count = await connection.read(buffer);
    if (count === null) throw new Error("The echo ended early");
    bytes += count;
  }
  await sending;
  const seconds = (performance.now() - begin) / 1000;
  connection.close();
  return FRAMES / seconds;
}

async function writeAll(connection: Deno.TlsConn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}
