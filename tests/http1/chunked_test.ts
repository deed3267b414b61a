import assert from "node:assert/strict";
import fc from "fast-check";
import { ChunkedDecoder } from "../../src/http1/chunked.ts";
import { MAX_CHUNK_LINE_BYTES, MAX_TRAILER_BYTES } from "../../src/http1/limits.ts";
import { chunkSizeLine, lastChunk } from "../../src/http1/serialize.ts";
import { attempt, bytesOf } from "./support.ts";

/** Decodes bytes that arrive in pieces cut at `cuts`; says what came out and what was left. */
function decode(bytes: Uint8Array, cuts: readonly number[] = []) {
  const decoder = new ChunkedDecoder();
  let text = "";
  let at = 0;
  for (const end of [...cuts, bytes.length]) {
    while (at < end && !decoder.done) {
      const consumed = decoder.step(bytes, { start: at, end });
      assert.ok(consumed > 0, "no progress");
      at += consumed;
      text += String.fromCharCode(...decoder.data);
    }
  }
  return { text, done: decoder.done, left: bytes.length - at, trailers: decoder.trailers };
}

function decodeSplitEverywhere(
  text: string,
): ReturnType<typeof attempt<ReturnType<typeof decode>>> {
  const bytes = bytesOf(text);
  const whole = attempt(() => decode(bytes));
  for (let cut = 0; cut <= bytes.length; cut++) {
    assert.deepEqual(attempt(() => decode(bytes, [cut])), whole, `split at ${cut}`);
  }
  return whole;
}

const REFUSED: readonly [what: string, text: string, fault: RegExp][] = [
  ["no size", "\r\n", /hexadecimal/],
  ["a size that is no number", "xyz\r\n", /hexadecimal/],
  ["a negative size", "-1\r\n", /hexadecimal/],
  ["a size with 0x", "0x1\r\na\r\n", /hexadecimal/],
  ["a size with a blank before it", " 1\r\na\r\n", /hexadecimal/],
  ["a size with a blank behind it", "1 \r\na\r\n", /hexadecimal/],
  ["a size of fourteen digits", "10000000000000\r\n", /too large/],
  ["a size line that ends in LF", "1\na\r\n0\r\n\r\n", /hexadecimal/],
  ["a size line that ends in CR only", "1\ra\r\n0\r\n\r\n", /CR without LF/],
  ["data that is longer than its size", "1\r\nab\r\n0\r\n\r\n", /longer/],
  ["data that is followed by LF only", "1\r\na\n0\r\n\r\n", /longer/],
  ["data that is followed by CR only", "1\r\na\r0\r\n\r\n", /not followed by CRLF/],
  ["a control character in an extension", "1;a\0\r\na\r\n", /control character/],
  ["a bare LF in an extension", "1;a\nb\r\na\r\n", /control character/],
  ["an endless extension", `1;${"a".repeat(MAX_CHUNK_LINE_BYTES + 1)}`, /too long/],
  ["a trailer that ends in LF", "0\r\nA: b\n\r\n", /LF without CR/],
  ["a folded trailer", "0\r\nA: b\r\n c\r\n\r\n", /folded/],
  ["a trailer without a colon", "0\r\nabc\r\n\r\n", /invalid character/],
  ["endless trailers", `0\r\nA: ${"a".repeat(MAX_TRAILER_BYTES)}`, /larger/],
];

for (const [what, text, fault] of REFUSED) {
  Deno.test(`chunked decoder refuses ${what}`, () => {
    const bytes = bytesOf(text);
    const whole = attempt(() => decode(bytes));
    assert.ok("fault" in whole, `accepted: ${JSON.stringify(whole)}`);
    assert.match(whole.fault, fault);
    if (text.length < 100) decodeSplitEverywhere(text);
  });
}

Deno.test("chunked decoder reads sizes in both cases, extensions and trailers, split at every byte", () => {
  const whole = decodeSplitEverywhere(
    "a;x=1\r\n0123456789\r\n0B\r\nabcdefghijk\r\n000\r\nA: 1\r\nb:2\r\n\r\nGET",
  );
  assert.deepEqual(whole, {
    value: {
      text: "0123456789abcdefghijk",
      done: true,
      left: 3,
      trailers: [["A", "1"], ["b", "2"]],
    },
  });
});

Deno.test("chunked decoder leaves the bytes behind the body alone", () => {
  const whole = decodeSplitEverywhere("0\r\n\r\n0\r\n\r\n");
  assert.deepEqual(whole, { value: { text: "", done: true, left: 5, trailers: [] } });
});

Deno.test("decoding what was encoded gives the same data, wherever it is cut", () => {
  const data = fc.array(fc.stringMatching(/^[ -~\r\n]{1,40}$/), { maxLength: 8 });
  fc.assert(fc.property(data, fc.array(fc.nat(400), { maxLength: 10 }), (chunks, cuts) => {
    const encoded = chunks.map((chunk) => `${chunkSizeLine(chunk.length)}${chunk}\r\n`).join("");
    const bytes = bytesOf(encoded + lastChunk([["T", "1"]]));
    const ordered = cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b);
    assert.deepEqual(decode(bytes, ordered), {
      text: chunks.join(""),
      done: true,
      left: 0,
      trailers: [["T", "1"]],
    });
  }));
});

Deno.test("no bytes make the chunked decoder hang, throw anything but a fault, or depend on the cut", () => {
  const noise = fc.array(fc.constantFrom(..."0123af;\r\n\r\n: x\0".split("")), { maxLength: 60 });
  fc.assert(
    fc.property(noise, fc.array(fc.nat(60), { maxLength: 5 }), (parts, cuts) => {
      const bytes = bytesOf(parts.join(""));
      const ordered = cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b);
      assert.deepEqual(attempt(() => decode(bytes, ordered)), attempt(() => decode(bytes)));
    }),
    { numRuns: 3000 },
  );
});
