import assert from "node:assert/strict";
import fc from "fast-check";
import type { HeaderField, HeaderList } from "../../src/http1/headers.ts";
import { applyAuth } from "../../src/inject/apply_auth.ts";
import { compileAuth, type ReadyAuth } from "../../src/inject/auth_slot.ts";
import { Secret } from "../../src/model/secret.ts";
import type { Auth } from "../../src/model/service.ts";

function ready(auth: Auth): ReadyAuth {
  const compiled = compileAuth(auth, (key) => new Secret(`<${key}>`));
  if (compiled.kind === "missing") assert.fail("every key has a value here");
  return compiled;
}

const BEARER: Auth = { type: "bearer", token: "T" };
const CUSTOM: Auth = { type: "custom", headers: { "X-A": "{{ A }}", "x-b": "{{ B }}" } };

const CASES: readonly [sentence: string, auth: Auth, sent: HeaderList, expected: HeaderList][] = [
  ["adjacent copies in any case give way to one injected field", BEARER, [
    ["Host", "a"],
    ["Authorization", "evil1"],
    ["authorization", "evil2"],
    ["AUTHORIZATION", "evil3"],
    ["Accept", "*/*"],
    ["aUTHORIZATION", "evil4"],
  ], [["Host", "a"], ["Authorization", "Bearer <T>"], ["Accept", "*/*"]]],
  ["bearer overrides Authorization where it stood", BEARER, [
    ["A", "1"],
    ["authorization", "Bearer mine"],
    ["B", "2"],
  ], [["A", "1"], ["Authorization", "Bearer <T>"], ["B", "2"]]],
  ["an absent slot is put at the end", BEARER, [["A", "1"]], [
    ["A", "1"],
    ["Authorization", "Bearer <T>"],
  ]],
  ["basic overrides Authorization", { type: "basic", username: "U" }, [["Authorization", "x"]], [
    ["Authorization", `Basic ${btoa("<U>:")}`],
  ]],
  [
    "api-key overrides the header named in auth.header and leaves Authorization alone",
    {
      type: "api-key",
      key: "K",
      header: "X-Api-Key",
    },
    [["x-api-key", "evil"], ["Authorization", "mine"], ["X-API-KEY", "evil"]],
    [
      ["X-Api-Key", "<K>"],
      ["Authorization", "mine"],
    ],
  ],
  ["custom overrides every key of auth.headers, each where its first copy stood", CUSTOM, [
    ["X-B", "evil"],
    ["C", "3"],
    ["x-a", "evil"],
    ["X-b", "evil"],
    ["Authorization", "mine"],
  ], [["x-b", "<B>"], ["C", "3"], ["X-A", "<A>"], ["Authorization", "mine"]]],
  ["custom puts what was absent at the end, in the order of the config", CUSTOM, [["C", "3"]], [
    ["C", "3"],
    ["X-A", "<A>"],
    ["x-b", "<B>"],
  ]],
  ["passthrough overrides nothing", { type: "passthrough" }, [
    ["Authorization", "mine"],
    ["Cookie", "mine"],
    ["Authorization", "twice"],
  ], [["Authorization", "mine"], ["Cookie", "mine"], ["Authorization", "twice"]]],
  ["all other headers reach the upstream in their order and case", BEARER, [
    ["anthropic-VERSION", "1"],
    ["If-None-Match", '"x"'],
    ["traceparent", "00"],
    ["X-Authorization", "kept"],
    ["Authorization-X", "kept"],
    ["Cookie", "a=b"],
    ["Cookie", "c=d"],
  ], [
    ["anthropic-VERSION", "1"],
    ["If-None-Match", '"x"'],
    ["traceparent", "00"],
    ["X-Authorization", "kept"],
    ["Authorization-X", "kept"],
    ["Cookie", "a=b"],
    ["Cookie", "c=d"],
    ["Authorization", "Bearer <T>"],
  ]],
];

for (const [sentence, auth, sent, expected] of CASES) {
  Deno.test(`Header forwarding, the auth slot: ${sentence}`, () => {
    const before = structuredClone(sent);
    assert.deepEqual(applyAuth(sent, ready(auth)), expected);
    assert.deepEqual(sent, before);
  });
}

Deno.test("whatever was sent, each slot is there once with the injected value and the rest untouched", () => {
  const names = fc.constantFrom(
    "X-A",
    "x-a",
    "X-B",
    "x-B",
    "Authorization",
    "authorization",
    "Accept",
  );
  const fields: fc.Arbitrary<HeaderField> = fc.tuple(names, fc.constantFrom("1", "2", ""));
  const auths = fc.constantFrom<Auth>(BEARER, CUSTOM, { type: "passthrough" });
  fc.assert(fc.property(fc.array(fields), auths, (sent, auth) => {
    const compiled = ready(auth);
    const isSlot = ([name]: HeaderField) => compiled.slotNames.has(name.toLowerCase());
    const result = applyAuth(sent, compiled);
    const injected = result.filter(isSlot);
    assert.deepEqual(new Set(injected), new Set(compiled.fields));
    assert.equal(injected.length, compiled.fields.length);
    assert.deepEqual(
      result.filter((field) => !isSlot(field)),
      sent.filter((field) => !isSlot(field)),
    );
  }));
});
