import assert from "node:assert/strict";
import fc from "fast-check";
import type { BrokerError } from "../../src/errors.ts";
import { isCredentialKey, parseCredentialKey } from "../../src/model/credential_key.ts";
import { authKeys, serviceKeys } from "../../src/model/credential_refs.ts";
import { checkCredentialValue } from "../../src/model/credential_value.ts";

const PASTED = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

Deno.test("a value that is pasted where a credential key belongs is refused and not repeated", () => {
  assert.throws(() => parseCredentialKey(PASTED), (error: BrokerError) => {
    assert.equal(error.code, "validation_failed");
    assert.doesNotMatch(JSON.stringify([error.message, error.hint, error.issues]), /ghp_/);
    return true;
  });
});

Deno.test("a credential key is UPPER_SNAKE_CASE of at most 128 characters", () => {
  const bad = [
    "",
    "a",
    "Key",
    "1KEY",
    "_KEY",
    "MY-KEY",
    "MY KEY",
    "KEY\n",
    "ÄKEY",
    "K".repeat(129),
  ];
  for (const key of bad) {
    assert.equal(isCredentialKey(key), false, key);
    assert.throws(() => parseCredentialKey(key), { code: "validation_failed" });
  }
  for (const key of [undefined, null, 5, ["KEY"]]) {
    assert.throws(() => parseCredentialKey(key), { code: "validation_failed" });
  }
  for (const key of ["K", "GITHUB_TOKEN", "A1__B_", "K".repeat(128)]) {
    assert.equal(parseCredentialKey(key), key);
  }
});

const BAD_VALUES: [why: string, value: string, says: RegExp][] = [
  ["is empty", "", /it is empty/],
  ["is blank", "  ", /it is empty/],
  ["ends with a line feed", `${PASTED}\n`, /ends with a line feed/],
  ["ends with CR LF", `${PASTED}\r\n`, /ends with a carriage return/],
  ["holds a line feed", `${PASTED}\nX: y`, /holds a line feed/],
  ["holds a carriage return", `${PASTED}\rX`, /holds a carriage return/],
  ["holds NUL", `${PASTED}\0`, /holds NUL/],
  ["holds a tab", `${PASTED}\tx`, /holds a tab/],
  ["holds an escape character", `${PASTED}\x1b[0m`, /holds a control character/],
  ["holds DEL", `${PASTED}\x7f`, /holds DEL/],
  ["holds half a surrogate pair", `${PASTED}\ud800`, /not valid Unicode/],
  ["is longer than 16 KiB", PASTED.repeat(500), /20000 bytes, more than 16384/],
  ["is longer than 16 KiB in UTF-8", "é".repeat(8193), /16386 bytes/],
];

for (const [why, value, says] of BAD_VALUES) {
  Deno.test(`a credential value that ${why} is refused without any part of it`, () => {
    assert.throws(() => checkCredentialValue("KEY", value), (error: BrokerError) => {
      assert.equal(error.code, "validation_failed");
      assert.match(error.message, says);
      assert.match(error.message, /"KEY"/);
      assert.doesNotMatch(JSON.stringify([error.message, error.hint, error.issues]), /ghp_/);
      return true;
    });
  });
}

Deno.test("checkCredentialValue() accepts exactly the texts that a header field can carry", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 30 }), (value) => {
    const sendable = value.trim() !== "" && value.isWellFormed() &&
      [...value].every((char) => char >= " " && char !== "\x7f");
    if (sendable) checkCredentialValue("KEY", value);
    else assert.throws(() => checkCredentialValue("KEY", value), { code: "validation_failed" });
  }));
  checkCredentialValue("KEY", "$& {{ OTHER }} ä 漢 \u{1f511}");
});

Deno.test("authKeys() names the keys of every auth type once, in order", () => {
  assert.deepEqual(authKeys({ type: "bearer", token: "A" }), ["A"]);
  assert.deepEqual(authKeys({ type: "basic", username: "U" }), ["U"]);
  assert.deepEqual(authKeys({ type: "basic", username: "U", password: "P" }), ["U", "P"]);
  assert.deepEqual(authKeys({ type: "basic", username: "U", password: "U" }), ["U"]);
  assert.deepEqual(authKeys({ type: "api-key", key: "K", header: "X-Key" }), ["K"]);
  assert.deepEqual(authKeys({ type: "passthrough" }), []);
  assert.deepEqual(
    authKeys({ type: "custom", headers: { X: "{{ B }}:{{A}}", Y: "{{ B }} plain {{ C }}" } }),
    ["B", "A", "C"],
  );
});

Deno.test("serviceKeys() adds the keys of substitutions", () => {
  const keys = serviceKeys({
    auth: { type: "bearer", token: "A" },
    substitutions: [
      { key: "B", placeholder: "__b__", in: ["path"] },
      { key: "A", placeholder: "__a__", in: ["path"] },
    ],
  });
  assert.deepEqual(keys, ["A", "B"]);
});
