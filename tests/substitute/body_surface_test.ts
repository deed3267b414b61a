import assert from "node:assert/strict";
import fc from "fast-check";
import type { HeaderList } from "../../src/http1/headers.ts";
import { compiled } from "./compiled.ts";
import { anySecret, bytesOf, textOf } from "./support.ts";

function replaced(value: string, contentType: string, body: string): string {
  const headers: HeaderList = [["Content-Type", contentType]];
  return textOf(compiled(value, ["body"]).body!(headers)!.replace(bytesOf(body)));
}

Deno.test("a multipart or encoded body is not to be read at all", () => {
  const { body } = compiled("secret", ["body"]);
  assert.equal(body!([["Content-Type", "multipart/form-data; boundary=b"]]), undefined);
  assert.equal(body!([["Content-Encoding", "gzip"]]), undefined);
});

Deno.test("JSON stays parseable and equal but for the value, for any secret", () => {
  fc.assert(fc.property(anySecret, fc.jsonValue(), (value, other) => {
    const document = { token: "__token__", nested: [{ t: "Bearer __token__!" }], other };
    if (JSON.stringify(other).includes("__token__")) return;
    for (const indent of [0, 2]) {
      const after = replaced(value, "application/json", JSON.stringify(document, null, indent));
      assert.deepEqual(JSON.parse(after), {
        token: value,
        nested: [{ t: `Bearer ${value}!` }],
        other: JSON.parse(JSON.stringify(other)),
      });
    }
  }));
});

Deno.test("JSON within a string of JSON keeps the outer document whole", () => {
  fc.assert(fc.property(anySecret, (value) => {
    const inner = JSON.stringify({ token: "__token__" });
    const after = replaced(value, "application/json", JSON.stringify({ inner }));
    assert.deepEqual(JSON.parse(after), { inner: `{"token":"${value}"}` });
  }));
});

Deno.test("each line of newline-delimited JSON stays parseable", () => {
  const after = replaced(
    'a"\n\\b',
    "application/x-ndjson",
    '{"t":"__token__"}\n{"t":"__token__"}\n',
  );
  const lines = after.trimEnd().split("\n");
  assert.deepEqual(lines.map((line) => JSON.parse(line)), [{ t: 'a"\n\\b' }, { t: 'a"\n\\b' }]);
});

Deno.test("a form reads back with the value and no other field changed, for any secret", () => {
  fc.assert(fc.property(anySecret, (value) => {
    const body = "grant=a+b&secret=__token__&note=%5F_token__";
    const after = replaced(value, "application/x-www-form-urlencoded", body);
    assert.deepEqual([...new URLSearchParams(after)], [
      ["grant", "a b"],
      ["secret", value.toWellFormed()],
      ["note", "__token__"],
    ]);
  }));
});

Deno.test("a blank in a form value becomes %20, which every reader takes for a blank", () => {
  assert.equal(replaced("a b", "application/x-www-form-urlencoded", "k=__token__"), "k=a%20b");
});

Deno.test("any other body takes the value as it is", () => {
  assert.equal(replaced('"é$&\n', "application/xml", "<t>__token__</t>"), '<t>"é$&\n</t>');
});

Deno.test("bytes that are no text survive around a replaced placeholder", () => {
  const before = Uint8Array.of(0xff, 0x00, 0xc3, ...bytesOf("__token__"), 0x80, 0xfe);
  const after = compiled("é", ["body"]).body!([])!.replace(before);
  assert.deepEqual(after, Uint8Array.of(0xff, 0x00, 0xc3, 0xc3, 0xa9, 0x80, 0xfe));
});

Deno.test("a body without a placeholder is the same object", () => {
  const body = bytesOf("__Token__ __toke");
  assert.equal(compiled("x", ["body"]).body!([])!.replace(body), body);
});
