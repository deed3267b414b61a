/**
 * Sends 1 GiB through the proxy and prints by how many bytes this process grew meanwhile. A program of
 * its own, because the tests of other files share their process with each other.
 *
 * deno run -A large_body_driver.ts upload|download "in absolute-form"|"in a tunnel"
 */
import assert from "node:assert/strict";
import { latin1Bytes } from "../support/bytes.ts";
import { startUpstream } from "../support/upstream.ts";
import { TestBroker } from "./fixture.ts";
import { type Way, WAYS } from "./ways.ts";

const GIBIBYTE = 1024 * 1024 * 1024;

const PIECE = new Uint8Array(1024 * 1024).fill(0x61);

/** Looks at the memory of this process while something runs. */
async function growthDuring(run: () => Promise<void>): Promise<number> {
  const before = Deno.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => most = Math.max(most, Deno.memoryUsage().rss), 20);
  try {
    await run();
  } finally {
    clearInterval(timer);
  }
  return Math.max(most, Deno.memoryUsage().rss) - before;
}

async function pour(send: (bytes: Uint8Array) => Promise<void>): Promise<void> {
  for (let sent = 0; sent < GIBIBYTE; sent += PIECE.length) await send(PIECE);
}

/** Reads and drops; the reader of the other tests makes a timer a read, which would be measured too. */
async function drain(socket: { read(into: Uint8Array): Promise<number | null> }, count: number) {
  const into = new Uint8Array(256 * 1024);
  for (let left = count; left > 0;) {
    const got = await socket.read(into.subarray(0, Math.min(left, into.length)));
    if (got === null) throw new Error(`The body ended ${left} bytes early`);
    left -= got;
  }
}

/** A bare connection as {@link Way.open} makes it. */
async function connectBare(
  way: Way,
  { broker, port }: { broker: TestBroker; port: number },
): Promise<Deno.Conn> {
  const socket = await Deno.connect({ hostname: "127.0.0.1", port: broker.proxy.port });
  if (way.ingress === "forward") return socket;
  const target = `api.test:${port}`;
  const head =
    `CONNECT ${target} HTTP/1.1\r\nHost: a\r\nProxy-Authorization: ${broker.authorization}\r\n\r\n`;
  await socket.write(latin1Bytes(head));
  await skipHead(socket);
  return await Deno.startTls(socket, { hostname: "api.test", caCerts: [broker.caPem] });
}

/** Reads a head a byte at a time, and nothing behind it. */
async function skipHead(socket: Deno.Conn): Promise<void> {
  const byte = new Uint8Array(1);
  let last = "";
  while (last !== "\r\n\r\n") {
    if (await socket.read(byte) === null) throw new Error("The head ended early");
    last = (last + String.fromCharCode(byte[0]!)).slice(-4);
  }
}

async function upload(way: Way): Promise<number> {
  await using upstream = startUpstream({
    ...way.upstream,
    serve: async (connection) => {
      await connection.readHead();
      const { length } = connection.reader.buffered;
      await connection.reader.skip(length);
      await drain(connection.socket, GIBIBYTE - length);
      await connection.send("HTTP/1.1 204 No Content\r\n\r\n");
    },
  });
  await using broker = new TestBroker({ services: [{ host: "api.test" }] });
  using client = await way.open(broker, upstream.port);
  const head = way.head(broker, upstream.port, {
    method: "PUT",
    fields: [`Content-Length: ${GIBIBYTE}`],
  });
  const growth = await growthDuring(async () => {
    await client.send(head);
    await pour((bytes) => client.send(bytes));
    await client.readResponse();
  });
  const [row] = await broker.rowsReach(1);
  assert.deepEqual([row!.status, row!.requestBytes], [204, GIBIBYTE]);
  return growth;
}

async function download(way: Way): Promise<number> {
  await using upstream = startUpstream({
    ...way.upstream,
    serve: async (connection) => {
      await connection.readRequest();
      await connection.send(`HTTP/1.1 200 OK\r\nContent-Length: ${GIBIBYTE}\r\n\r\n`);
      await pour((bytes) => connection.send(bytes));
    },
  });
  await using broker = new TestBroker({ services: [{ host: "api.test" }] });
  using client = await connectBare(way, { broker, port: upstream.port });
  const growth = await growthDuring(async () => {
    await client.write(latin1Bytes(way.head(broker, upstream.port, {})));
    await skipHead(client);
    await drain(client, GIBIBYTE);
  });
  const [row] = await broker.rowsReach(1);
  assert.deepEqual([row!.status, row!.responseBytes], [200, GIBIBYTE]);
  return growth;
}

if (import.meta.main) {
  const [direction, name] = Deno.args;
  const way = WAYS.find((candidate) => candidate.name === name)!;
  console.log(await (direction === "upload" ? upload : download)(way));
}
