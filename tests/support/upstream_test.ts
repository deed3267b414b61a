import assert from "node:assert/strict";
import { RawClient, statusOf } from "./raw_client.ts";
import { createTestAuthority, testAuthority, testCertificate } from "./tls_fixture.ts";
import { rawResponse, startUpstream } from "./upstream.ts";

Deno.test("a client refuses an upstream whose authority it does not know", async () => {
  const foreign = createTestAuthority("Somebody else").issue(["localhost"]);
  await using upstream = startUpstream({ tls: foreign });
  using client = await RawClient.connect(upstream.port);
  await assert.rejects(
    client.startTls("localhost", { caCerts: [testAuthority().certificatePem] }),
    /UnknownIssuer/,
  );
});

Deno.test("a client refuses a leaf that has expired or names another host", async () => {
  const caCerts = [testAuthority().certificatePem];
  const expired = testAuthority().issue(["localhost"], { notAfter: new Date(Date.now() - 1000) });
  await using late = startUpstream({ tls: expired });
  using first = await RawClient.connect(late.port);
  await assert.rejects(first.startTls("localhost", { caCerts }), /expired/i);

  await using other = startUpstream({ tls: testCertificate("other.test") });
  using second = await RawClient.connect(other.port);
  await assert.rejects(second.startTls("localhost", { caCerts }), /not valid for name/);
});

Deno.test("an upstream over TLS records each request byte for byte and answers it", async () => {
  await using upstream = startUpstream({
    tls: testCertificate("localhost", "127.0.0.1"),
    respond: (request) => rawResponse(`got ${request.text}`, { fields: ["X-Test: 1"] }),
  });
  using client = await RawClient.connect(upstream.port);
  await client.startTls("localhost", { caCerts: [testAuthority().certificatePem] });
  const request = "POST /a HTTP/1.1\r\nhOsT: localhost\r\nContent-Length: 3\r\n\r\nabc";
  const answer = await client.exchange(request);
  assert.equal(answer.text, "got abc");
  assert.deepEqual(answer.values("x-test"), ["1"]);
  const second = await client.exchange("GET /b HTTP/1.1\r\nHost: localhost\r\n\r\n");
  assert.equal(statusOf(second), 200);
  assert.deepEqual(upstream.requests.map((each) => each.startLine), [
    "POST /a HTTP/1.1",
    "GET /b HTTP/1.1",
  ]);
  assert.equal(upstream.requests[0]?.head, request.slice(0, -3));
  assert.equal(upstream.accepted, 1);
});

Deno.test("a chunked request is recorded with and without its framing", async () => {
  await using upstream = startUpstream();
  using client = await RawClient.connect(upstream.port);
  const body = "2;x=y\r\nab\r\n1\r\nc\r\n0\r\nEnd: yes\r\n\r\n";
  await client.sendByteByByte(`PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${body}`);
  assert.equal(statusOf(await client.readResponse()), 200);
  assert.equal(upstream.requests[0]?.text, "abc");
  assert.equal(new TextDecoder().decode(upstream.requests[0]?.framedBody), body);
});

Deno.test("a script that takes the connection over can answer garbage and hang up", async () => {
  await using upstream = startUpstream({
    serve: async (connection) => {
      await connection.readHead();
      await connection.send("gar\xffbage");
    },
  });
  using client = await RawClient.connect(upstream.port);
  await client.send("GET / HTTP/1.1\r\n\r\n");
  assert.deepEqual(
    await client.readToEnd(),
    Uint8Array.of(0x67, 0x61, 0x72, 0xff, ...[
      ...new TextEncoder().encode("bage"),
    ]),
  );
});

Deno.test("a stream that ends early fails the read and says what had arrived", async () => {
  await using upstream = startUpstream({
    serve: async (connection) => await connection.send("HTTP/1.1 200 OK\r\nContent-Le"),
  });
  using client = await RawClient.connect(upstream.port);
  await assert.rejects(client.readResponse(), /ended while awaiting .*Content-Le/);
});

Deno.test("a body of four mebibytes passes both ways unchanged", async () => {
  await using upstream = startUpstream({ respond: (request) => rawResponse(request.body) });
  using client = await RawClient.connect(upstream.port);
  const body = Uint8Array.from({ length: 4 << 20 }, (_, index) => index * 31 % 251);
  const sending = client.send(`POST / HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n`)
    .then(() => client.send(body));
  const answer = await client.readResponse();
  await sending;
  // Comparing with deepEqual would print megabytes on failure.
  assert.ok(answer.body.every((byte, index) => byte === body[index]));
  assert.equal(answer.body.length, body.length);
});
