import assert from "node:assert/strict";
import type { Service } from "../../src/model/service.ts";
import type { ByteReader } from "../support/byte_reader.ts";
import { joinBytes, latin1Text } from "../support/bytes.ts";
import { type RawClient, statusOf } from "../support/raw_client.ts";
import { rawResponse, startUpstream, type Upstream } from "../support/upstream.ts";
import { frameOf } from "../substitute/websocket_support.ts";
import { TestBroker } from "./fixture.ts";
import { assertRefusal } from "./refusal.ts";
import { absoluteForm, inTunnel, type Way } from "./ways.ts";

const HANDSHAKE = [
  "Upgrade: websocket",
  "Connection: keep-alive, Upgrade",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
  "Sec-WebSocket-Protocol: chat",
];

const SWITCHED = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n" +
  "Connection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

/** Fields that say what a message is to its receiver come last, whoever sent them. */
const SWITCHED_FOR_CLIENT = "HTTP/1.1 101 Switching Protocols\r\n" +
  "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n" +
  "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

const inWebSocketScheme: Way = {
  ...absoluteForm,
  name: "to a ws:// URL",
  head: (...of) => absoluteForm.head(...of).replace(" http://", " ws://"),
};
const WAYS: readonly Way[] = [inWebSocketScheme, absoluteForm, inTunnel];

const bearer = { host: "api.test", auth: { type: "bearer", token: "KEY" } } as const;
const substituting: Partial<Service> & Pick<Service, "host"> = {
  ...bearer,
  substitutions: [{ key: "PART", placeholder: "__part__", in: ["websocket"] }],
};
const credentials = { KEY: "s3cret", PART: "the real value" };

/** Reads one frame apart from the code under test; the payload without its mask. */
async function readFrame(
  reader: ByteReader,
): Promise<{ firstByte: number; masked: boolean; payload: string }> {
  const [firstByte, second] = await reader.take(2);
  const masked = second! >= 128;
  let length = second! & 127;
  if (length >= 126) {
    const field = await reader.take(length === 126 ? 2 : 8);
    length = field.reduce((sum, byte) => sum * 256 + byte, 0);
  }
  const key = masked ? await reader.take(4) : new Uint8Array(4);
  const payload = (await reader.take(length)).map((byte, at) => byte ^ key[at % 4]!);
  return { firstByte: firstByte!, masked, payload: latin1Text(payload) };
}

/** An upstream that switches protocols and then does as it is told. */
function startWebSocket(
  way: Way,
  talk: (
    connection: Parameters<NonNullable<NonNullable<Parameters<typeof startUpstream>[0]>["serve"]>>[
      0
    ],
  ) => Promise<void>,
): Upstream {
  return startUpstream({
    ...way.upstream,
    serve: async (connection) => {
      await connection.readRequest();
      await connection.send(SWITCHED);
      await talk(connection);
    },
  });
}

async function shakeHands(
  client: RawClient,
  { broker, way, port }: { broker: TestBroker; way: Way; port: number },
): Promise<void> {
  await client.send(way.head(broker, port, { path: "/socket", fields: HANDSHAKE }));
  const answer = await client.readResponse();
  assert.equal(answer.head, SWITCHED_FOR_CLIENT);
}

/** What ends an open WebSocket, besides its two ends. */
const ENDINGS: readonly (readonly [what: string, end: (broker: TestBroker) => void])[] = [
  ["its session is revoked", (broker) => broker.revoke(TestBroker.token)],
  ["its service is disabled", (broker) => {
    broker.change({ services: [{ ...bearer, enabled: false }], credentials });
  }],
  ["another service takes its requests", (broker) => {
    const other = { name: "other", host: "api.test/socket" };
    broker.change({ services: [{ name: "service-1", ...bearer }, other], credentials });
  }],
  ["the services are cleared", (broker) => broker.change({ cleared: true })],
];

