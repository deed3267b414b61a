/** Interim answers, answers that come before the upload has ended, and HTTP/1.0 on either side. */
import assert from "node:assert/strict";
import { latin1Text } from "../support/bytes.ts";
import { statusOf } from "../support/raw_client.ts";
import { rawResponse, startUpstream } from "../support/upstream.ts";
import { TestBroker, type TestVault } from "./fixture.ts";
import { assertRefusal, proposalHint } from "./refusal.ts";
import { WAYS } from "./ways.ts";

const passing: TestVault = { services: [{ host: "api.test" }] };
const EXPECT = ["Content-Length: 5", "Expect: 100-continue"];

for (const way of WAYS) {
  Deno.test(`a client that asks before it sends is not told to go ahead with what is refused ${way.name}`, async () => {
    const cases: readonly (readonly [TestVault, number, string, Record<string, unknown>])[] = [
      [{ cleared: true }, 403, "no_services", proposalHint("api.test")],
      [
        {
          services: [{
            host: "api.test",
            substitutions: [{ key: "PART", placeholder: "__part__", in: ["body"] }],
          }],
          credentials: { PART: "x" },
        },
        413,
        "request_too_large",
        { limit_bytes: 4 },
      ],
    ];
    for (const [vault, status, code, extras] of cases) {
      await using upstream = startUpstream(way.upstream);
      await using broker = new TestBroker({ ...vault, limits: { substitutedBodyBytes: 4 } });
      using client = await way.open(broker, upstream.port);
      const answer = await client.exchange(
        way.head(broker, upstream.port, { method: "POST", fields: EXPECT }),
      );
      assertRefusal(answer, { status, code, extras });
      // Whether the body still comes is the client's choice, so only a new connection is in step.
      assert.deepEqual(answer.values("connection"), ["close"]);
      assert.equal((await client.readToEnd()).length, 0);
      assert.equal(upstream.accepted, 0);
    }
  });

  Deno.test(`interim answers are passed on as they come ${way.name}`, async () => {
    let read = Promise.withResolvers<void>();
    await using upstream = startUpstream({
      ...way.upstream,
      respond: async (_request, connection) => {
        for (const link of ["</a.css>", "</b.css>"]) {
          await connection.send(
            `HTTP/1.1 103 Early Hints\r\nLink: ${link}\r\nConnection: x\r\nX: y\r\n\r\n`,
          );
          await read.promise;
          read = Promise.withResolvers();
        }
        return "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
      },
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    for (let count = 0; count < 2; count++) {
      await client.send(way.head(broker, upstream.port, {}));
      for (const link of ["</a.css>", "</b.css>"]) {
        const { head } = await client.readResponse();
        assert.equal(head, `HTTP/1.1 103 Early Hints\r\nLink: ${link}\r\n\r\n`);
        read.resolve();
      }
      assert.equal(statusOf(await client.readResponse()), 102);
      assert.equal((await client.readResponse()).text, "ok");
    }
    assert.equal(upstream.accepted, 1);
    assert.deepEqual((await broker.rowsReach(2)).map((row) => row.status), [200, 200]);
  });

  Deno.test(`a client that asks before it sends goes ahead on the upstream's word ${way.name}`, async () => {
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        for (let head; (head = await connection.readHead()) !== undefined;) {
          assert.deepEqual(head.values("expect"), ["100-continue"]);
          await connection.send("HTTP/1.1 100 Continue\r\n\r\n");
          await connection.send(rawResponse(await connection.reader.take(5)));
        }
      },
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    for (const body of ["hello", "again"]) {
      const head = way.head(broker, upstream.port, { method: "POST", fields: EXPECT });
      assert.equal(statusOf(await client.exchange(head)), 100);
      assert.equal((await client.exchange(body)).text, body);
    }
    assert.equal(upstream.accepted, 1);
  });

  Deno.test(`a client that asks and does not wait is served as well ${way.name}`, async () => {
    await using upstream = startUpstream({
      ...way.upstream,
      respond: (request) => rawResponse(request.body),
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    const head = way.head(broker, upstream.port, { method: "POST", fields: EXPECT });
    for (let count = 0; count < 2; count++) {
      assert.equal((await client.exchange(head + "hello")).text, "hello");
    }
  });

  for (const status of ["417 Expectation Failed", "413 Content Too Large", "401 Unauthorized"]) {
    Deno.test(`a client that asks gets the upstream's ${status}, and the connection closes ${way.name}`, async () => {
      // It may send the body now or leave it: bytes that follow could be read in two ways.
      await using upstream = startUpstream({
        ...way.upstream,
        serve: async (connection) => {
          await connection.readHead();
          await connection.send(rawResponse("no", { status }));
          assert.equal(latin1Text(await connection.reader.takeAll()), "");
        },
      });
      await using broker = new TestBroker(passing);
      using client = await way.open(broker, upstream.port);
      const answer = await client.exchange(
        way.head(broker, upstream.port, { method: "POST", fields: EXPECT }),
      );
      assert.equal(answer.startLine, `HTTP/1.1 ${status}`);
      assert.equal(answer.text, "no");
      assert.deepEqual(answer.values("connection"), ["close"]);
      assert.equal((await client.readToEnd()).length, 0);
      client.close();
      assert.deepEqual(upstream.faults, []);
      const [row] = await broker.rowsReach(1);
      assert.equal(row!.status, Number(status.slice(0, 3)));
      assert.equal(row!.errorCode, undefined);
    });
  }

  Deno.test(`an answer before the upload's end is passed on, and the next request works ${way.name}`, async () => {
    const stop = Promise.withResolvers<void>();
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        if (connection.number > 1) {
          await connection.readRequest();
          return await connection.send(rawResponse("next"));
        }
        await connection.readHead();
        await connection.reader.take(3);
        await connection.send(rawResponse("enough", { status: "413 Content Too Large" }));
        await stop.promise;
      },
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    const post = way.head(broker, upstream.port, {
      method: "POST",
      fields: ["Content-Length: 6"],
    });
    const answer = await client.exchange(post + "abc");
    assert.equal(answer.text, "enough");
    assert.deepEqual(answer.values("connection"), []);
    // The rest of the body is read and dropped, then comes the next request.
    const next = await client.exchange("def" + way.head(broker, upstream.port, {}));
    assert.equal(next.text, "next");
    assert.equal(upstream.accepted, 2);
    stop.resolve();
  });

  Deno.test(`an answer before the upload's end closes the connection when the rest does not come ${way.name}`, async () => {
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        await connection.readHead();
        await connection.reader.take(3);
        await connection.send(rawResponse("enough", { status: "413 Content Too Large" }));
      },
    });
    await using broker = new TestBroker({ ...passing, limits: { lingerMs: 1 } });
    using client = await way.open(broker, upstream.port);
    const post = way.head(broker, upstream.port, {
      method: "POST",
      fields: ["Transfer-Encoding: chunked"],
    });
    assert.equal((await client.exchange(post + "3\r\nabc\r\n")).text, "enough");
    assert.equal((await client.readToEnd()).length, 0);
    const [row] = await broker.rowsReach(1);
    assert.deepEqual([row!.status, row!.errorCode], [413, undefined]);
  });

  Deno.test(`an upstream that answers and closes while the upload runs on does not lose its answer ${way.name}`, async () => {
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        await connection.readHead();
        await connection.send(rawResponse("enough", { status: "413 Content Too Large" }));
        await connection.closeWrite();
        await connection.reader.takeAll();
      },
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    const length = 8 * 1024 * 1024;
    const sending = client.send(
      way.head(broker, upstream.port, { method: "POST", fields: [`Content-Length: ${length}`] }),
    ).then(() => client.send(new Uint8Array(length)));
    assert.equal((await client.readResponse()).text, "enough");
    await sending;
    await broker.rowsReach(1);
    broker.change({ cleared: true });
    assertRefusal(await client.exchange(way.head(broker, upstream.port, {})), {
      status: 403,
      code: "no_services",
      extras: proposalHint("api.test"),
    });
  });

  Deno.test(`an answer may begin before the upload ends and end behind it ${way.name}`, async () => {
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        while (await connection.readHead() !== undefined) {
          await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n");
          await connection.send(await connection.reader.take(3));
          await connection.send(await connection.reader.take(3));
        }
      },
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    const post = way.head(broker, upstream.port, {
      method: "POST",
      fields: ["Content-Length: 6"],
    });
    for (let count = 0; count < 2; count++) {
      await client.send(post + "abc");
      assert.equal(statusOf(await client.readHead()), 200);
      assert.equal(latin1Text(await client.reader.take(3)), "abc");
      await client.send("def");
      assert.equal(latin1Text(await client.reader.take(3)), "def");
    }
  });

  Deno.test(`a client of HTTP/1.0 hears nothing of interim answers and chunks ${way.name}`, async () => {
    await using upstream = startUpstream({
      ...way.upstream,
      respond: () =>
        "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
        "3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n",
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    const head = way.head(broker, upstream.port, {
      minorVersion: 0,
      fields: ["Connection: keep-alive"],
    });
    await client.send(head);
    assert.equal(
      latin1Text(await client.readToEnd()),
      "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc",
    );
    assert.match(upstream.requests[0]!.startLine, / HTTP\/1\.1$/);
  });

  Deno.test(`a client of HTTP/1.0 keeps its connection only when it asks for it ${way.name}`, async () => {
    await using upstream = startUpstream(way.upstream);
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    const kept = await client.exchange(
      way.head(broker, upstream.port, { minorVersion: 0, fields: ["Connection: Keep-Alive"] }),
    );
    assert.deepEqual(kept.values("connection"), ["keep-alive"]);
    const last = await client.exchange(way.head(broker, upstream.port, { minorVersion: 0 }));
    assert.deepEqual(last.values("connection"), ["close"]);
    assert.equal((await client.readToEnd()).length, 0);
    assert.equal(upstream.accepted, 1);
  });

  Deno.test(`a client of HTTP/1.0 needs no Host ${way.name}`, async () => {
    await using upstream = startUpstream(way.upstream);
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    const head = way.head(broker, upstream.port, { minorVersion: 0 });
    const answer = await client.exchange(head.replace("Host: elsewhere\r\n", ""));
    assert.equal(statusOf(answer), 200);
    assert.deepEqual(upstream.requests[0]!.values("host"), [`api.test:${upstream.port}`]);
  });

  Deno.test(`an upstream of HTTP/1.0 is answered on and used again only when it says so ${way.name}`, async () => {
    const answers = [
      "HTTP/1.0 200 OK\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\none",
      "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\ntwo",
      "HTTP/1.0 200 OK\r\n\r\nthree",
      "HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nfour",
    ];
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        while (await connection.readRequest() !== undefined) {
          const answer = answers.shift()!;
          await connection.send(answer);
          if (!answer.includes("keep-alive")) return;
        }
      },
    });
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, upstream.port);
    for (const body of ["one", "two", "three", "four"]) {
      const answer = await client.exchange(way.head(broker, upstream.port, {}));
      assert.equal(answer.startLine, "HTTP/1.1 200 OK");
      assert.equal(answer.text, body);
    }
    assert.equal(upstream.accepted, 3);
  });
}
