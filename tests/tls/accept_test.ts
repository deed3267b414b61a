import assert from "node:assert/strict";
import { BrokerError } from "../../src/errors.ts";
import { ClientConnection } from "../../src/proxy/client_connection.ts";
import { TlsAcceptor } from "../../src/tls/accept.ts";
import { clientFaultOf } from "../../src/tls/client_fault.ts";
import { connectTls } from "../../src/tls/connect.ts";
import { LeafCache } from "../../src/tls/leaf_cache.ts";
import type { TlsServerStream } from "../../src/tls/server_stream.ts";
import { createAuthority, sharedAuthority } from "./memory_store.ts";

const DAY = 86_400_000;
const authority = await sharedAuthority();
const encoder = new TextEncoder();
const decoder = new TextDecoder();

function createAcceptor() {
  const issued: string[] = [];
  const leaves = new LeafCache({
    issueLeaf: (hostname) => {
      issued.push(hostname);
      return authority.issueLeaf(hostname);
    },
  }, { now: Date.now });
  return { acceptor: new TlsAcceptor(leaves), issued };
}

/** Both ends of a connection on which the acceptor serves. */
interface Tunnel {
  readonly raw: Deno.TcpConn;
  readonly server: TlsServerStream;
}

async function openTunnel(acceptor: TlsAcceptor, hostname: string): Promise<Tunnel> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const [raw, accepted] = await Promise.all([
    Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port }),
    listener.accept(),
  ]);
  accepted.setNoDelay(true);
  const prepared = await acceptor.prepare(hostname);
  return { raw, server: prepared.accept(new ClientConnection(accepted)) };
}

interface Pair {
  readonly client: Deno.TlsConn;
  readonly server: TlsServerStream;
}

/** Plays the client of a tunnel; the server's handshake runs with its first read. */
async function shake({ raw, server }: Tunnel, hostname: string, ca = authority): Promise<Pair> {
  const buffer = new Uint8Array(1);
  const [client] = await Promise.all([
    connectTls(raw, { hostname, caCerts: [ca.certificatePem] }).then(async (client) => {
      await client.write(encoder.encode("!"));
      return client;
    }),
    server.read(buffer),
  ]);
  assert.equal(decoder.decode(buffer), "!");
  return { client, server };
}

function closePair({ client, server }: Pair): void {
  client.close();
  server.close();
}

interface Writable {
  write(bytes: Uint8Array): Promise<number>;
}
interface Readable {
  read(target: Uint8Array): Promise<number | null>;
}

async function writeAll(conn: Writable, bytes: Uint8Array): Promise<void> {
  let at = 0;
  while (at < bytes.length) at += await conn.write(bytes.subarray(at));
}

async function readBytes(conn: Readable, length: number, step = length): Promise<Uint8Array> {
  const all = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const count = await conn.read(all.subarray(at, Math.min(length, at + step)));
    if (count === null) break;
    at += count;
  }
  return all.subarray(0, at);
}

async function say(from: Writable, to: Readable, text: string): Promise<void> {
  await writeAll(from, encoder.encode(text));
  assert.equal(decoder.decode(await readBytes(to, text.length)), text);
}

/** Bytes in which a shift or a swap shows. */
function patterned(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 0xff);
}

Deno.test("a host that no certificate can name is refused", async () => {
  const { acceptor } = createAcceptor();
  for (const hostname of ["", "*.example.com", "a b"]) {
    await assert.rejects(
      acceptor.prepare(hostname),
      (error) => error instanceof BrokerError && error.code === "validation_failed",
    );
  }
});

Deno.test("a client that breaks its handshake gets a reason and disturbs nobody", async () => {
  const { acceptor, issued } = createAcceptor();
  const breakers: ((raw: Deno.TcpConn) => Promise<void>)[] = [
    (raw) => writeAll(raw, encoder.encode("GET / HTTP/1.1\r\n\r\n")),
    (raw) => Promise.resolve(raw.close()),
    (raw) => writeAll(raw, new Uint8Array([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0])),
  ];
  const reasons: string[] = [];
  for (const breaker of breakers) {
    const { raw, server } = await openTunnel(acceptor, "a.example");
    await breaker(raw);
    await server.read(new Uint8Array(16)).then(
      () => assert.fail("shook hands"),
      (error) => reasons.push(clientFaultOf(error)),
    );
    server.close();
    try {
      raw.close();
    } catch {
      // Closed by the breaker.
    }
    closePair(await shake(await openTunnel(acceptor, "a.example"), "a.example"));
  }
  assert.match(reasons[0]!, /does not speak TLS/);
  assert.match(reasons[1]!, /closed the connection/);
  assert.deepEqual(issued, ["a.example"]);
});

