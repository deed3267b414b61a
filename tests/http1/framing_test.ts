import assert from "node:assert/strict";
import { requestFraming, responseFraming } from "../../src/http1/framing.ts";
import type { HeaderList } from "../../src/http1/headers.ts";
import { attempt } from "./support.ts";

const request = (headers: HeaderList, minorVersion: 0 | 1 = 1) =>
  attempt(() => requestFraming({ method: "POST", target: "/", minorVersion, headers }));

const response = (status: number, headers: HeaderList, method = "GET", minorVersion: 0 | 1 = 1) =>
  attempt(() => responseFraming({ status, reason: "", minorVersion, headers }, method));

const REFUSED: readonly [what: string, headers: HeaderList, fault: RegExp][] = [
  ["both length and coding", [["Content-Length", "3"], ["Transfer-Encoding", "chunked"]], /both/],
  [
    "coding and length in other case",
    [["transfer-encoding", "chunked"], ["CONTENT-LENGTH", "3"]],
    /both/,
  ],
  ["two lengths", [["Content-Length", "3"], ["content-length", "3"]], /several Content-Length/],
  ["a list of lengths", [["Content-Length", "3, 3"]], /plain decimal/],
  ["a signed length", [["Content-Length", "+3"]], /plain decimal/],
  ["a negative length", [["Content-Length", "-3"]], /plain decimal/],
  ["a hexadecimal length", [["Content-Length", "0x3"]], /plain decimal/],
  ["an empty length", [["Content-Length", ""]], /plain decimal/],
  ["a length with a blank inside", [["Content-Length", "1 2"]], /plain decimal/],
  ["a length beyond exact integers", [["Content-Length", "9".repeat(16)]], /plain decimal/],
  ["gzip", [["Transfer-Encoding", "gzip"]], /only Transfer-Encoding/],
  ["gzip before chunked", [["Transfer-Encoding", "gzip, chunked"]], /only Transfer-Encoding/],
  [
    "chunked twice in one field",
    [["Transfer-Encoding", "chunked, chunked"]],
    /only Transfer-Encoding/,
  ],
  [
    "chunked in two fields",
    [["Transfer-Encoding", "chunked"], ["Transfer-Encoding", "chunked"]],
    /several/,
  ],
  ["identity", [["Transfer-Encoding", "identity"]], /only Transfer-Encoding/],
  ["a misspelt coding", [["Transfer-Encoding", "xchunked"]], /only Transfer-Encoding/],
  ["chunked in quotes", [["Transfer-Encoding", '"chunked"']], /only Transfer-Encoding/],
];

for (const [what, headers, fault] of REFUSED) {
  Deno.test(`framing refuses ${what}, in requests and in answers`, () => {
    for (const framed of [request(headers), response(200, headers)]) {
      assert.ok("fault" in framed, `accepted: ${JSON.stringify(framed)}`);
      assert.match(framed.fault, fault);
    }
  });
}

Deno.test("framing refuses a transfer coding on HTTP/1.0", () => {
  assert.ok("fault" in request([["Transfer-Encoding", "chunked"]], 0));
  assert.ok("fault" in response(200, [["Transfer-Encoding", "chunked"]], "GET", 0));
});

Deno.test("framing of a request without either field is no body", () => {
  assert.deepEqual(request([["Content-Type", "x"]]), { value: { kind: "none" } });
});

Deno.test("framing reads a plain length and chunked in any case", () => {
  assert.deepEqual(request([["content-LENGTH", "007"]]), { value: { kind: "length", length: 7 } });
  assert.deepEqual(request([["transfer-encoding", "Chunked"]]), { value: { kind: "chunked" } });
});

Deno.test("framing of an answer without either field runs until close", () => {
  assert.deepEqual(response(200, []), { value: { kind: "until-close" } });
});

Deno.test("framing of answers to HEAD and of 1xx, 204 and 304 is no body, whatever they declare", () => {
  const declared: HeaderList = [["Content-Length", "12"]];
  assert.deepEqual(response(200, declared, "HEAD"), { value: { kind: "none" } });
  for (const status of [100, 103, 204, 304]) {
    assert.deepEqual(response(status, declared), { value: { kind: "none" } });
    assert.deepEqual(response(status, []), { value: { kind: "none" } });
  }
});
