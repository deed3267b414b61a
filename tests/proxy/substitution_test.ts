/** Placeholders on their surfaces, through the real proxy. */
import assert from "node:assert/strict";
import type { Surface } from "../../src/model/service.ts";
import { latin1Text } from "../support/bytes.ts";
import { statusOf } from "../support/raw_client.ts";
import { startUpstream } from "../support/upstream.ts";
import { TestBroker, type TestBrokerOptions } from "./fixture.ts";
import { assertRefusal } from "./refusal.ts";
import { type RequestText, WAYS } from "./ways.ts";

/** A value that every encoding changes, with what careless replacing would expand. */
const VALUE = 'a b/"&$&=é';

function substituting(surfaces: readonly Surface[] = []): TestBrokerOptions {
  return {
    services: [{
      host: "api.test",
      substitutions: [{ key: "PART", placeholder: "__part__", in: surfaces }],
    }],
    credentials: { PART: VALUE },
  };
}

const encodedValue = "a%20b%2F%22%26%24%26%3D%C3%A9";
const jsonValue = 'a b/\\"&$&=Ã©';
/** The value's UTF-8 bytes, one character a byte. */
const rawValue = 'a b/"&$&=Ã©';

interface Replaced {
  readonly name: string;
  readonly surfaces: readonly Surface[];
  readonly request: RequestText;
  readonly body?: string;
  /** What the upstream gets: start line, fields without Host, body. */
  readonly startLine?: string;
  readonly fields?: readonly string[];
  readonly received?: string;
}

function post(body: string, ...fields: string[]): Pick<Replaced, "request" | "body"> {
  return {
    request: { method: "POST", fields: [...fields, `Content-Length: ${body.length}`] },
    body,
  };
}

const TABLE: readonly Replaced[] = [
  {
    name: "the path, encoded",
    surfaces: ["path"],
    request: { path: "/v1/__part__/__part__?k=__part__", fields: ["A: __part__"] },
    startLine: `GET /v1/${encodedValue}/${encodedValue}?k=__part__ HTTP/1.1`,
    fields: ["A: __part__"],
  },
  {
    name: "the query, encoded",
    surfaces: ["query"],
    request: { path: "/__part__?k=__part__&__part__=1" },
    startLine: `GET /__part__?k=${encodedValue}&${encodedValue}=1 HTTP/1.1`,
  },
  {
    name: "path and query",
    surfaces: ["path", "query"],
    request: { path: "/__part__?__part__" },
    startLine: `GET /${encodedValue}?${encodedValue} HTTP/1.1`,
  },
  {
    name: "every header",
    surfaces: ["header"],
    request: { path: "/__part__", fields: ["A: x__part__y", "b: __part__ __part__", "C: other"] },
    startLine: "GET /__part__ HTTP/1.1",
    fields: [`A: x${rawValue}y`, `b: ${rawValue} ${rawValue}`, "C: other"],
  },
  {
    name: "a JSON body, escaped",
    surfaces: ["body"],
    ...post('{"k":"__part__"}', "Content-Type: application/json"),
    fields: ["Content-Type: application/json", "Content-Length: 20"],
    received: `{"k":"${jsonValue}"}`,
  },
  {
    name: "a form, encoded",
    surfaces: ["body"],
    ...post("k=__part__", "content-type: application/x-www-form-urlencoded; charset=utf-8"),
    fields: [
      "content-type: application/x-www-form-urlencoded; charset=utf-8",
      `Content-Length: ${2 + encodedValue.length}`,
    ],
    received: `k=${encodedValue}`,
  },
  {
    name: "a body of another type, raw",
    surfaces: ["body"],
    ...post("<__part__>", "Content-Type: text/xml"),
    fields: ["Content-Type: text/xml", `Content-Length: ${2 + rawValue.length}`],
    received: `<${rawValue}>`,
  },
  {
    name: "a chunked body, whose length is then known",
    surfaces: ["body"],
    request: { method: "POST", fields: ["Transfer-Encoding: chunked", "Trailer: X-Sum"] },
    body: "4\r\n<__p\r\n6\r\nart__>\r\n0\r\nX-Sum: 1\r\n\r\n",
    fields: [`Content-Length: ${2 + rawValue.length}`],
    received: `<${rawValue}>`,
  },
  {
    name: "nothing in a body without placeholders",
    surfaces: ["body"],
    ...post("plain"),
    fields: ["Content-Length: 5"],
    received: "plain",
  },
  {
    name: "nothing in an empty body",
    surfaces: ["body"],
    ...post(""),
    fields: ["Content-Length: 0"],
    received: "",
  },
  {
    name: "nothing in a multipart body",
    surfaces: ["body"],
    ...post("--x\r\n\r\n__part__\r\n--x--", "Content-Type: multipart/form-data; boundary=x"),
    fields: ["Content-Type: multipart/form-data; boundary=x", "Content-Length: 22"],
    received: "--x\r\n\r\n__part__\r\n--x--",
  },
  {
    name: "nothing in a chunked multipart body, which passes in chunks",
    surfaces: ["body"],
    request: {
      method: "POST",
      fields: ["Content-Type: multipart/mixed", "Transfer-Encoding: chunked"],
    },
    body: "8\r\n__part__\r\n0\r\n\r\n",
    fields: ["Content-Type: multipart/mixed", "Transfer-Encoding: chunked"],
    received: "__part__",
  },
  {
    name: "nothing in a body with a content coding",
    surfaces: ["body"],
    ...post("__part__", "Content-Encoding: gzip"),
    fields: ["Content-Encoding: gzip", "Content-Length: 8"],
    received: "__part__",
  },
  {
    name: "nothing on surfaces that are not listed",
    surfaces: ["websocket"],
    request: {
      method: "POST",
      path: "/__part__?__part__",
      fields: ["A: __part__", "Content-Length: 8"],
    },
    body: "__part__",
    startLine: "POST /__part__?__part__ HTTP/1.1",
    fields: ["A: __part__", "Content-Length: 8"],
    received: "__part__",
  },
];

