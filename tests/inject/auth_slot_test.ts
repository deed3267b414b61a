import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import type { BrokerError } from "../../src/errors.ts";
import type { HeaderList } from "../../src/http1/headers.ts";
import { compileAuth } from "../../src/inject/auth_slot.ts";
import { Secret } from "../../src/model/secret.ts";
import type { Auth } from "../../src/model/service.ts";

function compile(auth: Auth, values: Record<string, string>) {
  return compileAuth(auth, (key) => {
    return Object.hasOwn(values, key) ? new Secret(values[key]!) : undefined;
  });
}

/** The fields that an auth config gives with these credentials. */
function fieldsOf(auth: Auth, values: Record<string, string>): HeaderList {
  const compiled = compile(auth, values);
  assert.equal(compiled.kind, "ready");
  return compiled.kind === "ready" ? compiled.fields : [];
}

/** UTF-8 bytes with one character a byte, as header lists keep text. */
function bytesOf(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

const EVERY_TYPE: readonly Auth[] = [
  { type: "bearer", token: "K" },
  { type: "basic", username: "K" },
  { type: "basic", username: "U", password: "K" },
  { type: "api-key", key: "K" },
  { type: "api-key", key: "K", header: "X-Key", prefix: "Token " },
  { type: "custom", headers: { "X-Key": "a {{ K }} b" } },
];

Deno.test("a value with control characters is refused by every auth type and not repeated", () => {
  for (const auth of EVERY_TYPE) {
    for (const char of ["\r", "\n", "\0", "\t", "\x1b", "\x7f"]) {
      assert.throws(() => compile(auth, { U: "user", K: `hunter2${char}X-Evil: 1` }), (error) => {
        const { code, message, hint } = error as BrokerError;
        assert.equal(code, "validation_failed");
        assert.match(message, /"K" holds a control character/);
        assert.equal(hint, "broker vault credential set K");
        assert.doesNotMatch(message, /hunter2|X-Evil/);
        return true;
      });
    }
  }
});

Deno.test("a basic username with a colon is refused, because the password would begin at it", () => {
  const auth: Auth = { type: "basic", username: "U", password: "P" };
  assert.throws(() => compile(auth, { U: "bob:x", P: "y" }), (error) => {
    assert.match((error as BrokerError).message, /"U" is a basic username and has a colon/);
    assert.doesNotMatch((error as BrokerError).message, /bob/);
    return true;
  });
  assert.deepEqual(fieldsOf(auth, { U: "bob", P: "x:y:" }), [[
    "Authorization",
    `Basic ${btoa("bob:x:y:")}`,
  ]]);
});

Deno.test("nothing in a value is read as a template or as a replacement pattern", () => {
  const auth: Auth = { type: "custom", headers: { X: "<{{ A }}|{{ B }}|{{ A }}>" } };
  const values = { A: "{{ B }}$&$1$$`'", B: "{{ A }}}}" };
  assert.deepEqual(fieldsOf(auth, values), [["X", `<${values.A}|${values.B}|${values.A}>`]]);
});

Deno.test("a missing credential is named, and every other missing one with it", () => {
  const cases: [auth: Auth, values: Record<string, string>, missing: string[], keys: string[]][] = [
    [{ type: "bearer", token: "A" }, {}, ["A"], ["A"]],
    [{ type: "basic", username: "A", password: "B" }, { A: "x" }, ["B"], ["A", "B"]],
    [{ type: "basic", username: "A", password: "B" }, {}, ["A", "B"], ["A", "B"]],
    [{ type: "api-key", key: "A" }, { B: "x" }, ["A"], ["A"]],
    [
      { type: "custom", headers: { X: "{{ A }}{{ B }}", Y: "{{ C }}{{ A }}" } },
      { B: "x" },
      ["A", "C"],
      ["A", "B", "C"],
    ],
  ];
  for (const [auth, values, missing, keys] of cases) {
    assert.deepEqual(compile(auth, values), { kind: "missing", missing, keys });
  }
});

Deno.test("Auth config: bearer sets `Authorization: Bearer <token>`.", () => {
  const compiled = compile({ type: "bearer", token: "T" }, { T: "abc" });
  assert.deepEqual(compiled, {
    kind: "ready",
    slotNames: new Set(["authorization"]),
    fields: [["Authorization", "Bearer abc"]],
    keys: ["T"],
  });
});

Deno.test("Auth config: basic sets `Authorization: Basic <base64 of username:password>`.", () => {
  const auth: Auth = { type: "basic", username: "U", password: "P" };
  // RFC 7617 section 2 and 2.1.
  assert.deepEqual(fieldsOf(auth, { U: "Aladdin", P: "open sesame" }), [
    ["Authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="],
  ]);
  assert.deepEqual(fieldsOf(auth, { U: "test", P: "123£" }), [
    ["Authorization", "Basic dGVzdDoxMjPCow=="],
  ]);
});

Deno.test("Auth config: basic `password` is optional and defaults to empty.", () => {
  assert.deepEqual(fieldsOf({ type: "basic", username: "U" }, { U: "sk_test", P: "no" }), [
    ["Authorization", `Basic ${btoa("sk_test:")}`],
  ]);
});

Deno.test("Auth config: api-key `header` is optional and defaults to `Authorization`.", () => {
  const compiled = compile({ type: "api-key", key: "K" }, { K: "abc" });
  assert.deepEqual(compiled.kind === "ready" && compiled.fields, [["Authorization", "abc"]]);
  assert.deepEqual(compiled.kind === "ready" && [...compiled.slotNames], ["authorization"]);
});

Deno.test("Auth config: api-key puts the value, with the optional prefix, into the named header.", () => {
  const auth: Auth = { type: "api-key", key: "K", header: "X-Api-KEY", prefix: "Token token=" };
  const compiled = compile(auth, { K: "abc" });
  assert.deepEqual(compiled.kind === "ready" && compiled.fields, [[
    "X-Api-KEY",
    "Token token=abc",
  ]]);
  assert.deepEqual(compiled.kind === "ready" && [...compiled.slotNames], ["x-api-key"]);
});

Deno.test("Auth config: custom resolves each placeholder to the matching credential.", () => {
  const headers = { "X-Both": "{{A}}:{{ B }}", "Authorization": "Key {{ A }}", "X-Fixed": "2" };
  const compiled = compile({ type: "custom", headers }, { A: "1", B: "2" });
  assert.deepEqual(compiled, {
    kind: "ready",
    slotNames: new Set(["x-both", "authorization", "x-fixed"]),
    fields: [["X-Both", "1:2"], ["Authorization", "Key 1"], ["X-Fixed", "2"]],
    keys: ["A", "B"],
  });
});

Deno.test("Auth config: passthrough reads and attaches no credential.", () => {
  const compiled = compileAuth({ type: "passthrough" }, () => assert.fail("a credential was read"));
  assert.deepEqual(compiled, { kind: "ready", slotNames: new Set(), fields: [], keys: [] });
});

Deno.test("a value outside ASCII travels as its UTF-8 bytes", () => {
  const value = "pä$s 漢 \u{1f511}";
  const wire = bytesOf(value);
  assert.ok([...wire].every((char) => char.charCodeAt(0) <= 0xff));
  assert.deepEqual(fieldsOf({ type: "bearer", token: "K" }, { K: value }), [
    ["Authorization", `Bearer ${wire}`],
  ]);
  assert.deepEqual(fieldsOf({ type: "custom", headers: { X: "ü{{ K }}" } }, { K: value }), [
    ["X", bytesOf("ü") + wire],
  ]);
  assert.deepEqual(fieldsOf({ type: "api-key", key: "K", prefix: "é" }, { K: value }), [
    ["Authorization", bytesOf("é") + wire],
  ]);
});