Deno.test("a client that does not trust the CA is told apart from one without HTTP/1.1", async () => {
  const { acceptor } = createAcceptor();
  const untrusting = await openTunnel(acceptor, "a.example");
  const [client, server] = await Promise.allSettled([
    connectTls(untrusting.raw, { hostname: "a.example" }),
    untrusting.server.read(new Uint8Array(1)),
  ]);
  assert.equal(client.status, "rejected");
  assert.match(clientFaultOf((server as PromiseRejectedResult).reason), /does not trust/);
  untrusting.server.close();

  const tunnel = await openTunnel(acceptor, "a.example");
  const h2 = await Deno.startTls(tunnel.raw, {
    hostname: "a.example",
    caCerts: [authority.certificatePem],
    alpnProtocols: ["h2"],
  });
  const [told, refused] = await Promise.allSettled([
    h2.handshake(),
    tunnel.server.read(new Uint8Array(1)),
  ]);
  // The alert reaches the client before the connection ends.
  assert.match(String((told as PromiseRejectedResult).reason), /NoApplicationProtocol/);
  assert.match(clientFaultOf((refused as PromiseRejectedResult).reason), /HTTP\/1\.1/);
  h2.close();
  tunnel.server.close();
});

Deno.test("plaintext passes both ways under a leaf for the host", async () => {
  const { acceptor } = createAcceptor();
  for (const hostname of ["api.example.com", "localhost", "a_b.example", "127.0.0.1", "::1"]) {
    const pair = await shake(await openTunnel(acceptor, hostname), hostname);
    assert.deepEqual({ ...await pair.client.handshake() }, { alpnProtocol: "http/1.1" });
    await say(pair.client, pair.server, "request");
    await say(pair.server, pair.client, "answer");
    closePair(pair);
  }
});

Deno.test("many tunnels opened at once share one leaf and keep apart", async () => {
  const { acceptor, issued } = createAcceptor();
  const pairs = await Promise.all(Array.from({ length: 40 }, async (_, index) => {
    const hostname = index % 2 ? "A.Example" : "a.example";
    return await shake(await openTunnel(acceptor, hostname), "a.example");
  }));
  await Promise.all(pairs.map(async ({ client, server }, index) => {
    await say(client, server, `to ${index}`);
    await say(server, client, `from ${index}`);
  }));
  pairs.forEach(closePair);
  assert.deepEqual(issued, ["a.example"]);
});

Deno.test("a leaf that nears its end is renewed for new tunnels", async () => {
  let now = Date.now();
  const aging = await createAuthority(() => now);
  const acceptor = new TlsAcceptor(new LeafCache(aging, { now: () => now }));
  const first = await shake(await openTunnel(acceptor, "a.example"), "a.example", aging);
  now += 8 * DAY;
  // The client's own clock has not moved, so that it refuses a certificate of the future.
  const renewed = await openTunnel(acceptor, "a.example");
  const [client] = await Promise.allSettled([
    connectTls(renewed.raw, { hostname: "a.example", caCerts: [aging.certificatePem] }),
    renewed.server.read(new Uint8Array(1)),
  ]);
  assert.match(String((client as PromiseRejectedResult).reason), /not valid yet|NotValidYet/i);
  renewed.server.close();
  await say(first.client, first.server, "still open");
  closePair(first);
});

Deno.test("bodies of every size pass whole, whatever the size of the reads", async () => {
  const { acceptor } = createAcceptor();
  const pair = await shake(await openTunnel(acceptor, "a.example"), "a.example");
  // Around a TLS record (16 KiB), what is encrypted at once (32 KiB) and what rustls holds (64 KiB).
  const sizes = [1, 16_383, 16_384, 16_385, 32_767, 32_768, 32_769, 65_536, 65_537, 1_000_003];
  for (const size of sizes) {
    const sent = patterned(size);
    const [, down] = await Promise.all([
      writeAll(pair.server, sent),
      readBytes(pair.client, size),
    ]);
    assert.ok(down.every((byte, index) => byte === sent[index]), `${size} bytes to the client`);
    const [, up] = await Promise.all([
      writeAll(pair.client, sent),
      readBytes(pair.server, size, 777),
    ]);
    assert.ok(up.every((byte, index) => byte === sent[index]), `${size} bytes from the client`);
  }
  closePair(pair);
});

Deno.test("both directions run at the same time", async () => {
  const { acceptor } = createAcceptor();
  const pair = await shake(await openTunnel(acceptor, "a.example"), "a.example");
  const size = 3_000_001;
  const sent = patterned(size);
  const [, , up, down] = await Promise.all([
    writeAll(pair.server, sent),
    writeAll(pair.client, sent),
    readBytes(pair.server, size),
    readBytes(pair.client, size),
  ]);
  for (const got of [up, down]) assert.ok(got.every((byte, index) => byte === sent[index]));
  closePair(pair);
});

