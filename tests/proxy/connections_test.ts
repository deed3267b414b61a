/** How connections on both sides are kept, used again and given up. */
import assert from "node:assert/strict";
import { latin1Text } from "../support/bytes.ts";
import { proxyBasic, type RawClient, statusOf } from "../support/raw_client.ts";
import { testCertificate } from "../support/tls_fixture.ts";
import { rawResponse, startUpstream, type UpstreamConnection } from "../support/upstream.ts";
import { eventually } from "./eventually.ts";
import { TestBroker, type TestVault } from "./fixture.ts";
import { assertRefusal } from "./refusal.ts";
import { absoluteForm, WAYS } from "./ways.ts";

const passing: TestVault = { services: [{ host: "api.test" }] };

/** Answers every request with its start line's path; after the answers given, closes. */
async function answerPaths(connection: UpstreamConnection, answers = Infinity): Promise<void> {
  for (let count = 0; count < answers; count++) {
    const request = await connection.readRequest();
    if (request === undefined) return;
    await connection.send(rawResponse(request.startLine.split(" ")[1]));
  }
}

for (const way of WAYS) {
  Deno.test(`no connection of one vault's session carries another vault's request ${way.name}`, async () => {
    await using upstream = startUpstream(way.upstream);
    const vault = (value: string): TestVault => ({
      services: [{ host: "api.test", auth: { type: "bearer", token: "KEY" } }],
      credentials: { KEY: value },
    });
    await using broker = new TestBroker({ ...vault("one"), vaults: { second: vault("two") } });
    broker.addCaller("brk_sess_two", { vaultName: "second" });
    const target = `api.test:${upstream.port}`;
    const seen: string[] = [];
    for (const token of [TestBroker.token, "brk_sess_two", TestBroker.token, "brk_sess_two"]) {
      const authorization = proxyBasic(token);
      using client = way.ingress === "connect"
        ? await broker.tunnel(target, authorization)
        : await broker.connect();
      const head = way.head(broker, upstream.port, {}).replace(broker.authorization, authorization);
      assert.equal(statusOf(await client.exchange(head)), 200);
      seen.push(upstream.requests.at(-1)!.values("authorization")[0]!);
    }
    assert.deepEqual(seen, ["Bearer one", "Bearer two", "Bearer one", "Bearer two"]);
    assert.equal(upstream.accepted, 2);
    assert.equal(broker.proxy.upstreamConnections, 2);
  });

  for (
    const [what, answer, method] of [
      ["an answer with a length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "GET"],
      [
        "a chunked answer",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "GET",
      ],
      ["an answer to HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "HEAD"],
      ["a 204", "HTTP/1.1 204 No Content\r\n\r\n", "GET"],
      ["a 304", "HTTP/1.1 304 Not Modified\r\n\r\n", "GET"],
    ] as const
  ) {
    for (const later of [false, true]) {
      const when = later ? "some time behind" : "right behind";
      Deno.test(`bytes ${when} ${what} never reach the next request ${way.name}`, async () => {
        const gone = Promise.withResolvers<void>();
        const extra = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison";
        await using upstream = startUpstream({
          ...way.upstream,
          serve: async (connection) => {
            if (connection.number > 1) return await answerPaths(connection);
            await connection.readRequest();
            await connection.send(later ? answer : answer + extra);
            if (later) await connection.send(extra);
            assert.equal((await connection.reader.takeAll()).length, 0);
            gone.resolve();
          },
        });
        await using broker = new TestBroker(passing);
        using client = await way.open(broker, upstream.port);
        await client.exchange(way.head(broker, upstream.port, { method }), { method });
        // The connection is given up as soon as the bytes are seen.
        await gone.promise;
        const next = await client.exchange(way.head(broker, upstream.port, { path: "/next" }));
        assert.equal(next.text, "/next");
        assert.equal(upstream.accepted, 2);
      });
    }
  }

  for (
    const [what, answer] of [
      ["its length", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"],
      ["its last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"],
      ["a chunk's end", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nhalf"],
      [
        "its trailers' end",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\nX: y\r\n",
      ],
    ] as const
  ) {
    Deno.test(`an answer that ends before ${what} closes the client's connection unfinished ${way.name}`, async () => {
      await using upstream = startUpstream({
        ...way.upstream,
        serve: async (connection) => {
          await connection.readRequest();
          await connection.send(answer);
          await connection.closeWrite();
          await connection.reader.takeAll();
        },
      });
      await using broker = new TestBroker(passing);
      using client = await way.open(broker, upstream.port);
      await client.send(way.head(broker, upstream.port, {}));
      assert.equal(statusOf(await client.readHead()), 200);
      const rest = latin1Text(await client.readToEnd());
      assert.match(rest, /half/);
      assert.doesNotMatch(rest, /\r\n0\r\n/);
      const [row] = await broker.rowsReach(1);
      assert.deepEqual([row!.status, row!.errorCode], [200, "upstream_protocol_error"]);
      await eventually(() => broker.proxy.upstreamConnections === 0, "the upstream's end");
    });
  }

  Deno.test(`an answer with a chunk that cannot be read closes the client's connection unfinished ${way.name}`, async () => {
    const read = Promise.withResolvers<void>();
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        await connection.readRequest();
        await connection.send(
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        );
        await read.promise;
        await connection.send("-4\r\nhalf\r\n0\r\n\r\n");
        await toEnd(connection);
      },
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    await client.send(way.head(broker, upstream.port, {}));
    await client.readHead();
    assert.equal(latin1Text(await client.reader.take(9)), "4\r\nhalf\r\n");
    read.resolve();
    assert.equal((await client.readToEnd()).length, 0);
    const [row] = await broker.rowsReach(1);
    assert.deepEqual([row!.status, row!.errorCode], [200, "upstream_protocol_error"]);
  });

  Deno.test(`pipelined requests are answered in their order, bodies and refusals among them ${way.name}`, async () => {
    await using upstream = startUpstream({ ...way.upstream, serve: answerPaths });
    await using broker = new TestBroker({
      services: [
        { host: "api.test" },
        { host: "api.test/off/*", enabled: false },
      ],
    });
    using client = await way.open(broker, upstream.port);
    const request = (path: string, body = "", method = "GET") =>
      way.head(broker, upstream.port, {
        path,
        method,
        fields: body === "" ? [] : [`Content-Length: ${body.length}`],
      }) + body;
    await client.send(
      request("/1") + request("/2", "abc", "POST") + request("/off/3", "def", "POST") +
        "\r\n" + request("/4") + request("/5"),
    );
    assert.equal((await client.readResponse()).text, "/1");
    assert.equal((await client.readResponse()).text, "/2");
    assertRefusal(await client.readResponse(), {
      status: 403,
      code: "service_disabled",
      extras: { service: "service-2" },
    });
    assert.equal((await client.readResponse()).text, "/4");
    assert.equal((await client.readResponse()).text, "/5");
    assert.equal(upstream.accepted, 1);
  });

  Deno.test(`an upstream connection is used again by later connections of clients ${way.name}`, async () => {
    await using upstream = startUpstream({ ...way.upstream, serve: answerPaths });
    await using broker = new TestBroker(passing);
    for (const path of ["/a", "/b", "/c"]) {
      using client = await way.open(broker, upstream.port);
      const answer = await client.exchange(way.head(broker, upstream.port, { path }));
      assert.equal(answer.text, path);
    }
    assert.equal(upstream.accepted, 1);
    assert.equal(broker.proxy.upstreamConnections, 1);
  });

  Deno.test(`Connection: close of the client closes its connection only ${way.name}`, async () => {
    await using upstream = startUpstream({ ...way.upstream, serve: answerPaths });
    await using broker = new TestBroker(passing);
    for (const path of ["/a", "/b"]) {
      using client = await way.open(broker, upstream.port);
      const answer = await client.exchange(
        way.head(broker, upstream.port, { path, fields: ["Connection: x, Close"] }),
      );
      assert.equal(answer.text, path);
      assert.deepEqual(answer.values("connection"), ["close"]);
      assert.equal((await client.readToEnd()).length, 0);
    }
    assert.equal(upstream.accepted, 1);
    assert.deepEqual(upstream.requests.flatMap((request) => request.values("connection")), []);
  });

  Deno.test(`Connection: close of the upstream closes its connection only ${way.name}`, async () => {
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        await connection.readRequest();
        await connection.send(rawResponse("ok", { fields: ["connection: CLOSE"] }));
        await connection.reader.takeAll();
      },
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    for (let count = 1; count <= 2; count++) {
      const answer = await client.exchange(way.head(broker, upstream.port, {}));
      assert.equal(answer.text, "ok");
      assert.deepEqual(answer.values("connection"), []);
      assert.equal(upstream.accepted, count);
    }
  });

  Deno.test(`a pooled connection that the upstream closed is not used again, whatever the method ${way.name}`, async () => {
    await using upstream = startUpstream({
      ...way.upstream,
      serve: (connection) => answerPaths(connection, 1),
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    for (const method of ["GET", "POST", "POST"]) {
      const answer = await client.exchange(
        way.head(broker, upstream.port, { method, path: "/a", fields: ["Content-Length: 3"] }) +
          "abc",
      );
      assert.equal(answer.text, "/a");
      await eventually(() => broker.proxy.upstreamConnections === 0, "the connection's end");
    }
  });

  for (
    const [method, body, retried] of [
      ["GET", "", true],
      ["HEAD", "", true],
      ["DELETE", "", true],
      ["POST", "", false],
      ["PATCH", "", false],
      ["GET", "abc", false],
      ["PUT", "abc", false],
      ["POST", "abc", false],
    ] as const
  ) {
    const sent = `${method} ${body === "" ? "without" : "with"} a body`;
    const fate = retried ? "goes out once more" : "does not go out twice";
    Deno.test(`${sent} ${fate} when a pooled connection closes instead of an answer ${way.name}`, async () => {
      await using upstream = startUpstream({
        ...way.upstream,
        serve: async (connection) => {
          await answerPaths(connection, 1);
          if (connection.number === 1) await connection.readRequest();
          await connection.closeWrite();
          await connection.reader.takeAll();
        },
      });
      await using broker = new TestBroker(passing);
      using client = await way.open(broker, upstream.port);
      await client.exchange(way.head(broker, upstream.port, { path: "/first" }));
      const fields = body === "" ? [] : ["Content-Length: 3"];
      const answer = await client.exchange(
        way.head(broker, upstream.port, { method, path: "/x", fields }) + body,
        { method },
      );
      assert.equal(statusOf(answer), retried ? 200 : 502);
      const received = upstream.requests.filter((request) => request.startLine.includes(" /x "));
      assert.equal(received.length, retried ? 2 : 1);
      if (!retried) assertRefusal(answer, { status: 502, code: "upstream_protocol_error" });
    });
  }

  Deno.test(`a request goes out twice at most ${way.name}`, async () => {
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        if (connection.number === 1) await answerPaths(connection, 1);
        await connection.readRequest();
        await connection.closeWrite();
        await connection.reader.takeAll();
      },
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    await client.exchange(way.head(broker, upstream.port, {}));
    const answer = await client.exchange(way.head(broker, upstream.port, {}));
    assertRefusal(answer, { status: 502, code: "upstream_protocol_error" });
    assert.equal(upstream.requests.length, 3);
    assert.equal(upstream.accepted, 2);
  });

  Deno.test(`a request does not go out again once something of its answer came ${way.name}`, async () => {
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        await answerPaths(connection, 1);
        await connection.readRequest();
        await connection.send("HTTP/1.1 200");
        await connection.closeWrite();
        await connection.reader.takeAll();
      },
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    await client.exchange(way.head(broker, upstream.port, {}));
    const answer = await client.exchange(way.head(broker, upstream.port, {}));
    assertRefusal(answer, { status: 502, code: "upstream_protocol_error" });
    assert.equal(upstream.requests.length, 2);
  });

  Deno.test(`a client that closes its sending side still gets its answer ${way.name}`, async () => {
    await using upstream = startUpstream({ ...way.upstream, serve: answerPaths });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    await client.send(way.head(broker, upstream.port, { path: "/half" }));
    await client.closeWrite();
    assert.equal((await client.readResponse()).text, "/half");
    assert.equal((await client.readToEnd()).length, 0);
  });

  Deno.test(`an upstream that closes its sending side behind an answer is not used again ${way.name}`, async () => {
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        await answerPaths(connection, 1);
        await connection.closeWrite();
        await connection.reader.takeAll();
      },
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    for (const path of ["/a", "/b"]) {
      const answer = await client.exchange(way.head(broker, upstream.port, { path }));
      assert.equal(answer.text, path);
    }
    assert.equal(upstream.accepted, 2);
  });

  Deno.test(`a client that leaves within its upload ends the upstream's request ${way.name}`, async () => {
    const ended = Promise.withResolvers<void>();
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        await connection.readHead();
        await connection.reader.take(3);
        await toEnd(connection);
        ended.resolve();
      },
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    await client.send(
      way.head(broker, upstream.port, { method: "POST", fields: ["Content-Length: 9"] }) + "abc",
    );
    await eventually(() => broker.proxy.upstreamConnections === 1, "the upstream's connection");
    client.close();
    await ended.promise;
    const [row] = await broker.rowsReach(1);
    assert.deepEqual([row!.status, row!.errorCode, row!.requestBytes], [0, undefined, 3]);
  });

  Deno.test(`a client that leaves while it waits ends the upstream's request ${way.name}`, async () => {
    const asked = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        await connection.readRequest();
        asked.resolve();
        await toEnd(connection);
        ended.resolve();
      },
    });
    await using broker = new TestBroker({ ...passing, limits: { halfClosedIdleMs: 1 } });
    using client = await way.open(broker, upstream.port);
    await client.send(way.head(broker, upstream.port, {}));
    await asked.promise;
    client.close();
    await ended.promise;
    await broker.rowsReach(1);
    await eventually(() => broker.proxy.clientConnections === 0, "the client's end");
  });

  Deno.test(`a client that leaves within a download ends the upstream's answer ${way.name}`, async () => {
    const ended = Promise.withResolvers<void>();
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        await connection.readRequest();
        await connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
        const piece = new Uint8Array(64 * 1024);
        try {
          while (true) await connection.send(piece);
        } catch {
          ended.resolve();
        }
      },
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    await client.send(way.head(broker, upstream.port, {}));
    await client.readHead();
    client.close();
    await ended.promise;
    const [row] = await broker.rowsReach(1);
    // The client's own doing, and not the upstream's fault.
    assert.deepEqual([row!.status, row!.errorCode], [200, undefined]);
    await eventually(() => broker.proxy.upstreamConnections === 0, "the upstream's end");
  });

  Deno.test(`a client that leaves between interim answers is no defect ${way.name}`, async () => {
    const ended = Promise.withResolvers<void>();
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        await connection.readRequest();
        const hints = `HTTP/1.1 103 Early Hints\r\nLink: ${"x".repeat(8_000)}\r\n\r\n`;
        try {
          while (true) await connection.send(hints);
        } catch {
          ended.resolve();
        }
      },
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    await client.send(way.head(broker, upstream.port, {}));
    await client.readHead();
    client.close();
    await ended.promise;
    const [row] = await broker.rowsReach(1);
    assert.deepEqual([row!.status, row!.errorCode], [0, undefined]);
  });

  Deno.test(`a connection that is idle for too long is closed on both sides ${way.name}`, async () => {
    const ended = Promise.withResolvers<void>();
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        await answerPaths(connection, 1);
        await toEnd(connection);
        ended.resolve();
      },
    });
    await using broker = new TestBroker({
      ...passing,
      limits: { clientIdleMs: 400, pooledIdleMs: 1 },
    });
    using client = await way.open(broker, upstream.port);
    assert.equal(statusOf(await client.exchange(way.head(broker, upstream.port, {}))), 200);
    await ended.promise;
    assert.equal((await client.readToEnd()).length, 0);
  });
}