for (const way of WAYS) {
  for (
    const [where, fields, body] of [
      ["a length over the limit", "Content-Length: 11", ""],
      [
        "a body that grows over the limit",
        "Transfer-Encoding: chunked",
        "b\r\n01234567890\r\n",
      ],
    ] as const
  ) {
    Deno.test(`${where} gives 413 with nothing sent upstream ${way.name}`, async () => {
      await using upstream = startUpstream(way.upstream);
      await using broker = new TestBroker({
        ...substituting(["body"]),
        limits: { substitutedBodyBytes: 10 },
      });
      using client = await way.open(broker, upstream.port);
      const answer = await client.exchange(
        way.head(broker, upstream.port, { method: "POST", fields: [fields] }) + body,
      );
      assertRefusal(answer, {
        status: 413,
        code: "request_too_large",
        extras: { limit_bytes: 10 },
      });
      assert.equal((await client.readToEnd()).length, 0);
      assert.equal(upstream.accepted, 0);
    });
  }

  Deno.test(`a body of exactly the limit, and one that is not scanned, pass ${way.name}`, async () => {
    await using upstream = startUpstream(way.upstream);
    await using broker = new TestBroker({
      ...substituting(["body"]),
      limits: { substitutedBodyBytes: 10 },
    });
    using client = await way.open(broker, upstream.port);
    for (
      const { request, body } of [
        post("0123456789"),
        post("01234567890", "Content-Type: multipart/mixed"),
      ]
    ) {
      const head = way.head(broker, upstream.port, request);
      assert.equal(statusOf(await client.exchange(head + body)), 200);
      assert.equal(upstream.requests.at(-1)!.text, body);
    }
  });

  for (const surface of ["path", "query", "header", "body", "websocket"] as const) {
    Deno.test(`a missing credential for the surface "${surface}" is told before anything goes upstream ${way.name}`, async () => {
      await using upstream = startUpstream(way.upstream);
      await using broker = new TestBroker({ ...substituting([surface]), credentials: {} });
      using client = await way.open(broker, upstream.port);
      // Whether the request has the placeholder or not: the service needs the key.
      for (const path of ["/__part__", "/"]) {
        const answer = await client.exchange(way.head(broker, upstream.port, { path }));
        assertRefusal(answer, {
          status: 502,
          code: "credential_not_found",
          extras: { missing: ["PART"] },
        });
      }
      assert.equal(upstream.accepted, 0);
    });
  }

  Deno.test(`a malformed body that is to be scanned gives 400 with nothing sent upstream ${way.name}`, async () => {
    await using upstream = startUpstream(way.upstream);
    await using broker = new TestBroker(substituting(["body"]));
    using client = await way.open(broker, upstream.port);
    const head = way.head(broker, upstream.port, {
      method: "POST",
      fields: ["Transfer-Encoding: chunked"],
    });
    const answer = await client.exchange(head + "3\r\nabc\r\nzz\r\n");
    assertRefusal(answer, { status: 400, code: "bad_request" });
    assert.equal(upstream.accepted, 0);
  });

  Deno.test(`a client that leaves within a body that is to be scanned leaves no trace upstream ${way.name}`, async () => {
    await using upstream = startUpstream(way.upstream);
    await using broker = new TestBroker(substituting(["body"]));
    using client = await way.open(broker, upstream.port);
    await client.send(
      way.head(broker, upstream.port, { method: "POST", fields: ["Content-Length: 9"] }) + "abc",
    );
    client.close();
    const [row] = await broker.rowsReach(1);
    assert.deepEqual([row!.status, row!.errorCode], [0, undefined]);
    assert.equal(upstream.accepted, 0);
  });

  for (const { name, surfaces, request, body = "", startLine, fields, received } of TABLE) {
    Deno.test(`substitution replaces ${name} ${way.name}`, async () => {
      await using upstream = startUpstream(way.upstream);
      await using broker = new TestBroker(substituting(surfaces));
      using client = await way.open(broker, upstream.port);
      for (let count = 0; count < 2; count++) {
        const answer = await client.exchange(way.head(broker, upstream.port, request) + body);
        assert.equal(statusOf(answer), 200, answer.text);
        const got = upstream.requests.at(-1)!;
        if (startLine !== undefined) assert.equal(got.startLine, startLine);
        const others = got.fields.slice(1).map(([field, value]) => `${field}: ${value}`);
        if (fields !== undefined) assert.deepEqual(others, fields);
        if (received !== undefined) assert.equal(latin1Text(got.body), received);
      }
      assert.equal(upstream.accepted, 1);
      // What stands in the log is what the client sent.
      const [row] = await broker.rowsReach(2);
      assert.equal(row!.path, (request.path ?? "/").split("?")[0]);
      assert.deepEqual(row!.credentialKeys, ["PART"]);
      assert.ok(!JSON.stringify(broker.rows).includes("a b"));
    });
  }

  Deno.test(`an injected field is not scanned for placeholders ${way.name}`, async () => {
    // A value that happens to hold a placeholder must reach the upstream as it was stored.
    await using upstream = startUpstream(way.upstream);
    await using broker = new TestBroker({
      services: [{
        host: "api.test",
        auth: { type: "custom", headers: { "X-Key": "__part__ {{ KEY }}" } },
        substitutions: [{ key: "PART", placeholder: "__part__", in: ["header"] }],
      }],
      credentials: { KEY: "__part__", PART: "replaced" },
    });
    using client = await way.open(broker, upstream.port);
    await client.exchange(
      way.head(broker, upstream.port, { fields: ["x-key: __part__", "A: __part__"] }),
    );
    const [request] = upstream.requests;
    assert.deepEqual(request!.values("x-key"), ["__part__ __part__"]);
    assert.deepEqual(request!.values("a"), ["replaced"]);
  });

  Deno.test(`a client that asks before it sends a scanned body is answered by the broker ${way.name}`, async () => {
    await using upstream = startUpstream(way.upstream);
    await using broker = new TestBroker(substituting(["body"]));
    using client = await way.open(broker, upstream.port);
    const head = way.head(broker, upstream.port, {
      method: "POST",
      fields: ["Expect: 100-continue", "Content-Length: 8"],
    });
    assert.equal(statusOf(await client.exchange(head)), 100);
    assert.equal(statusOf(await client.exchange("__part__")), 200);
    assert.deepEqual(upstream.requests[0]!.values("expect"), []);
    assert.equal(latin1Text(upstream.requests[0]!.body), rawValue);
  });

  Deno.test(`a held body goes out once more when a pooled connection closed under a PUT ${way.name}`, async () => {
    await using upstream = startUpstream({
      ...way.upstream,
      serve: async (connection) => {
        const respond = () => connection.send("HTTP/1.1 204 No Content\r\n\r\n");
        await connection.readRequest();
        await respond();
        if (connection.number > 1) return;
        await connection.readRequest();
        await connection.closeWrite();
        await connection.reader.takeAll();
      },
    });
    await using broker = new TestBroker(substituting(["body"]));
    using client = await way.open(broker, upstream.port);
    for (const method of ["GET", "PUT"]) {
      const fields = method === "PUT" ? ["Content-Length: 8"] : [];
      const answer = await client.exchange(
        way.head(broker, upstream.port, { method, fields }) + (method === "PUT" ? "__part__" : ""),
      );
      assert.equal(statusOf(answer), 204);
    }
    assert.deepEqual(upstream.requests.map(({ body }) => latin1Text(body)), [
      "",
      rawValue,
      rawValue,
    ]);
  });
}