Deno.test("writes that overlap arrive in their order", async () => {
  const { acceptor } = createAcceptor();
  const pair = await shake(await openTunnel(acceptor, "a.example"), "a.example");
  const pieces = Array.from({ length: 50 }, (_, index) => patterned(index * 997 + 1));
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  const [got] = await Promise.all([
    readBytes(pair.client, all.length),
    ...pieces.map((piece) => pair.server.write(piece)),
  ]);
  assert.ok(got.every((byte, index) => byte === all[index]));
  closePair(pair);
});

Deno.test("an end in due form is told apart from a lost connection", async () => {
  const { acceptor } = createAcceptor();
  const orderly = await shake(await openTunnel(acceptor, "a.example"), "a.example");
  await orderly.client.closeWrite();
  assert.equal(await orderly.server.read(new Uint8Array(1)), null);
  await say(orderly.server, orderly.client, "still answering");
  await orderly.server.closeWrite();
  assert.equal(await orderly.client.read(new Uint8Array(1)), null);
  closePair(orderly);

  const tunnel = await openTunnel(acceptor, "a.example");
  const hello = tunnel.server.read(new Uint8Array(1));
  await tunnel.raw.closeWrite();
  await assert.rejects(hello, Deno.errors.UnexpectedEof);
  tunnel.raw.close();
  tunnel.server.close();
});

Deno.test("close() ends a read that is under way, and may be called twice", async () => {
  const { acceptor } = createAcceptor();
  const pair = await shake(await openTunnel(acceptor, "a.example"), "a.example");
  const waiting = pair.server.read(new Uint8Array(1));
  pair.server.close();
  pair.server.close();
  await assert.rejects(waiting);
  await assert.rejects(pair.server.write(encoder.encode("late")), Deno.errors.BadResource);
  await pair.server.closeWrite();
  pair.client.close();
});

Deno.test("bytes after the client's end of TLS are not taken for plaintext", async () => {
  const { acceptor } = createAcceptor();
  const tunnel = await openTunnel(acceptor, "a.example");
  const { client, server } = await shake(tunnel, "a.example");
  await writeAll(client, encoder.encode("last"));
  await client.closeWrite();
  assert.equal(decoder.decode(await readBytes(server, 4)), "last");
  assert.equal(await server.read(new Uint8Array(8)), null);
  assert.equal(await server.read(new Uint8Array(8)), null);
  closePair({ client, server });
});

Deno.test("a tampered record ends the connection with an error and yields no plaintext", async () => {
  const { acceptor } = createAcceptor();
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { raw, server } = await openTunnel(acceptor, "a.example");
  // Between client and server sits somebody who turns over a bit of the last byte of a record.
  const [near, middle] = await Promise.all([
    Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port }),
    listener.accept(),
  ]);
  let tamper = false;
  const copy = async (from: Deno.Conn, to: Deno.Conn, hurt: boolean) => {
    const buffer = new Uint8Array(65_536);
    for (let count; (count = await from.read(buffer).catch(() => null)) !== null;) {
      if (hurt && tamper) buffer[count - 1]! ^= 1;
      await writeAll(to, buffer.subarray(0, count));
    }
  };
  const copying = [copy(middle, raw, true), copy(raw, middle, false)];
  const pair = await shake({ raw: near, server }, "a.example");
  tamper = true;
  await writeAll(pair.client, encoder.encode("forged"));
  await assert.rejects(server.read(new Uint8Array(16)), Deno.errors.InvalidData);
  pair.client.close();
  server.close();
  middle.close();
  raw.close();
  await Promise.allSettled(copying);
});

Deno.test("small writes are sent at once (TCP_NODELAY)", async () => {
  const { acceptor } = createAcceptor();
  const { client, server } = await shake(await openTunnel(acceptor, "a.example"), "a.example");
  const started = performance.now();
  // Held back by the kernel, each of the rounds takes 40 ms, which makes 2 s; sent at once, 0.1 ms.
  for (let round = 0; round < 50; round += 1) {
    await say(client, server, "ask");
    for (const part of ["one", "two", "six"]) await writeAll(server, encoder.encode(part));
    assert.equal(decoder.decode(await readBytes(client, 9)), "onetwosix");
  }
  assert.ok(performance.now() - started < 1_500, "stalled");
  closePair({ client, server });
});

Deno.test("what rustls says of a client becomes a reason that a person can use", () => {
  const cases = [
    ["peer misbehaved: ServerNameMustContainOneHostName", /server name \(SNI\)/],
    ["peer is incompatible: NoCipherSuitesInCommon", /cipher suite/],
    ["peer is incompatible: SignatureAlgorithmsExtensionRequired", /TLS 1\.2 and 1\.3/],
    ["peer doesn't support any known protocol", /HTTP\/1\.1/],
    ["received fatal alert: CertificateUnknown", /does not trust the broker's CA/],
    ["received fatal alert: CertificateExpired", /clock/],
    ["something new (os error 7)", /^something new$/],
  ] as const;
  for (const [message, reason] of cases) {
    assert.match(clientFaultOf(new Deno.errors.InvalidData(message)), reason, message);
  }
});
