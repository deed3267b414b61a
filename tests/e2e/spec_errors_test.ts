/**
 * The table of the spec's Errors section, a row a test, with the real program and curl; and the one
 * sentence of Matching rules that only whole requests can show.
 */

import assert from "node:assert/strict";
import type { Upstream } from "../support/upstream.ts";
import { BrokeredHome, SECRET } from "./brokered_home.ts";

const ignore = Deno.build.os === "windows";

/** Runs curl in the vault and gives the status, the body and the broker's error code. */
async function curl(
  scene: BrokeredHome,
  ...args: readonly string[]
): Promise<{ status: number; text: string; error: string }> {
  const format = "\n%{http_code} %header{x-broker-error}";
  const command = ["curl", "-sS", "--path-as-is", "-w", format, ...args];
  const { status, stdout, stderr } = await scene.run(command);
  assert.equal(status, 0, stderr);
  const end = stdout.lastIndexOf("\n");
  const [code = "", error = ""] = stdout.slice(end + 1).split(" ");
  return { status: Number(code), text: stdout.slice(0, end), error };
}

function test(sentence: string, fn: (scene: BrokeredHome) => Promise<void>): void {
  Deno.test({
    name: sentence,
    ignore,
    fn: async () => {
      await using scene = new BrokeredHome();
      await scene.prepare();
      await fn(scene);
    },
  });
}

function authorizations(requests: Upstream["requests"]): string[] {
  return requests.flatMap((request) => request.values("authorization"));
}

test(
  "Matching rules: It does not match on method, headers, query or body, and it runs no regex.",
  async (scene) => {
    const variants: readonly (readonly string[])[] = [
      [],
      ["-X", "DELETE"],
      ["-X", "PROPFIND"],
      ["-H", "Host: other.test"],
      ["-H", "X-Service: other"],
      ["-d", '{"host": "other.test"}'],
    ];
    for (const variant of variants) await curl(scene, ...variant, `${scene.url}/v1/x`);
    await curl(scene, `${scene.url}/v1/x?host=other.test&a=*`);
    const { requests } = scene.upstream;
    assert.equal(requests.length, variants.length + 1);
    assert.deepEqual(authorizations(requests), requests.map(() => `Bearer ${SECRET}`));
    // A dot is a dot.
    await scene.home.done(["vault", "service", "add", "--name", "api", "--host", "apiXtest"]
      .concat(["--token-key", "API_KEY"]));
    await scene.run(["curl", "-sSk", `${scene.url}/v1/y`]);
    assert.deepEqual(requests.at(-1)?.values("authorization") ?? [], []);
  },
);

test(
  "Errors: No service matches the host and the vault is not in deny mode: The request is forwarded as plain proxy traffic.",
  async (scene) => {
    await scene.home.done(["vault", "service", "set", "-f", "-"], {
      stdin: "services: [{ name: other, host: other.test, auth: { type: passthrough } }]",
    });
    const { status, error } = await curl(
      scene,
      "-k",
      "-H",
      "Authorization: mine",
      `${scene.url}/x`,
    );
    assert.deepEqual([status, error], [200, ""]);
    assert.deepEqual(authorizations(scene.upstream.requests), ["mine"]);
  },
);

for (
  const sentence of [
    "Errors: No service matches and `unmatched_host_policy=deny`: 403.",
    "Errors: Unknown host: 403 with a `proposal_hint` in the body. The hint carries the denied host and the endpoint to create a proposal.",
  ]
) {
  test(sentence, async (scene) => {
    await scene.home.done(["vault", "settings", "set", "unmatched_host_policy", "deny"]);
    const { status, text, error } = await curl(scene, "https://unknown.test/x");
    assert.deepEqual([status, error], [403, "forbidden"]);
    const { proposal_hint } = JSON.parse(text);
    assert.equal(proposal_hint.host, "unknown.test");
    assert.equal(proposal_hint.endpoint, "POST /v1/proposals");
  });
}