for (const way of WAYS) {
  for (const [what, end] of ENDINGS) {
    Deno.test(`an open WebSocket is closed when ${what} ${way.name}`, async () => {
      let left = false;
      await using upstream = startWebSocket(way, async (connection) => {
        await connection.reader.takeAll().catch(() => {});
        left = true;
      });
      await using broker = new TestBroker({
        services: [{ name: "service-1", ...bearer }],
        credentials,
      });
      using client = await way.open(broker, upstream.port);
      await shakeHands(client, { broker, way, port: upstream.port });
      end(broker);
      await client.readToEnd().catch(() => {});
      const [row] = await broker.rowsReach(1);
      assert.deepEqual([row!.status, row!.matchedService], [101, "service-1"]);
      await upstream.close();
      assert.ok(left, "the upstream's side was closed too");
    });
  }

  Deno.test(`an open WebSocket stays when the services change around it ${way.name}`, async () => {
    const hello = frameOf("hello", { key: undefined });
    await using upstream = startWebSocket(way, async (connection) => {
      await connection.reader.take(frameOf("more").length);
      await connection.send(hello);
      await connection.reader.takeAll();
    });
    const lasting = { name: "service-1", ...bearer };
    const doomedOnes = { ...bearer, name: "doomed", host: "api.test/doomed" };
    await using broker = new TestBroker({ services: [lasting, doomedOnes], credentials });
    using client = await way.open(broker, upstream.port);
    await shakeHands(client, { broker, way, port: upstream.port });
    using doomed = await way.open(broker, upstream.port);
    await doomed.send(way.head(broker, upstream.port, { path: "/doomed", fields: HANDSHAKE }));
    await doomed.readResponse();
    broker.change({ services: [{ name: "more", host: "another.test" }, lasting], credentials });
    // When this one is closed, the other has been looked at too.
    await doomed.readToEnd().catch(() => {});
    await client.send(frameOf("more"));
    assert.deepEqual(await client.reader.take(hello.length), hello);
  });

  Deno.test(`a placeholder is replaced in the client's text frames and nowhere else ${way.name}`, async () => {
    const text = frameOf("say __part__, __part__");
    const left = [
      frameOf("plain"),
      frameOf("bin __part__", { firstByte: 0x82 }),
      frameOf("png __part__", { firstByte: 0x89 }),
      frameOf("frag __part__", { firstByte: 0x01 }),
      frameOf("ment __part__", { firstByte: 0x80 }),
      frameOf("rsv1 __part__", { firstByte: 0xc1 }),
    ];
    const fromServer = frameOf("__part__", { key: undefined });
    const toServer: string[] = [];
    await using upstream = startWebSocket(way, async (connection) => {
      toServer.push((await readFrame(connection.reader)).payload);
      await connection.send(fromServer);
      for (const frame of left) {
        assert.deepEqual(await connection.reader.take(frame.length), frame);
      }
      const last = await readFrame(connection.reader);
      assert.deepEqual([last.firstByte, last.masked], [0x81, true]);
      toServer.push(last.payload);
      await connection.send(fromServer);
      await connection.reader.takeAll();
    });
    await using broker = new TestBroker({ services: [substituting], credentials });
    using client = await way.open(broker, upstream.port);
    await shakeHands(client, { broker, way, port: upstream.port });
    await client.send(text);
    assert.deepEqual(await client.reader.take(fromServer.length), fromServer);
    await client.send(joinBytes(...left));
    await client.sendByteByByte(text);
    assert.deepEqual(await client.reader.take(fromServer.length), fromServer);
    assert.deepEqual(toServer, Array(2).fill("say the real value, the real value"));
    assert.deepEqual(upstream.faults, []);
  });

  Deno.test(`extensions are not negotiated where frames are scanned ${way.name}`, async () => {
    await using upstream = startWebSocket(way, async (connection) => {
      await connection.reader.takeAll();
    });
    await using broker = new TestBroker({ services: [substituting], credentials });
    using client = await way.open(broker, upstream.port);
    await shakeHands(client, { broker, way, port: upstream.port });
    const [request] = upstream.requests;
    assert.deepEqual(request!.values("sec-websocket-extensions"), []);
    assert.deepEqual(request!.values("sec-websocket-protocol"), ["chat"]);
  });

  Deno.test(`a handshake goes out with the credential and all its other fields ${way.name}`, async () => {
    await using upstream = startWebSocket(way, async (connection) => {
      await connection.reader.takeAll();
    });
    await using broker = new TestBroker({
      services: [{
        ...bearer,
        substitutions: [{ key: "PART", placeholder: "__part__", in: ["query", "body"] }],
      }],
      credentials,
    });
    using client = await way.open(broker, upstream.port);
    await client.send(
      way.head(broker, upstream.port, {
        path: "/socket?k=__part__",
        fields: ["Authorization: mine", ...HANDSHAKE],
      }),
    );
    assert.equal((await client.readResponse()).head, SWITCHED_FOR_CLIENT);
    assert.equal(
      upstream.requests[0]!.head,
      [
        "GET /socket?k=the%20real%20value HTTP/1.1",
        `Host: api.test:${upstream.port}`,
        "Authorization: Bearer s3cret",
        ...HANDSHAKE.slice(2),
        "Connection: Upgrade",
        "Upgrade: websocket",
        "",
        "",
      ].join("\r\n"),
    );
  });

  Deno.test(`a missing credential is told before anything goes upstream ${way.name}`, async () => {
    await using upstream = startUpstream(way.upstream);
    await using broker = new TestBroker({
      services: [substituting],
      credentials: { KEY: "s3cret" },
    });
    using client = await way.open(broker, upstream.port);
    const answer = await client.exchange(
      way.head(broker, upstream.port, { fields: HANDSHAKE }),
    );
    assertRefusal(answer, {
      status: 502,
      code: "credential_not_found",
      extras: { missing: ["PART"] },
    });
    assert.equal(upstream.accepted, 0);
  });

  Deno.test(`frames pass both ways unchanged, the close frames and their codes included ${way.name}`, async () => {
    const large = frameOf(new Uint8Array(300_000).fill(0x62), { firstByte: 0x82 });
    // Status 1000 from the client, 4000 from the server.
    const close = frameOf(Uint8Array.of(0x03, 0xe8, 0x78), { firstByte: 0x88 });
    const closeFromServer = frameOf(Uint8Array.of(0x0f, 0xa0), {
      firstByte: 0x88,
      key: undefined,
    });
    await using upstream = startWebSocket(way, async (connection) => {
      await connection.send(await connection.reader.take(large.length));
      assert.deepEqual(await connection.reader.take(close.length), close);
      await connection.send(closeFromServer);
    });
    await using broker = new TestBroker({ services: [bearer], credentials });
    using client = await way.open(broker, upstream.port);
    await shakeHands(client, { broker, way, port: upstream.port });
    await client.send(large);
    assert.deepEqual(await client.reader.take(large.length), large);
    await client.send(close);
    assert.deepEqual(await client.reader.take(closeFromServer.length), closeFromServer);
    await client.closeWrite();
    assert.equal((await client.readToEnd()).length, 0);
    assert.deepEqual(upstream.faults, []);
    const [row] = await broker.rowsReach(1);
    assert.deepEqual(
      [row!.status, row!.path, row!.requestBytes, row!.responseBytes, row!.errorCode],
      [
        101,
        "/socket",
        large.length + close.length,
        large.length + closeFromServer.length,
        undefined,
      ],
    );
  });

  Deno.test(`frames in one packet with either side's handshake are not lost ${way.name}`, async () => {
    const hello = frameOf("hello");
    const greeting = frameOf("greeting", { key: undefined });
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        await connection.readRequest();
        await connection.send(joinBytes(SWITCHED, greeting));
        await connection.send(await connection.reader.take(hello.length));
      },
    });
    await using broker = new TestBroker({ services: [bearer], credentials });
    using client = await way.open(broker, upstream.port);
    await client.send(
      joinBytes(way.head(broker, upstream.port, { fields: HANDSHAKE }), hello),
    );
    await client.readResponse();
    assert.deepEqual(await client.reader.take(greeting.length), greeting);
    assert.deepEqual(await client.reader.take(hello.length), hello);
  });

  Deno.test(`a refused handshake leaves both connections as they were ${way.name}`, async () => {
    await using upstream = startUpstream({
      ...way.upstream,
      respond: (request) =>
        request.values("upgrade").length > 0
          ? rawResponse("no", { status: "426 Upgrade Required", fields: ["Upgrade: websocket"] })
          : rawResponse("yes"),
    });
    await using broker = new TestBroker({ services: [bearer], credentials });
    using client = await way.open(broker, upstream.port);
    const answer = await client.exchange(way.head(broker, upstream.port, { fields: HANDSHAKE }));
    assert.equal(statusOf(answer), 426);
    const next = await client.exchange(way.head(broker, upstream.port, {}));
    assert.equal(next.text, "yes");
    assert.equal(upstream.accepted, 1);
  });

  for (
    const [what, request, body] of [
      ["a POST", { method: "POST", fields: HANDSHAKE }, ""],
      ["HTTP/1.0", { minorVersion: 0, fields: HANDSHAKE }, ""],
      ["another protocol", { fields: ["Upgrade: h2c", ...HANDSHAKE.slice(1)] }, ""],
      ["Upgrade without Connection", { fields: ["Upgrade: websocket"] }, ""],
      // Body and frames would be read from one stream at the same time.
      ["a request with a body", { fields: [...HANDSHAKE, "Content-Length: 3"] }, "abc"],
      [
        "a request with chunks",
        { fields: [...HANDSHAKE, "Transfer-Encoding: chunked"] },
        "0\r\n\r\n",
      ],
    ] as const
  ) {
    Deno.test(`${what} does not switch protocols ${way.name}`, async () => {
      await using upstream = startUpstream(way.upstream);
      await using broker = new TestBroker({ services: [bearer], credentials });
      using client = await way.open(broker, upstream.port);
      const answer = await client.exchange(way.head(broker, upstream.port, request) + body);
      assert.equal(statusOf(answer), 200);
      const [received] = upstream.requests;
      assert.deepEqual(received!.values("upgrade"), []);
      assert.deepEqual(received!.values("connection"), []);
    });
  }

  Deno.test(`a client that leaves closes the upstream's side ${way.name}`, async () => {
    const ended = Promise.withResolvers<void>();
    await using upstream = startWebSocket(way, async (connection) => {
      await connection.reader.takeAll().catch(() => {});
      ended.resolve();
    });
    await using broker = new TestBroker({ services: [bearer], credentials });
    using client = await way.open(broker, upstream.port);
    await shakeHands(client, { broker, way, port: upstream.port });
    client.close();
    await ended.promise;
  });

  Deno.test(`silence of both sides ends a socket in time ${way.name}`, async () => {
    await using upstream = startWebSocket(way, async (connection) => {
      await connection.reader.takeAll().catch(() => {});
    });
    await using broker = new TestBroker({
      services: [bearer],
      credentials,
      limits: { tunnelIdleMs: 1 },
    });
    using client = await way.open(broker, upstream.port);
    await shakeHands(client, { broker, way, port: upstream.port });
    assert.equal((await client.readToEnd()).length, 0);
    const [row] = await broker.rowsReach(1);
    assert.equal(row!.status, 101);
  });
}
