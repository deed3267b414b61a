import assert from "node:assert/strict";
import { BrokerError } from "../../src/errors.ts";
import { type ServiceFlags, serviceFromFlags } from "../../src/cli/service_flags.ts";

const BASE = { name: "one", host: "api.example.com" };

const CASES: readonly [flags: ServiceFlags, auth: Record<string, unknown>][] = [
  [{ tokenKey: "T" }, { type: "bearer", token: "T" }],
  [{ authType: "bearer", tokenKey: "T" }, { type: "bearer", token: "T" }],
  [{ usernameKey: "U" }, { type: "basic", username: "U" }],
  [{ usernameKey: "U", passwordKey: "P" }, { type: "basic", username: "U", password: "P" }],
  [{ apiKeyKey: "K" }, { type: "api-key", key: "K" }],
  [
    { apiKeyKey: "K", apiKeyHeader: "X-Key", apiKeyPrefix: "Key " },
    { type: "api-key", key: "K", header: "X-Key", prefix: "Key " },
  ],
  [
    { header: ["X-Id: {{ ID }}", "X-Sig:a:{{ SIG }}:b"] },
    { type: "custom", headers: { "X-Id": "{{ ID }}", "X-Sig": "a:{{ SIG }}:b" } },
  ],
  [{ authType: "passthrough" }, { type: "passthrough" }],
  // What is missing is for the validation to say, with everything else that is wrong.
  [{ authType: "bearer" }, { type: "bearer" }],
];

for (const [flags, auth] of CASES) {
  Deno.test(`serviceFromFlags() makes an auth object of ${JSON.stringify(flags)}`, () => {
    assert.deepEqual(serviceFromFlags({ ...BASE, ...flags }), { ...BASE, auth });
  });
}

Deno.test("serviceFromFlags() stores a service switched off with --disabled", () => {
  assert.equal(serviceFromFlags({ ...BASE, tokenKey: "T", disabled: true })["enabled"], false);
});

Deno.test("serviceFromFlags() keeps a header called __proto__ a header", () => {
  const { auth } = serviceFromFlags({ header: ["__proto__: {{ A }}"] }) as {
    auth: { headers: Record<string, string> };
  };
  assert.deepEqual(Object.keys(auth.headers), ["__proto__"]);
});

const FAULTS: readonly [flags: ServiceFlags, message: RegExp][] = [
  [{}, /how to authenticate/],
  [{ authType: "beaer", tokenKey: "T" }, /no auth type "beaer"/],
  [{ authType: "basic", tokenKey: "T" }, /--token-key: not for the auth type "basic"/],
  [{ tokenKey: "T", apiKeyHeader: "X" }, /--token-key, --api-key-header: flags of different/],
  [{ header: ["X-Key"] }, /no colon/],
  [{ header: [": v"] }, /no colon/],
  [{ header: ["X: 1", "X: 2"] }, /"X" twice/],
];

for (const [flags, message] of FAULTS) {
  Deno.test(`serviceFromFlags() refuses ${JSON.stringify(flags)}`, () => {
    assert.throws(
      () => serviceFromFlags({ ...BASE, ...flags }),
      (error) =>
        error instanceof BrokerError && error.code === "usage" && !!error.hint &&
        message.test(error.message),
    );
  });
}
