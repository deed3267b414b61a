import assert from "node:assert/strict";
import { parseProposal } from "../../src/model/proposal_schema.ts";
import { type ReviewedVault, reviewProposal } from "../../src/model/proposal_review.ts";
import type { Service } from "../../src/model/service.ts";

function on(name: string, host: string, change: Partial<Service> = {}): Service {
  const auth: Service["auth"] = { type: "bearer", token: "OLD_KEY" };
  return { name, host, enabled: true, auth, substitutions: [], ...change };
}

const VAULT: ReviewedVault = {
  services: [on("github", "api.github.com"), on("off", "off.test", { enabled: false })],
  keys: ["OLD_KEY", "OTHER_KEY"],
  plaintextCredentials: "local",
};

function review(input: unknown, vault: Partial<ReviewedVault> = {}) {
  const whole = { ...VAULT, ...vault };
  const { content } = parseProposal(input, { existing: whole.services, keys: whole.keys });
  return reviewProposal(content, whole);
}

const set = (service: Record<string, unknown>) => ({
  services: [{
    action: "set",
    name: "new-one",
    host: "new.test",
    auth: { type: "bearer", token: "OLD_KEY" },
    ...service,
  }],
});

const kinds = (input: unknown, vault: Partial<ReviewedVault> = {}): string[] =>
  review(input, vault).warnings.map((warning) => warning.kind);

Deno.test("the warning that an existing credential goes to a new host comes first and is a danger", () => {
  const { warnings } = review(set({ host: "*.new.test:80" }));
  assert.deepEqual(warnings.map(({ kind, isDanger }) => [kind, isDanger]), [
    ["new_destination", true],
    ["wildcard", false],
    ["plaintext", false],
  ]);
  assert.equal(
    warnings[0]!.message,
    "The existing credential OLD_KEY would be sent to *.new.test:80, where it was not sent before",
  );
});

const WARNINGS: readonly (readonly [name: string, input: unknown, expect: readonly string[]])[] = [
  ["a new credential of a person has none", {
    ...set({ auth: { type: "bearer", token: "NEW_KEY" } }),
    credentials: [{ key: "NEW_KEY" }],
  }, []],
  ["the same service again has none", {
    services: [{
      action: "set",
      name: "github",
      host: "api.github.com",
      auth: { type: "bearer", token: "OLD_KEY" },
    }],
  }, []],
  ["an agent's value for an existing key replaces it, and the old one goes nowhere", {
    ...set({}),
    credentials: [{ key: "OLD_KEY", value: "theirs" }],
  }, ["replaced_value"]],
  ["a person's value for an existing key may be the old one", {
    ...set({}),
    credentials: [{ key: "OLD_KEY" }],
  }, ["new_destination", "replaced_value"]],
  ["a service that is switched on", set({ name: "off", host: "off.test" }), [
    "new_destination",
    "switched_on",
  ]],
  ["an address of this machine", set({ host: "127.0.0.1", auth: { type: "passthrough" } }), [
    "local_network",
  ]],
  ["a name of the local network", set({ host: "nas.local/x*", auth: { type: "passthrough" } }), [
    "local_network",
  ]],
  ["a public host without a credential", set({ auth: { type: "passthrough" } }), []],
  ["a deletion of a service that nothing stands behind", {
    services: [{ action: "delete", name: "github" }],
  }, []],
];

for (const [name, input, expect] of WARNINGS) {
  Deno.test(`warnings: ${name}`, () => assert.deepEqual(kinds(input), expect));
}

