/** Bodies in both directions, byte for byte, and answers without one. */
import assert from "node:assert/strict";
import { joinBytes, latin1Text } from "../support/bytes.ts";
import { statusOf } from "../support/raw_client.ts";
import { rawResponse, startUpstream } from "../support/upstream.ts";
import { eventually } from "./eventually.ts";
import { TestBroker, type TestVault } from "./fixture.ts";
import { WAYS } from "./ways.ts";

const passing: TestVault = { services: [{ host: "api.test" }] };

/** Every byte value, in no order that a faulty copy would keep, larger than every buffer on the way. */
const BYTES = Uint8Array.from({ length: 600_001 }, (_, at) => (at * 31 + (at >> 8)) & 0xff);

/** The bytes in chunks of growing size. */
function chunked(bytes: Uint8Array, trailers = ""): Uint8Array {
  const parts: (string | Uint8Array)[] = [];
  for (let at = 0, size = 1; at < bytes.length; at += size, size = size * 2 + 1) {
    const piece = bytes.subarray(at, at + size);
    parts.push(`${piece.length.toString(16)}\r\n`, piece, "\r\n");
  }
  return joinBytes(...parts, `0\r\n${trailers}\r\n`);
}

/** Lets the proxy read what was sent before more follows. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

for (const way of WAYS) {
  for (
    const [framing, field, body] of [
      ["Content-Length", `Content-Length: ${BYTES.length}`, BYTES],
      ["chunks", "Transfer-Encoding: chunked", chunked(BYTES)],
    ] as const
  ) {
    Deno.test(`a request's body with ${framing} arrives byte for byte ${way.name}`, async () => {
      await using upstream = startUpstream(way.upstream);
      await using broker = new TestBroker(passing);
      using client = await way.open(broker, upstream.port);
      const head = way.head(broker, upstream.port, { method: "POST", fields: [field] });
      for (let count = 1; count <= 2; count++) {
        const answer = await client.exchange(joinBytes(head, body));
        assert.equal(statusOf(answer), 200);
        const request = upstream.requests.at(-1)!;
        assert.deepEqual(request.body, BYTES);
        const [name, value] = field.split(": ");
        assert.deepEqual(request.values(name!), [value]);
      }
      const [row] = await broker.rowsReach(2);
      assert.equal(row!.requestBytes, BYTES.length);
    });
  }

  for (
    const [framing, head, body, kept] of [
      ["Content-Length", `Content-Length: ${BYTES.length}`, BYTES, true],
      ["chunks", "Transfer-Encoding: chunked", chunked(BYTES), true],
      ["no end but the connection's", "X: y", BYTES, false],
    ] as const
  ) {
    Deno.test(`an answer's body with ${framing} arrives byte for byte ${way.name}`, async () => {
      await using upstream = startUpstream({
        ...way.upstream,
        serve: async (connection) => {
          while (await connection.readRequest() !== undefined) {
            await connection.send(joinBytes(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`, body));
            if (!kept) return;
          }
        },
      });
      await using broker = new TestBroker(passing);
      using client = await way.open(broker, upstream.port);
      for (let count = 1; count <= 2; count++) {
        const answer = await client.exchange(way.head(broker, upstream.port, {}));
        assert.deepEqual(answer.body, BYTES);
        assert.deepEqual(answer.values("connection"), []);
      }
      assert.equal(upstream.accepted, kept ? 1 : 2);
      const [row] = await broker.rowsReach(2);
      assert.equal(row!.responseBytes, BYTES.length);
    });
  }

  Deno.test(`a chunked request may be cut at every byte ${way.name}`, async () => {
    await using upstream = startUpstream(way.upstream);
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    const head = way.head(broker, upstream.port, {
      method: "POST",
      fields: ["Transfer-Encoding: chunked"],
    });
    const message = `${head}3;x="1"\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n`;
    for (let cut = 1; cut < message.length; cut++) {
      await client.send(message.slice(0, cut));
      await pause();
      const answer = await client.exchange(message.slice(cut));
      assert.equal(statusOf(answer), 200, `cut at ${cut}`);
      const { body, framedBody } = upstream.requests.at(-1)!;
      assert.equal(latin1Text(body), "abc0123456789", `cut at ${cut}`);
      assert.ok(latin1Text(framedBody).endsWith("0\r\nX-Sum: 1\r\n\r\n"), `cut at ${cut}`);
    }
    assert.equal(upstream.requests.length, message.length - 1);
  });

  Deno.test(`a chunked answer may be cut at every byte ${way.name}`, async () => {
    const message = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
      "3;x\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n";
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        // Without it each second piece waits 40 ms for an acknowledgement.
        if ("setNoDelay" in connection.socket) connection.socket.setNoDelay(true);
        for (let cut = 1; await connection.readRequest() !== undefined; cut++) {
          await connection.send(message.slice(0, cut));
          await pause();
          await connection.send(message.slice(cut));
        }
      },
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    for (let cut = 1; cut < message.length; cut++) {
      const answer = await client.exchange(way.head(broker, upstream.port, {}));
      assert.equal(answer.text, "abc0123456789", `cut at ${cut}`);
      assert.ok(latin1Text(answer.framedBody).endsWith("0\r\nX-Sum: 1\r\n\r\n"), `cut at ${cut}`);
    }
    assert.equal(upstream.accepted, 1);
  });

  Deno.test(`a request's trailers arrive but for those that decide something ${way.name}`, async () => {
    await using upstream = startUpstream(way.upstream);
    await using broker = new TestBroker({
      services: [{ host: "api.test", auth: { type: "api-key", key: "KEY", header: "X-Api-Key" } }],
      credentials: { KEY: "s3cret" },
    });
    using client = await way.open(broker, upstream.port);
    const head = way.head(broker, upstream.port, {
      method: "POST",
      fields: ["TE: trailers", "Trailer: X-Sum", "Transfer-Encoding: chunked"],
    });
    const trailers = [
      "X-Sum: 1",
      "Authorization: Bearer mine",
      "X-API-KEY: mine",
      "Content-Length: 3",
      "Transfer-Encoding: chunked",
      "Host: elsewhere",
      "X-Vault: other",
      "Proxy-Authorization: Bearer mine",
      "Cookie: mine",
      "grpc-status: 0",
    ];
    await client.exchange(`${head}3\r\nabc\r\n0\r\n${trailers.join("\r\n")}\r\n\r\n`);
    const [request] = upstream.requests;
    assert.equal(
      latin1Text(request!.framedBody),
      "3\r\nabc\r\n0\r\nX-Sum: 1\r\ngrpc-status: 0\r\n\r\n",
    );
    assert.deepEqual(request!.values("x-api-key"), ["s3cret"]);
    assert.deepEqual([...request!.values("te"), ...request!.values("trailer")], []);
  });

  Deno.test(`an answer's trailers arrive but for those that decide something ${way.name}`, async () => {
    await using upstream = startUpstream({
      ...way.upstream,
      respond: () =>
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n" +
        "3\r\nabc\r\n0\r\nX-Sum: 1\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n" +
        "Set-Cookie: a=b\r\nConnection: close\r\nProxy-Authenticate: Basic\r\ngrpc-status: 0\r\n\r\n",
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    const answer = await client.exchange(way.head(broker, upstream.port, {}));
    assert.equal(
      latin1Text(answer.framedBody),
      "3\r\nabc\r\n0\r\nX-Sum: 1\r\ngrpc-status: 0\r\n\r\n",
    );
  });

  for (
    const [what, method, answer, fields] of [
      [
        "HEAD with a length",
        "HEAD",
        "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n",
        ["Content-Length: 99"],
      ],
      ["HEAD with a coding", "HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", []],
      ["HEAD with neither", "HEAD", "HTTP/1.1 200 OK\r\nX: y\r\n\r\n", ["X: y"]],
      ["204", "GET", "HTTP/1.1 204 No Content\r\n\r\n", []],
      [
        "304 with a length",
        "GET",
        'HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\nETag: "a"\r\n\r\n',
        ["Content-Length: 99", 'ETag: "a"'],
      ],
      [
        "a length of zero",
        "POST",
        "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n",
        ["Content-Length: 0"],
      ],
    ] as const
  ) {
    Deno.test(`an answer to ${what} has no body, and both connections go on ${way.name}`, async () => {
      await using upstream = startUpstream({
        ...way.upstream,
        respond: (request) => request.startLine.startsWith("PUT ") ? rawResponse("last") : answer,
      });
      await using broker = new TestBroker(passing);
      using client = await way.open(broker, upstream.port);
      for (let count = 0; count < 3; count++) {
        const head = await client.exchange(way.head(broker, upstream.port, { method }), {
          method: "HEAD",
        });
        const [statusLine] = answer.split("\r\n");
        assert.equal(head.head, [statusLine, ...fields, "", ""].join("\r\n"));
      }
      const last = await client.exchange(way.head(broker, upstream.port, { method: "PUT" }));
      assert.equal(last.text, "last");
      assert.equal(upstream.accepted, 1);
    });
  }

  Deno.test(`events reach the client one by one, each before the next is sent ${way.name}`, async () => {
    for (const framing of ["chunked", "until-close", "length"] as const) {
      const events = ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"];
      let read = Promise.withResolvers<void>();
      await using upstream = startUpstream({
        ...way.upstream,
        serve: async (connection) => {
          await connection.readRequest();
          const field = framing === "chunked"
            ? "Transfer-Encoding: chunked\r\n"
            : framing === "length"
            ? "Content-Length: 27\r\n"
            : "";
          await connection.send(
            `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n${field}\r\n`,
          );
          for (const event of events) {
            await connection.send(framing === "chunked" ? `9\r\n${event}\r\n` : event);
            await read.promise;
            read = Promise.withResolvers();
          }
          if (framing === "chunked") await connection.send("0\r\n\r\n");
        },
      });
      await using broker = new TestBroker(passing);
      using client = await way.open(broker, upstream.port);
      await client.send(way.head(broker, upstream.port, {}));
      assert.equal(statusOf(await client.readHead()), 200);
      for (const event of events) {
        if (framing !== "length") {
          assert.equal(latin1Text(await client.reader.takeThrough("\r\n")), "9\r\n");
        }
        assert.equal(latin1Text(await client.reader.take(9)), event);
        if (framing !== "length") await client.reader.take(2);
        read.resolve();
      }
      if (framing !== "length") {
        assert.equal(latin1Text(await client.reader.take(5)), "0\r\n\r\n");
      }
    }
  });

  Deno.test(`an upload reaches the upstream piece by piece, each before the next is sent ${way.name}`, async () => {
    const arrived: string[] = [];
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        await connection.readHead();
        for (let count = 0; count < 3; count++) {
          arrived.push(latin1Text(await connection.reader.take(8)));
        }
        await connection.reader.take(5);
        await connection.send(rawResponse());
      },
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    await client.send(
      way.head(broker, upstream.port, { method: "POST", fields: ["Transfer-Encoding: chunked"] }),
    );
    for (const piece of ["abc", "def", "ghi"]) {
      await client.send(`3\r\n${piece}\r\n`);
      await eventually(() => arrived.at(-1) === `3\r\n${piece}\r\n`, piece);
    }
    assert.equal(statusOf(await client.exchange("0\r\n\r\n")), 200);
  });
}
