import assert from "node:assert/strict";
import fc from "fast-check";
import type { HeaderList } from "../../src/http1/headers.ts";
import { encodeLatin1 } from "../../src/http1/latin1.ts";
import { SubstitutionFault } from "../../src/substitute/fault.ts";
import { compileHeader } from "../../src/substitute/header_surface.ts";
import { anySecret, bytesOf, replacementsOf } from "./support.ts";

const NONE: ReadonlySet<string> = new Set();

for (const control of ["\r\n", "\n", "\r", "\0", "\x1f", "\x7f"]) {
  Deno.test(`a value with ${JSON.stringify(control)} is refused where its placeholder stands`, () => {
    const substitute = compileHeader(replacementsOf({ __v__: `hunter${control}Evil: 1` }));
    const fault = substitute([["A", "1"], ["B", "x __v__"]], NONE);
    assert(fault instanceof SubstitutionFault);
    assert.deepEqual([fault.surface, fault.key], ["header", "TOKEN"]);
    assert.match(fault.message, /"TOKEN".*control character.*broker vault credential set/);
    assert.doesNotMatch(fault.message, /hunter/);
    const clean: HeaderList = [["A", "1"]];
    assert.equal(substitute(clean, NONE), clean);
  });
}

Deno.test("an injected field is not scanned, however the client spelled its name", () => {
  const substitute = compileHeader(replacementsOf({ __v__: "secret" }));
  const headers: HeaderList = [["AUTHORIZATION", "__v__"], ["X-Other", "__v__"]];
  assert.deepEqual(substitute(headers, new Set(["authorization"])), [
    ["AUTHORIZATION", "__v__"],
    ["X-Other", "secret"],
  ]);
});

Deno.test("Host keeps the authority that was matched", () => {
  const substitute = compileHeader(replacementsOf({ __v__: "evil" }));
  const headers: HeaderList = [["hOsT", "__v__.example.com"]];
  assert.equal(substitute(headers, NONE), headers);
});

Deno.test("every other field is scanned: repeated, adjacent, several in one value", () => {
  const substitute = compileHeader(replacementsOf({ __v__: "s$&", __w__: "t" }));
  const headers: HeaderList = [
    ["Cookie", "a=__v__; b=__w__"],
    ["X-__v__", "1"],
    ["x-a", "__v__"],
    ["x-a", "__v____v__"],
    ["Sec-WebSocket-Protocol", "token, __w__"],
  ];
  const before = structuredClone(headers);
  assert.deepEqual(substitute(headers, NONE), [
    ["Cookie", "a=s$&; b=t"],
    ["X-__v__", "1"],
    ["x-a", "s$&"],
    ["x-a", "s$&s$&"],
    ["Sec-WebSocket-Protocol", "token, t"],
  ]);
  assert.deepEqual(headers, before);
});

Deno.test("headers without a placeholder are the same list", () => {
  const headers: HeaderList = [["A", "__V__"], ["B", "caf\xe9"]];
  assert.equal(compileHeader(replacementsOf({ __v__: "x" }))(headers, NONE), headers);
});

Deno.test("any value goes out as its UTF-8 bytes or is refused", () => {
  fc.assert(fc.property(anySecret, (value) => {
    const after = compileHeader(replacementsOf({ __v__: value }))([["A", "\xe9__v__"]], NONE);
    // deno-lint-ignore no-control-regex
    const broken = /[\x00-\x08\x0a-\x1f\x7f]/.test(value);
    assert.equal(after instanceof SubstitutionFault, broken);
    if (after instanceof SubstitutionFault) return;
    assert.deepEqual(encodeLatin1(after[0]![1]), Uint8Array.of(0xe9, ...bytesOf(value)));
  }));
});
