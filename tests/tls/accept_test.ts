import assert from "node:assert/strict";
import { BrokerError } from "../../src/errors.ts";
import { TlsAcceptor } from "../../src/tls/accept.ts";
import { clientFaultOf } from "../../src/tls/client_fault.ts";
import { connectTls } from "../../src/tls/connect.ts";
import { LeafCache } from "../../src/tls/leaf_cache.ts";
import type { AcceptedTls } from "../../src/tls/loopback_listener.ts";
import { createAuthority, sharedAuthority } from "./memory_store.ts";

const DAY = 86_400_000;
const authority = await sharedAuthority();

function createAcceptor(options: { capacity?: number } = {}) {
  const issued: string[] = [];
  const leaves = new LeafCache({
    issueLeaf: (hostname) => {
      issued.push(hostname);
      return authority.issueLeaf(hostname);
    },
  }, { now: Date.now });
  const acceptor = new TlsAcceptor(leaves, options);
  return { acceptor, issued, [Symbol.asyncDispose]: () => acceptor.close() };
}

interface Pair {
  readonly client: Deno.TlsConn;
  readonly server: Deno.TlsConn;
}

/** Plays the client of an intercepted tunnel on the raw side. */
async function shake({ inner, tls }: AcceptedTls, hostname: string): Promise<Pair> {
  const [client] = await Promise.all([
    connectTls(inner, { hostname, caCerts: [authority.certificatePem] }),
    tls.handshake(),
  ]);
  return { client, server: tls };
}

function closePair({ client, server }: Pair): void {
  client.close();
  server.close();
}

async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  let at = 0;
  while (at < bytes.length) at += await conn.write(bytes.subarray(at));
}

async function readText(conn: Deno.Conn, length: number): Promise<string> {
  let text = "";
  const buffer = new Uint8Array(length);
  while (text.length < length) {
    const count = await conn.read(buffer);
    if (count === null) break;
    text += new TextDecoder().decode(buffer.subarray(0, count));
  }
  return text;
}

async function say(from: Deno.Conn, to: Deno.Conn, text: string): Promise<void> {
  await writeAll(from, new TextEncoder().encode(text));
  assert.equal(await readText(to, text.length), text);
}

function portOf(conn: Deno.Conn): number {
  return (conn.remoteAddr as Deno.NetAddr).port;
}

/** Whether the other end has closed: reading ends, orderly or by a reset. */
async function isCutOff(conn: Deno.Conn): Promise<boolean> {
  try {
    return await conn.read(new Uint8Array(1)) === null;
  } catch (error) {
    return error instanceof Deno.errors.ConnectionReset;
  }
}

Deno.test("a foreign connection to the listener is cut off and serves nobody", async () => {
  await using fixture = createAcceptor();
  const ours = await fixture.acceptor.open("a.example");
  const foreign = await Deno.connect({ hostname: "127.0.0.1", port: portOf(ours.inner) });
  assert.ok(await isCutOff(foreign));
  foreign.close();
  const pair = await shake(ours, "a.example");
  await say(pair.client, pair.server, "still mine");
  closePair(pair);
});

Deno.test("foreign connections never get into the place of ours, however they race", async () => {
  await using fixture = createAcceptor();
  const first = await fixture.acceptor.open("a.example");
  const port = portOf(first.inner);
  for (let round = 0; round < 20; round += 1) {
    const strangers = [1, 2, 3].map(() => Deno.connect({ hostname: "127.0.0.1", port }));
    const opened = [1, 2, 3].map(() => fixture.acceptor.open("a.example"));
    for (const { inner, tls } of await Promise.all(opened)) {
      const remote = tls.remoteAddr as Deno.NetAddr;
      assert.equal(remote.port, (inner.localAddr as Deno.NetAddr).port);
      inner.close();
      tls.close();
    }
    for (const stranger of await Promise.all(strangers)) {
      assert.ok(await isCutOff(stranger));
      stranger.close();
    }
  }
  first.inner.close();
  first.tls.close();
});

Deno.test("a host that no certificate can name is refused, and nothing stays behind", async () => {
  await using fixture = createAcceptor();
  for (const hostname of ["", "*.example.com", "a b"]) {
    await assert.rejects(
      fixture.acceptor.open(hostname),
      (error) => error instanceof BrokerError && error.code === "validation_failed",
    );
  }
});

Deno.test("a client that breaks its handshake does not disturb the next one", async () => {
  await using fixture = createAcceptor();
  const breakers: ((inner: Deno.TcpConn) => Promise<void>)[] = [
    (inner) => writeAll(inner, new TextEncoder().encode("GET / HTTP/1.1\r\n\r\n")),
    (inner) => Promise.resolve(inner.close()),
    (inner) => writeAll(inner, new Uint8Array([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0])),
  ];
  const reasons: string[] = [];
  for (const breaker of breakers) {
    const { inner, tls } = await fixture.acceptor.open("a.example");
    await breaker(inner);
    await tls.handshake().then(
      () => assert.fail("shook hands"),
      (error) => reasons.push(clientFaultOf(error)),
    );
    tls.close();
    try {
      inner.close();
    } catch {
      // Closed by the breaker.
    }
    const pair = await shake(await fixture.acceptor.open("a.example"), "a.example");
    closePair(pair);
  }
  assert.match(reasons[0]!, /does not speak TLS/);
  assert.match(reasons[1]!, /closed the connection/);
  assert.deepEqual(fixture.issued, ["a.example"]);
});

