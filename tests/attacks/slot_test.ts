import assert from "node:assert/strict";
import { Scene, SECRET, sendAndReadAll } from "./gallery.ts";

const INJECTED = [`Bearer ${SECRET}`];

Deno.test("attack: a Connection header nominates the slot away", async () => {
  await using scene = new Scene();
  using client = await scene.tunnel();
  await client.exchange(
    "GET / HTTP/1.1\r\nHost: a\r\nConnection: Authorization, authorization\r\nAuthorization: mine\r\n\r\n",
  );
  assert.deepEqual(scene.upstream.requests[0]!.values("authorization"), INJECTED);
});

Deno.test("attack: further copies of the slot survive beside the injected one", async () => {
  await using scene = new Scene();
  using client = await scene.tunnel();
  await client.exchange(
    "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: one\r\nAuthorization: two\r\nAUTHORIZATION: three\r\n" +
      "X: 1\r\nauthorization: four\r\nAuthorization:\r\n\r\n",
  );
  assert.deepEqual(scene.upstream.requests[0]!.values("authorization"), INJECTED);
});

Deno.test("attack: a trailer brings the client's own slot back", async () => {
  await using scene = new Scene();
  using client = await scene.tunnel();
  await client.exchange(
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: Authorization\r\n\r\n" +
      "1\r\nx\r\n0\r\nAuthorization: mine\r\nX-Vault: v\r\nHost: b\r\nKept: 1\r\n\r\n",
  );
  const [request] = scene.upstream.requests;
  assert.deepEqual(request!.values("authorization"), INJECTED);
  assert.equal(
    new TextDecoder().decode(request!.framedBody),
    "1\r\nx\r\n0\r\nKept: 1\r\n\r\n",
  );
});

/** Each body hides a second request from a reader that frames it the other way. */
const SMUGGLED: readonly [what: string, bytes: string][] = [
  [
    "both length and coding",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /hidden HTTP/1.1\r\nHost: a\r\n\r\n",
  ],
  [
    "an unknown coding",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\nGET /hidden HTTP/1.1\r\nHost: a\r\n\r\n",
  ],
  [
    "two lengths",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 40\r\n\r\nGET /hidden HTTP/1.1\r\nHost: a\r\n\r\n",
  ],
  [
    "a bare LF in a chunk size",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\n\r\nGET /hidden HTTP/1.1\r\nHost: a\r\n\r\n",
  ],
  [
    "a blank before the colon",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 40\r\n\r\nGET /hidden HTTP/1.1\r\nHost: a\r\n\r\n",
  ],
  [
    "a folded coding",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\nGET /hidden HTTP/1.1\r\nHost: a\r\n\r\n",
  ],
];

for (const [what, bytes] of SMUGGLED) {
  Deno.test(`attack: ${what} smuggles a second request past the rules`, async () => {
    await using scene = new Scene();
    using client = await scene.tunnel();
    const answers = await sendAndReadAll(client, bytes);
    assert.match(answers, /^HTTP\/1\.1 400 /);
    assert.equal(answers.match(/HTTP\/1\.1 \d{3}/g)?.length, 1, "exactly one answer");
    assert.ok(!scene.upstream.requests.some((request) => request.startLine.includes("/hidden")));
  });
}

Deno.test("attack: a value with a line break adds a header of its own", async () => {
  await using scene = new Scene({ credentials: { KEY: `${SECRET}\r\nX-Admin: 1` } });
  using client = await scene.tunnel();
  const answer = await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  assert.deepEqual(answer.values("x-broker-error"), ["credential_unusable"]);
  assert.ok(!new TextDecoder().decode(answer.body).includes(SECRET));
  assert.equal(scene.upstream.requests.length, 0);
});
