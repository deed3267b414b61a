import assert from "node:assert/strict";
import fc from "fast-check";
import { parseRequestHead } from "../../src/http1/request_head.ts";
import { parseResponseHead } from "../../src/http1/response_head.ts";
import { findHeadEnd } from "../../src/http1/head_end.ts";
import { MAX_FIELDS, MAX_HEAD_BYTES } from "../../src/http1/limits.ts";
import { serializeRequestHead, serializeResponseHead } from "../../src/http1/serialize.ts";
import { attempt, bytesOf, headEndInPieces } from "./support.ts";

function request(text: string) {
  const bytes = bytesOf(text);
  return attempt(() => {
    const { end } = findHeadEnd(bytes, { start: 0, from: 0, end: bytes.length });
    if (end === -1) return undefined;
    return parseRequestHead(bytes, { start: 0, end });
  });
}

function response(text: string) {
  const bytes = bytesOf(text);
  return attempt(() => {
    const { end } = findHeadEnd(bytes, { start: 0, from: 0, end: bytes.length });
    if (end === -1) return undefined;
    return parseResponseHead(bytes, { start: 0, end });
  });
}

const REFUSED_REQUESTS: readonly [what: string, text: string, fault: RegExp][] = [
  ["a bare LF after the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n", /LF without CR/],
  ["a bare LF after a field", "GET / HTTP/1.1\r\nHost: a\n\r\n", /LF without CR/],
  ["a bare LF as the blank line", "GET / HTTP/1.1\r\nHost: a\r\n\n", /LF without CR/],
  ["a bare CR in a value", "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", /control character/],
  ["a folded line", "GET / HTTP/1.1\r\nA: 1\r\n 2\r\n\r\n", /folded/],
  ["a line folded by a tab", "GET / HTTP/1.1\r\nA: 1\r\n\t2\r\n\r\n", /folded/],
  ["a first line that is folded", "GET / HTTP/1.1\r\n A: 1\r\n\r\n", /folded/],
  ["a blank before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", /followed by a blank/],
  ["an empty name", "GET / HTTP/1.1\r\n: a\r\n\r\n", /invalid character/],
  ["a name with a bracket", "GET / HTTP/1.1\r\nA[b]: a\r\n\r\n", /invalid character/],
  ["a line without a colon", "GET / HTTP/1.1\r\nabc\r\n\r\n", /invalid character/],
  ["NUL in a value", "GET / HTTP/1.1\r\nA: a\0b\r\n\r\n", /control character/],
  ["NUL in a name", "GET / HTTP/1.1\r\nA\0: a\r\n\r\n", /invalid character/],
  ["DEL in a value", "GET / HTTP/1.1\r\nA: a\x7fb\r\n\r\n", /control character/],
  ["NUL in the target", "GET /\0 HTTP/1.1\r\n\r\n", /target/],
  ["a tab between method and target", "GET\t/ HTTP/1.1\r\n\r\n", /method/],
  ["two blanks before the target", "GET  / HTTP/1.1\r\n\r\n", /target/],
  ["two blanks before the version", "GET /  HTTP/1.1\r\n\r\n", /HTTP\/1\.0/],
  ["a blank within the target", "GET /a b HTTP/1.1\r\n\r\n", /HTTP\/1\.0/],
  ["no version", "GET /\r\n\r\n", /target|HTTP/],
  ["HTTP/2.0", "GET / HTTP/2.0\r\n\r\n", /HTTP\/1\.0/],
  ["HTTP/1.2", "GET / HTTP/1.2\r\n\r\n", /HTTP\/1\.0/],
  ["HTTP/1.10", "GET / HTTP/1.10\r\n\r\n", /HTTP\/1\.0/],
  ["a version in lower case", "GET / http/1.1\r\n\r\n", /HTTP\/1\.0/],
  ["a blank behind the version", "GET / HTTP/1.1 \r\n\r\n", /HTTP\/1\.0/],
  ["an empty method", " / HTTP/1.1\r\n\r\n", /method/],
  ["a method with a colon", "GE:T / HTTP/1.1\r\n\r\n", /method/],
  ["a method of 33 characters", `${"M".repeat(33)} / HTTP/1.1\r\n\r\n`, /too long/],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", /HTTP\/1\.0/],
];

for (const [what, text, fault] of REFUSED_REQUESTS) {
  Deno.test(`request head is refused for ${what}, wherever it is cut`, () => {
    const whole = request(text);
    assert.ok("fault" in whole, `accepted: ${JSON.stringify(whole)}`);
    assert.match(whole.fault, fault);
    const bytes = bytesOf(text);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const pieces = attempt(() => {
        const end = headEndInPieces(bytes, [cut]);
        return end === -1 ? undefined : parseRequestHead(bytes, { start: 0, end });
      });
      assert.deepEqual(pieces, whole, `split at ${cut}`);
    }
  });
}

Deno.test("request head keeps order, case, repetitions and every byte of its values", () => {
  const parsed = request(
    "PoST http://a/b?c HTTP/1.0\r\nHOST:a\r\nx-A:  1 \t\r\nX-a: 2\r\nEmpty:\r\nL: caf\xe9\r\n\r\n",
  );
  assert.deepEqual(parsed, {
    value: {
      method: "PoST",
      target: "http://a/b?c",
      minorVersion: 0,
      headers: [["HOST", "a"], ["x-A", "1"], ["X-a", "2"], ["Empty", ""], ["L", "caf\xe9"]],
    },
  });
});

