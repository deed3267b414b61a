import assert from "node:assert/strict";
import type { HeaderList } from "../../src/http1/headers.ts";
import {
  forwardableRequestHeaders,
  forwardableResponseHeaders,
  isForbiddenTrailer,
} from "../../src/http1/hop_by_hop.ts";

const REMOVED = [
  "Connection",
  "Keep-Alive",
  "Proxy-Authenticate",
  "Proxy-Authorization",
  "Proxy-Connection",
  "Te",
  "Trailer",
  "Transfer-Encoding",
  "Upgrade",
  "X-Vault",
];

for (const name of REMOVED) {
  Deno.test(`${name} is removed from requests, every copy and in any case`, () => {
    const headers: HeaderList = [
      ["A", "1"],
      [name, "x"],
      [name.toUpperCase(), "x"],
      [name.toLowerCase(), "x"],
      ["B", "2"],
    ];
    assert.deepEqual(forwardableRequestHeaders(headers), [["A", "1"], ["B", "2"]]);
  });
}

Deno.test("every other request header stays, in its order and case, repetitions included", () => {
  const headers: HeaderList = [
    ["hOsT", "a"],
    ["OpenAI-Beta", "x"],
    ["If-None-Match", '"1"'],
    ["traceparent", "00"],
    ["Cookie", "a"],
    ["cookie", "b"],
    ["Authorization", "mine"],
    ["X-Vault-Token", "another header"],
    ["TE-x", "1"],
  ];
  assert.deepEqual(forwardableRequestHeaders(headers), headers);
});

Deno.test("fields that Connection nominates are removed, in any case and from any of its fields", () => {
  const headers: HeaderList = [
    ["Connection", "keep-alive, X-Hop"],
    ["x-hop", "1"],
    ["connection", "other"],
    ["Other", "2"],
    ["Stays", "3"],
  ];
  assert.deepEqual(forwardableRequestHeaders(headers), [["Stays", "3"]]);
});

Deno.test("Connection cannot nominate Host or Content-Length away", () => {
  const headers: HeaderList = [
    ["Connection", "host, content-length"],
    ["Host", "a"],
    ["Content-Length", "3"],
  ];
  assert.deepEqual(forwardableRequestHeaders(headers), [["Host", "a"], ["Content-Length", "3"]]);
});

Deno.test("answers lose their hop-by-hop fields only", () => {
  const headers: HeaderList = [
    ["Set-Cookie", "a=1"],
    ["set-cookie", "b=2"],
    ["Transfer-Encoding", "chunked"],
    ["Connection", "close, X-Hop"],
    ["X-Hop", "1"],
    ["X-Vault", "the upstream's own"],
  ];
  assert.deepEqual(forwardableResponseHeaders(headers), [
    ["Set-Cookie", "a=1"],
    ["set-cookie", "b=2"],
    ["X-Vault", "the upstream's own"],
  ]);
});

Deno.test("trailers cannot carry framing, routing, authentication or the broker's own fields", () => {
  for (const name of ["content-length", "transfer-encoding", "host", "authorization", "x-vault"]) {
    assert.equal(isForbiddenTrailer(name), true, name);
  }
  assert.equal(isForbiddenTrailer("grpc-status"), false);
});
