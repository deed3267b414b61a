import assert from "node:assert/strict";
import fc from "fast-check";
import { bypassesProxy, mergeNoProxy, splitNoProxy } from "../../src/run/no_proxy.ts";

// Each line was asked of curl 7.88.1, except those with an IPv6 network or brackets (see the source).
const CASES: readonly (readonly [noProxy: string, hostname: string, bypasses: boolean])[] = [
  ["", "api.example", false],
  [".", "api.example", false],
  ["api.example", "api.example", true],
  ["api.example", "www.api.example", true],
  ["api.example", "notapi.example", false],
  ["api.example", "example", false],
  [".api.example", "api.example", true],
  [".api.example", "www.api.example", true],
  [".api.example", "notapi.example", false],
  ["API.Example.", "api.example", true],
  ["*", "api.example", true],
  ["*", "10.0.0.1", true],
  ["*", "::1", true],
  [" *", "api.example", false],
  ["*,other.example", "api.example", false],
  ["*.example", "api.example", false],
  ["api.example:443", "api.example", false],
  ["10.0.0.1:80", "10.0.0.1", false],
  ["other.example, api.example", "api.example", true],
  ["other.example,,api.example", "api.example", true],
  ["other.example api.example", "api.example", true],
  ["10.0.0.1", "10.0.0.1", true],
  ["10.0.0", "10.0.0.1", false],
  ["0.0.1", "10.0.0.1", false],
  ["10.0.0.0/24", "10.0.0.200", true],
  ["10.0.0.0/24", "10.0.1.1", false],
  ["10.1.2.3/8", "10.200.0.1", true],
  ["10.0.0.1/32", "10.0.0.1", true],
  ["10.0.0.1/0", "10.0.0.1", true],
  ["10.0.0.1/0", "10.0.0.2", false],
  ["10.0.0.1/33", "10.0.0.1", false],
  ["10.0.0.1/-1", "10.0.0.1", false],
  ["10.0.0.1/8x", "10.9.9.9", true],
  ["10.00.0.1", "10.0.0.1", false],
  ["10.0.0.0/8", "10.example", false],
  ["::1", "::1", true],
  ["[::1]", "::1", true],
  ["0:0:0:0:0:0:0:1", "::1", true],
  ["::1", "::2", false],
  ["fd00::/8", "fd12:3456::1", true],
  ["fd00::/8", "fe80::1", false],
  ["::/129", "::1", false],
  ["::/127", "::1", true],
  ["::/127", "::2", false],
  ["::ffff:10.0.0.1", "10.0.0.1", false],
  ["zz::1", "::1", false],
];

for (const [noProxy, hostname, bypasses] of CASES) {
  const verb = bypasses ? "covers" : "does not cover";
  Deno.test(`NO_PROXY "${noProxy}" ${verb} "${hostname}"`, () => {
    assert.equal(bypassesProxy(noProxy, hostname), bypasses);
  });
}

Deno.test("an IPv4 network covers exactly the addresses that share its leading bits", () => {
  const octets = fc.tuple(...Array.from({ length: 4 }, () => fc.integer({ min: 0, max: 255 })));
  fc.assert(fc.property(octets, octets, fc.integer({ min: 1, max: 32 }), (left, right, bits) => {
    const binary = (parts: readonly number[]) =>
      parts.map((part) => part.toString(2).padStart(8, "0")).join("").slice(0, bits);
    assert.equal(
      bypassesProxy(`${left.join(".")}/${bits}`, right.join(".")),
      binary(left) === binary(right),
    );
  }));
});

Deno.test("no text makes the NO_PROXY reader throw", () => {
  fc.assert(fc.property(fc.string(), fc.string(), (noProxy, hostname) => {
    bypassesProxy(noProxy, hostname);
  }));
  fc.assert(fc.property(fc.stringMatching(/^[0-9a-f:./[\]]*$/), (entry) => {
    bypassesProxy(entry, "::1");
  }));
});

Deno.test("splitNoProxy() takes commas and blanks and drops empty entries", () => {
  assert.deepEqual(splitNoProxy(" a.example,, b.example\tc.example ,"), [
    "a.example",
    "b.example",
    "c.example",
  ]);
});

Deno.test("mergeNoProxy() keeps the order and the first writing of an entry", () => {
  assert.equal(
    mergeNoProxy(["b.example A.example", "a.EXAMPLE,localhost"]),
    "b.example,A.example,localhost",
  );
});