Deno.test("request head of exactly the largest size is read, one byte more is refused as too large", () => {
  const frame = "GET / HTTP/1.1\r\nA: \r\n\r\n".length;
  const fits = request(`GET / HTTP/1.1\r\nA: ${"x".repeat(MAX_HEAD_BYTES - frame)}\r\n\r\n`);
  assert.ok("value" in fits);
  const over = request(`GET / HTTP/1.1\r\nA: ${"x".repeat(MAX_HEAD_BYTES - frame + 1)}\r\n\r\n`);
  assert.ok("fault" in over && over.kind === "head_too_large");
});

Deno.test("request head without an end is refused as soon as it exceeds the largest size", () => {
  const endless = bytesOf("x".repeat(MAX_HEAD_BYTES + 1));
  const found = attempt(() => headEndInPieces(endless, [1, MAX_HEAD_BYTES]));
  assert.ok("fault" in found && found.kind === "head_too_large");
});

Deno.test("request head with 200 fields is read, with 201 it is refused as too large", () => {
  const head = (count: number) => `GET / HTTP/1.1\r\n${"A: 1\r\n".repeat(count)}\r\n`;
  assert.ok("value" in request(head(MAX_FIELDS)));
  const over = request(head(MAX_FIELDS + 1));
  assert.ok("fault" in over && over.kind === "head_too_large");
});

const REFUSED_RESPONSES: readonly [what: string, text: string, fault: RegExp][] = [
  ["garbage", "garbage\r\n\r\n", /HTTP\/1/],
  ["HTTP/2", "HTTP/2 200 OK\r\n\r\n", /HTTP\/1/],
  ["ICY", "ICY 200 OK\r\n\r\n", /HTTP\/1/],
  ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n", /three digits/],
  ["a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", /three digits/],
  ["a status below 100", "HTTP/1.1 099 X\r\n\r\n", /range/],
  ["a status above 599", "HTTP/1.1 600 X\r\n\r\n", /range/],
  ["a bare LF", "HTTP/1.1 200 OK\n\r\n", /LF/],
  ["a control character in the reason", "HTTP/1.1 200 O\x01K\r\n\r\n", /reason/],
  ["a folded field", "HTTP/1.1 200 OK\r\nA: 1\r\n 2\r\n\r\n", /folded/],
];

for (const [what, text, fault] of REFUSED_RESPONSES) {
  Deno.test(`response head is refused for ${what}`, () => {
    const parsed = response(text);
    assert.ok("fault" in parsed, `accepted: ${JSON.stringify(parsed)}`);
    assert.match(parsed.fault, fault);
  });
}

Deno.test("response head is read with an empty reason, with and without the blank before it", () => {
  for (const line of ["HTTP/1.1 204 ", "HTTP/1.1 204"]) {
    assert.deepEqual(response(`${line}\r\nA: 1\r\n\r\n`), {
      value: { minorVersion: 1, status: 204, reason: "", headers: [["A", "1"]] },
    });
  }
});

const token = fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,20}$/);
const value = fc.stringMatching(/^([!-~\x80-\xff]([ \t!-~\x80-\xff]{0,30}[!-~\x80-\xff])?)?$/);
const fields = fc.array(fc.tuple(token, value), { maxLength: 20 });

Deno.test("parsing what was serialized gives the same request head", () => {
  const target = fc.stringMatching(/^[!-~\x80-\xff]{1,40}$/);
  fc.assert(fc.property(token, target, fields, (method, target, headers) => {
    const text = serializeRequestHead({ method, target }, headers);
    assert.deepEqual(request(text), { value: { method, target, minorVersion: 1, headers } });
  }));
});

Deno.test("parsing what was serialized gives the same response head", () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), value, fields, (status, reason, headers) => {
      const text = serializeResponseHead({ status, reason }, headers);
      assert.deepEqual(response(text), { value: { minorVersion: 1, status, reason, headers } });
    }),
  );
});

Deno.test("no bytes make the head parsers throw anything but a fault, or see two ends of one head", () => {
  const alphabet = "GET / HTTP/1.1\r\n\r\nA: b\x00\xff\t200 ".split("");
  const noise = fc.array(fc.constantFrom(...alphabet), { maxLength: 120 }).map((part) =>
    part.join("")
  );
  const start = fc.constantFrom("", "GET / HTTP/1.1\r\n", "HTTP/1.1 200 OK\r\n");
  fc.assert(
    fc.property(start, noise, fc.array(fc.nat(140), { maxLength: 6 }), (first, rest, cuts) => {
      const bytes = bytesOf(first + rest);
      const ordered = cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b);
      const whole = attempt(() => headEndInPieces(bytes, []));
      assert.deepEqual(attempt(() => headEndInPieces(bytes, ordered)), whole);
      if (!("value" in whole) || whole.value === -1) return;
      const range = { start: 0, end: whole.value };
      attempt(() => parseRequestHead(bytes, range));
      attempt(() => parseResponseHead(bytes, range));
    }),
    { numRuns: 2000 },
  );
});