Deno.test("a credential that the agent may place in what it sends can be read back, in a body above all", () => {
  const placed = (surfaces: readonly string[]) =>
    review(set({
      name: "github",
      host: "api.github.com",
      substitutions: [{ key: "OLD_KEY", placeholder: "__old__", in: surfaces }],
    })).warnings.map(({ kind, isDanger }) => [kind, isDanger]);
  assert.deepEqual(placed(["path", "query"]), [["readable", false]]);
  assert.deepEqual(placed(["query", "body"]), [["readable", true]]);
  assert.deepEqual(placed(["websocket"]), [["readable", true]]);
  const services = [
    on("github", "api.github.com", {
      substitutions: [{ key: "OLD_KEY", placeholder: "__other__", in: ["body"] }],
    }),
  ];
  const again = set({
    name: "github",
    host: "api.github.com",
    substitutions: [{ key: "OLD_KEY", placeholder: "__old__", in: ["body"] }],
  });
  assert.deepEqual(kinds(again, { services }), []);
  const own = { ...again, credentials: [{ key: "OLD_KEY", value: "theirs" }] };
  assert.deepEqual(kinds(own), ["replaced_value"]);
});

Deno.test("plain HTTP is no news where the vault allows it everywhere or the port was named before", () => {
  const named = { name: "github", host: "api.github.com:8080" };
  assert.ok(kinds(set(named)).includes("plaintext"));
  assert.ok(!kinds(set(named), { plaintextCredentials: "always" }).includes("plaintext"));
  const services = [on("github", "api.github.com:8080")];
  assert.deepEqual(kinds(set({ ...named, host: "api.github.com:8080/v1/*" }), { services }), []);
});

Deno.test("old stands against new for each service, and what stays is told from what changes", () => {
  const { services } = review({
    services: [
      {
        action: "set",
        name: "github",
        host: "api.github.com",
        auth: { type: "basic", username: "OLD_KEY" },
        substitutions: [{ key: "OTHER_KEY", placeholder: "__other__", in: ["path", "body"] }],
      },
      { action: "delete", name: "off" },
    ],
  });
  assert.deepEqual(services.map(({ action, name }) => [action, name]), [
    ["replace", "github"],
    ["delete", "off"],
  ]);
  assert.deepEqual(services[0]!.fields, [
    { field: "host", before: "api.github.com", after: "api.github.com", changed: false },
    {
      field: "auth",
      before: "Authorization: Bearer OLD_KEY",
      after: "Authorization: Basic OLD_KEY:(empty)",
      changed: true,
    },
    {
      field: "substitutions",
      before: "none",
      after: "__other__ -> OTHER_KEY in path, body",
      changed: true,
    },
    { field: "enabled", before: "yes", after: "yes", changed: false },
  ]);
});

Deno.test("every key that is bound or stored is listed with its source and all of its hosts", () => {
  const { credentials } = review({
    services: [{
      action: "set",
      name: "new-one",
      host: "new.test",
      auth: { type: "basic", username: "OLD_KEY", password: "ASKED" },
      substitutions: [{ key: "GIVEN", placeholder: "__given__" }],
    }],
    credentials: [{ key: "ASKED" }, { key: "GIVEN", value: "v" }, { key: "OTHER_KEY", value: "w" }],
  });
  assert.deepEqual(
    credentials.map(({ key, source, replaces, hosts }) => [key, source, replaces, hosts]),
    [
      ["OLD_KEY", "existing", false, ["api.github.com", "off.test", "new.test"]],
      ["ASKED", "person", false, ["new.test"]],
      ["GIVEN", "agent", false, ["new.test"]],
      ["OTHER_KEY", "agent", true, []],
    ],
  );
});

Deno.test("a vault that changed under the proposal is a conflict that says how", () => {
  const { content } = parseProposal(
    { services: [...set({}).services, { action: "delete", name: "off" }] },
    { existing: VAULT.services, keys: VAULT.keys },
  );
  const { conflicts } = reviewProposal(content, {
    ...VAULT,
    services: [on("github", "api.github.com")],
    keys: [],
  });
  assert.deepEqual(conflicts, [
    'The service "off" that would be deleted is not there any more',
    "The credential OLD_KEY is not in the vault any more",
  ]);
});