test(
  "Errors: All services cleared: 403 on every proxy request until services are configured.",
  async (scene) => {
    await scene.home.done(["vault", "service", "clear", "--yes"]);
    for (const url of [`${scene.url}/x`, "https://unknown.test/", "http://unknown.test/"]) {
      const { status, error } = await curl(scene, url);
      assert.deepEqual([status, error], [403, "no_services"], url);
    }
    assert.deepEqual(scene.upstream.requests, []);
    await scene.prepare();
    assert.equal((await curl(scene, `${scene.url}/x`)).status, 200);
  },
);

test(
  "Errors: Bare host given to remove, enable, disable or delete, when several path-scoped services share it: 409 `multiple services match host ...` with a `candidates` array of `{name, host}`. Retry with an explicit name.",
  async ({ home }) => {
    await home.done(["vault", "service", "set", "-f", "-"], {
      stdin: `services:
  - { name: one-a, host: "one.test/a/*", auth: { type: passthrough } }
  - { name: one-b, host: "one.test/b/*", auth: { type: passthrough } }
`,
    });
    for (const command of ["enable", "disable", "remove"]) {
      const args = ["vault", "service", command, "one.test"];
      const { status, stderr } = await home.broker([...args, "--json"]);
      assert.equal(status, 1);
      const { error, message, candidates } = JSON.parse(stderr);
      assert.equal(error, "ambiguous_host");
      assert.match(message, /^multiple services match host /);
      assert.deepEqual(candidates, [
        { name: "one-a", host: "one.test/a/*" },
        { name: "one-b", host: "one.test/b/*" },
      ]);
    }
    await home.done(["vault", "service", "remove", "--yes", "one-a"]);
    await home.done(["vault", "service", "disable", "one.test"]);
  },
);

test(
  "Errors: Credential referenced by a service or placeholder is missing: Error code `credential_not_found`.",
  async (scene) => {
    await scene.home.done(["vault", "service", "set", "-f", "-"], {
      stdin: `services:
  - { name: auth, host: "api.test/auth/*", auth: { type: bearer, token: NO_KEY } }
  - name: place
    host: "api.test/place/*"
    auth: { type: passthrough }
    substitutions: [{ key: NO_SID, placeholder: __no_sid__, in: [path] }]
`,
    });
    for (const [path, key] of [["auth/x", "NO_KEY"], ["place/__no_sid__", "NO_SID"]] as const) {
      const { status, text, error } = await curl(scene, `${scene.url}/${path}`);
      assert.deepEqual([status, error], [502, "credential_not_found"]);
      assert.deepEqual(JSON.parse(text).missing, [key]);
    }
    assert.deepEqual(scene.upstream.requests, []);
  },
);

test(
  "Errors: Invalid host pattern (`**`, `?`, regex, bare `*`, path not starting with `/`): Rejected.",
  async ({ home }) => {
    for (const host of ["a.com/**", "a.com/v?", "a.com/(a|b)", "a.com/v[12]", "*", "a.com:443v1"]) {
      const { status, stderr } = await home.broker(
        ["vault", "service", "add", "--name", "bad-one", "--host", host, "--token-key", "K"],
      );
      assert.equal(status, 1, host);
      assert.match(stderr, /host: The host pattern .*\(column \d+\)/, host);
    }
    const { services } = await home.json(["vault", "service", "list"]);
    assert.deepEqual(services.map(({ name }: { name: string }) => name), ["api"]);
  },
);

test("Errors: Invalid placeholder: Rejected by the validator.", async ({ home }) => {
  for (const placeholder of ["abc", "word", "__", "__a b__", "{{KEY}}", "____"]) {
    const { status, stderr } = await home.broker(["vault", "service", "set", "-f", "-"], {
      stdin: JSON.stringify({
        services: [{
          name: "bad-one",
          host: "a.test",
          auth: { type: "passthrough" },
          substitutions: [{ key: "K", placeholder }],
        }],
      }),
    });
    assert.equal(status, 1, placeholder);
    assert.match(stderr, /placeholder.*: write one such as "__/, placeholder);
  }
});