/** Reads until the other side ends or resets. */
async function toEnd(connection: UpstreamConnection): Promise<void> {
  try {
    await connection.reader.takeAll();
  } catch {
    // A reset, or TLS without its last word, is an end as well.
  }
}

Deno.test("a client that sends nothing on its tunnel is closed in time", async () => {
  await using broker = new TestBroker({ ...passing, limits: { clientIdleMs: 1 } });
  using client = await broker.connect();
  await client.openTunnel("api.test:443", { authorization: broker.authorization });
  assert.equal((await client.readToEnd()).length, 0);
});

Deno.test("a client that stops within a body that is substituted is closed in time", async () => {
  await using broker = new TestBroker({
    services: [{
      host: "api.test",
      substitutions: [{ key: "PART", placeholder: "__part__", in: ["body"] }],
    }],
    credentials: { PART: "x" },
    limits: { clientIdleMs: 400 },
  });
  using client = await broker.connect();
  await client.send(
    absoluteForm.head(broker, 80, { method: "POST", fields: ["Content-Length: 9"] }) + "abc",
  );
  assert.equal((await client.readToEnd()).length, 0);
});

Deno.test("clients that come and go at once do not stop the listener", async () => {
  await using upstream = startUpstream();
  await using broker = new TestBroker(passing);
  const visits = Array.from({ length: 100 }, async (_, index) => {
    using client = await broker.connect();
    // Some leave a part of a head behind, some their answer unread, which resets the connection.
    if (index % 3 === 1) await client.send("GET http://api.test/ HT");
    if (index % 3 === 2) await client.send("nonsense\r\n\r\n");
  });
  await Promise.all(visits);
  using client = await broker.connect();
  const answer = await client.exchange(absoluteForm.head(broker, upstream.port, {}));
  assert.equal(statusOf(answer), 200);
  await eventually(() => broker.proxy.clientConnections === 1, "the others' end");
});

