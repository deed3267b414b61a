/**
 * Attempts that succeed today. Each test asserts the leak, so that the day it is closed the run turns
 * red and this table is mended, and nobody closes or opens one unseen.
 */

import assert from "node:assert/strict";
import { testCertificate } from "../support/tls_fixture.ts";
import { rawResponse, startUpstream } from "../support/upstream.ts";
import { TestBroker } from "../proxy/fixture.ts";
import { API_SERVICE, SECRET } from "./gallery.ts";

async function gzip(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function gunzip(bytes: Uint8Array): Promise<string> {
  const stream = new Blob([bytes.slice()]).stream().pipeThrough(new DecompressionStream("gzip"));
  return await new Response(stream).text();
}

const LEAKS: readonly [
  what: string,
  echo: (authorization: string) => Promise<Uint8Array> | Uint8Array,
  read: (answer: { head: string; body: Uint8Array }) => Promise<string> | string,
][] = [
  [
    "an upstream that echoes the request in its body shows the credential",
    (authorization) => rawResponse(authorization),
    ({ body }) => new TextDecoder().decode(body),
  ],
  [
    "an upstream that echoes the request in a header shows the credential",
    (authorization) => rawResponse("", { fields: [`X-Echo: ${authorization}`] }),
    ({ head }) => head,
  ],
  [
    "an upstream that echoes the request compressed shows the credential",
    async (authorization) =>
      rawResponse(await gzip(authorization), { fields: ["Content-Encoding: gzip"] }),
    ({ body }) => gunzip(body),
  ],
];

for (const [what, echo, read] of LEAKS) {
  Deno.test(`expected leak: ${what}`, async () => {
    await using upstream = startUpstream({
      tls: testCertificate("api.test"),
      respond: (request) => echo(request.values("authorization")[0] ?? ""),
    });
    await using broker = new TestBroker({ services: [API_SERVICE], credentials: { KEY: SECRET } });
    using client = await broker.tunnel(`api.test:${upstream.port}`);
    const answer = await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert.ok((await read(answer)).includes(SECRET), "the leak is closed: mend this table");
  });
}