Deno.test("a client that does not trust the CA is told apart from one without HTTP/1.1", async () => {
  await using fixture = createAcceptor();
  const untrusting = await fixture.acceptor.open("a.example");
  const [client, server] = await Promise.allSettled([
    connectTls(untrusting.inner, { hostname: "a.example" }),
    untrusting.tls.handshake(),
  ]);
  assert.equal(client.status, "rejected");
  assert.match(clientFaultOf((server as PromiseRejectedResult).reason), /does not trust/);
  untrusting.tls.close();

  const { inner, tls } = await fixture.acceptor.open("a.example");
  const h2 = await Deno.startTls(inner, {
    hostname: "a.example",
    caCerts: [authority.certificatePem],
    alpnProtocols: ["h2"],
  });
  const [, refused] = await Promise.allSettled([h2.handshake(), tls.handshake()]);
  assert.match(clientFaultOf((refused as PromiseRejectedResult).reason), /HTTP\/1\.1/);
  h2.close();
  tls.close();
});

Deno.test("plaintext passes both ways under a leaf for the host", async () => {
  await using fixture = createAcceptor();
  for (const hostname of ["api.example.com", "localhost", "a_b.example", "127.0.0.1", "::1"]) {
    const pair = await shake(await fixture.acceptor.open(hostname), hostname);
    assert.deepEqual({ ...await pair.server.handshake() }, { alpnProtocol: "http/1.1" });
    await say(pair.client, pair.server, "request");
    await say(pair.server, pair.client, "answer");
    closePair(pair);
  }
});

Deno.test("many tunnels opened at once share one listener and keep apart", async () => {
  await using fixture = createAcceptor();
  const opened = await Promise.all(
    Array.from(
      { length: 40 },
      (_, index) => fixture.acceptor.open(index % 2 ? "A.Example" : "a.example"),
    ),
  );
  assert.equal(new Set(opened.map(({ inner }) => portOf(inner))).size, 1);
  const pairs = await Promise.all(opened.map((each) => shake(each, "a.example")));
  await Promise.all(
    pairs.map(({ client, server }, index) => say(client, server, `tunnel ${index}`)),
  );
  pairs.forEach(closePair);
  assert.deepEqual(fixture.issued, ["a.example"]);
});

Deno.test("the least recently used listener closes when there are too many, its tunnels stay", async () => {
  await using fixture = createAcceptor({ capacity: 2 });
  const a = await shake(await fixture.acceptor.open("a.example"), "a.example");
  const ports = [];
  for (const hostname of ["b.example", "c.example"]) {
    const opened = await fixture.acceptor.open(hostname);
    ports.push(portOf(opened.inner));
    closePair(await shake(opened, hostname));
  }
  await say(a.client, a.server, "still open");
  const again = await fixture.acceptor.open("a.example");
  // The leaf was kept, so only the listener is new.
  assert.deepEqual(fixture.issued, ["a.example", "b.example", "c.example"]);
  closePair(await shake(again, "a.example"));
  closePair(a);
  // c.example took a's place, then a took b's.
  await assert.rejects(Deno.connect({ hostname: "127.0.0.1", port: ports[0]! }));
});

Deno.test("more hosts at once than listeners may be kept are all served", async () => {
  await using fixture = createAcceptor({ capacity: 2 });
  const hostnames = Array.from({ length: 12 }, (_, index) => `h${index}.example`);
  await Promise.all(hostnames.map(async (hostname) => {
    const pair = await shake(await fixture.acceptor.open(hostname), hostname);
    await say(pair.client, pair.server, hostname);
    closePair(pair);
  }));
});

Deno.test("a listener whose leaf nears its end is replaced, and its tunnels stay", async () => {
  let now = Date.now();
  const aging = await createAuthority(() => now);
  const acceptor = new TlsAcceptor(new LeafCache(aging, { now: () => now }));
  const options = { hostname: "a.example", caCerts: [aging.certificatePem] };
  const first = await acceptor.open("a.example");
  const [client] = await Promise.all([connectTls(first.inner, options), first.tls.handshake()]);
  const port = portOf(first.inner);
  now += 5 * DAY;
  const same = await acceptor.open("a.example");
  assert.equal(portOf(same.inner), port);
  same.inner.close();
  same.tls.close();
  now += 2 * DAY;
  const renewed = await acceptor.open("a.example");
  assert.notEqual(portOf(renewed.inner), port);
  renewed.inner.close();
  renewed.tls.close();
  await say(client, first.tls, "still open");
  closePair({ client, server: first.tls });
  await acceptor.close();
});

Deno.test("after close() nothing is opened, and tunnels that are open stay", async () => {
  const { acceptor } = createAcceptor();
  const pair = await shake(await acceptor.open("a.example"), "a.example");
  const late = Promise.allSettled(
    ["a.example", "b.example"].map((hostname) => acceptor.open(hostname)),
  );
  await acceptor.close();
  for (const result of await late) {
    if (result.status === "rejected") {
      assert.equal((result.reason as BrokerError).code, "unavailable");
      continue;
    }
    result.value.inner.close();
    result.value.tls.close();
  }
  await assert.rejects(
    acceptor.open("a.example"),
    (error) => error instanceof BrokerError && error.code === "unavailable",
  );
  await say(pair.client, pair.server, "still open");
  closePair(pair);
});

Deno.test({
  name: "accepted connections send small writes at once (TCP_NODELAY)",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await using fixture = createAcceptor();
    const { client, server } = await shake(await fixture.acceptor.open("a.example"), "a.example");
    const started = performance.now();
    // Held back by the kernel, each of the rounds takes 40 ms, which makes 2 s; sent at once, 0.1 ms.
    for (let round = 0; round < 50; round += 1) {
      await say(client, server, "ask");
      for (const part of ["one", "two", "six"]) {
        await writeAll(server, new TextEncoder().encode(part));
      }
      assert.equal(await readText(client, 9), "onetwosix");
    }
    assert.ok(performance.now() - started < 1_500, "stalled");
    closePair({ client, server });
  },
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