Deno.test("many tunnels at once get their own answers", async () => {
  await using upstream = startUpstream({
    tls: testCertificate("*.many.test"),
    serve: answerPaths,
  });
  await using broker = new TestBroker({
    services: [{ host: "*.many.test" }],
    guard: { check: () => ({ allowed: true }) },
  });
  const tunnels = Array.from({ length: 60 }, async (_, index) => {
    using client = await broker.tunnel(`host${index % 4}.many.test:${upstream.port}`);
    for (let count = 0; count < 5; count++) {
      const path = `/${index}/${count}`;
      const answer = await client.exchange(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      assert.equal(answer.text, path);
    }
  });
  await Promise.all(tunnels);
  assert.equal((await broker.rowsReach(300)).length, 300);
});

Deno.test("stop() ends whatever is open and leaves nothing", async () => {
  const silent = { serve: (connection: UpstreamConnection) => toEnd(connection) };
  await using plain = startUpstream(silent);
  await using secure = startUpstream({ tls: testCertificate("api.test"), ...silent });
  await using answering = startUpstream({ tls: testCertificate("api.test"), serve: answerPaths });
  await using streaming = startUpstream({
    serve: async (connection) => {
      await connection.readHead();
      await connection.send("HTTP/1.1 200 OK\r\n\r\nbegin");
      await toEnd(connection);
    },
  });
  await using broker = new TestBroker({
    ...passing,
    guard: { check: () => ({ allowed: true }) },
    handshakeMs: 60_000,
    // A name whose answer never comes.
    resolve: (name) =>
      name === "never.test" ? new Promise(() => {}) : Promise.resolve(["127.0.0.1"]),
  });
  const clients: RawClient[] = [];
  const open = async (target?: string, tls = true) => {
    const client = await broker.connect();
    clients.push(client);
    if (target !== undefined) {
      await client.openTunnel(target, {
        authorization: broker.authorization,
        ...(tls && { caCerts: [broker.caPem] }),
      });
    }
    return client;
  };
  const absolute = (url: string, fields = "") =>
    `POST ${url} HTTP/1.1\r\nHost: a\r\nProxy-Authorization: ${broker.authorization}\r\n${fields}\r\n`;

  await open();
  await (await open()).send("GET http://half.a.head/ HT");
  await open(`api.test:80`, false);
  await open(`blind.test:${plain.port}`, false);
  await (await open(`api.test:${plain.port}`, false)).send("\x00another protocol");
  await (await open(`api.test:${secure.port}`)).send("GET /waiting HTTP/1.1\r\nHost: a\r\n\r\n");
  await (await open(`api.test:${answering.port}`)).exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const uploading = await open();
  await uploading.send(absolute(`http://api.test:${plain.port}/`, "Content-Length: 9\r\n") + "abc");
  const downloading = await open();
  await downloading.send(absolute(`http://api.test:${streaming.port}/`));
  await downloading.readHead();
  // Within a TLS handshake that never ends, and within a name's resolution.
  await (await open()).send(absolute(`https://api.test:${plain.port}/`));
  await (await open()).send(absolute("http://never.test/"));
  await eventually(() => plain.open === 4 && secure.open === 1, "every upstream connection");

  const patience = AbortSignal.timeout(20_000);
  await Promise.race([
    broker.proxy.stop(),
    new Promise((_, reject) => patience.onabort = () => reject(patience.reason)),
  ]);
  assert.equal(broker.proxy.clientConnections, 0);
  assert.equal(broker.proxy.upstreamConnections, 0);
  for (const client of clients) {
    await client.readToEnd();
    client.close();
  }
  await eventually(
    () => [plain, secure, answering, streaming].every((upstream) => upstream.open === 0),
    "every upstream's end",
  );
});
