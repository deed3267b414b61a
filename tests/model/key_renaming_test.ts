import assert from "node:assert/strict";
import { renameKeys } from "../../src/model/key_renaming.ts";
import type { Auth } from "../../src/model/service.ts";

const KEYS = new Map([["A", "B"], ["B", "C"]]);

const AUTHS: readonly (readonly [before: Auth, after: Auth])[] = [
  [{ type: "bearer", token: "A" }, { type: "bearer", token: "B" }],
  [{ type: "basic", username: "A" }, { type: "basic", username: "B" }],
  [
    { type: "basic", username: "X", password: "B" },
    { type: "basic", username: "X", password: "C" },
  ],
  [
    { type: "api-key", key: "A", header: "X-A", prefix: "A " },
    { type: "api-key", key: "B", header: "X-A", prefix: "A " },
  ],
  [
    { type: "custom", headers: { "X-A": "A {{A}}:{{ B }}", "X-B": "{{ X }}" } },
    { type: "custom", headers: { "X-A": "A {{ B }}:{{ C }}", "X-B": "{{ X }}" } },
  ],
  [{ type: "passthrough" }, { type: "passthrough" }],
];

Deno.test("renameKeys() replaces each key once, in every auth type and in substitutions", () => {
  for (const [before, after] of AUTHS) {
    const service = { name: "one", host: "a.test", enabled: false, auth: before };
    const substitutions = [{ key: "A", placeholder: "__a__", in: ["body" as const] }];
    assert.deepEqual(renameKeys({ ...service, substitutions }, KEYS), {
      ...service,
      auth: after,
      substitutions: [{ key: "B", placeholder: "__a__", in: ["body"] }],
    });
  }
});
