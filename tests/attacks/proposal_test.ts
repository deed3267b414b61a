import assert from "node:assert/strict";
import { parseProposal } from "../../src/model/proposal_schema.ts";
import { Secret } from "../../src/model/secret.ts";
import { Store } from "../../src/store/store.ts";
import { service, temporaryHome } from "../store/temporary_home.ts";
import { SECRET } from "./gallery.ts";

/** A vault whose API_KEY goes to one port and path of its owner's hosts, and to no tenant's. */
async function openVault(path: string): Promise<Store> {
  const store = await Store.create(path);
  store.credentials.set("default", [
    { key: "API_KEY", value: new Secret(SECRET) },
    { key: "TENANT_KEY", value: new Secret("another") },
  ]);
  store.services.upsert("default", [
    service("api", { host: "api.test:443/v1/*" }),
    service("all", { host: "*.owner.test" }),
    service("tenant", {
      host: "tenant.owner.test",
      auth: { type: "bearer", token: "TENANT_KEY" },
    }),
    service("off", { host: "off.test", enabled: false }),
  ]);
  return store;
}

const BEARER = { type: "bearer", token: "API_KEY" };
const set = (entry: Record<string, unknown>) => ({ action: "set", auth: BEARER, ...entry });

/** Proposals that would send API_KEY where its owner did not send it, each by another door. */
const ATTEMPTS: readonly (readonly [what: string, services: readonly unknown[]])[] = [
  ["a new service on a host of its own", [set({ name: "evil", host: "evil.test" })]],
  ["an existing service moved to another host", [set({ name: "api", host: "evil.test" })]],
  ["another port of the same host", [set({ name: "evil", host: "api.test:4443/v1/*" })]],
  ["the same host without the port", [set({ name: "api", host: "api.test/v1/*" })]],
  ["another path of the same host", [set({ name: "evil", host: "api.test:443/upload/*" })]],
  ["a path that is wider by one sign", [set({ name: "api", host: "api.test:443/v1*" })]],
  ["a host two labels below the wildcard", [set({ name: "evil", host: "a.b.owner.test" })]],
  ["the wildcard one level up", [set({ name: "evil", host: "*.test" })]],
  ["the tenant's own service, with the owner's credential", [
    set({ name: "tenant", host: "tenant.owner.test" }),
  ]],
  ["the tenant's service deleted from in front of the wildcard", [
    { action: "delete", name: "tenant" },
  ]],
  ["the tenant's service moved away from in front of the wildcard", [
    set({ name: "tenant", host: "x.test", auth: { type: "bearer", token: "TENANT_KEY" } }),
  ]],
  ["a service that was switched off", [set({ name: "off", host: "off.test" })]],
  ["a service that is stored switched off, for later", [
    set({ name: "evil", host: "evil.test", enabled: false }),
  ]],
  ["a user name", [
    set({ name: "evil", host: "evil.test", auth: { type: "basic", username: "API_KEY" } }),
  ]],
  ["a header's template", [
    set({
      name: "evil",
      host: "evil.test",
      auth: { type: "custom", headers: { "X-Trace": "id-{{ API_KEY }}" } },
    }),
  ]],
  ["a substitution of a service without auth", [
    set({
      name: "evil",
      host: "evil.test",
      auth: { type: "passthrough" },
      substitutions: [{ key: "API_KEY", placeholder: "__id__" }],
    }),
  ]],
  ["a body on the owner's own host, to be read back", [
    set({
      name: "api",
      host: "api.test:443/v1/*",
      substitutions: [{ key: "API_KEY", placeholder: "__id__", in: ["body"] }],
    }),
  ]],
  ["a harmless service in front of the bad one", [
    set({ name: "good", host: "good.test", auth: { type: "passthrough" } }),
    set({ name: "evil", host: "evil.test" }),
  ]],
];

for (const [what, services] of ATTEMPTS) {
  Deno.test(`attack: an existing credential leaves without a warning by ${what}`, async () => {
    using home = temporaryHome();
    using store = await openVault(home.path);
    const draft = parseProposal({ services }, {
      existing: store.services.list("default"),
      keys: store.credentials.keys("default"),
    });
    store.proposals.create("default", draft, { type: "session", name: "s1" });
    const { review } = store.proposals.review("default", 1);
    const dangers = review.warnings.filter((one) => one.isDanger && one.key === "API_KEY");
    assert.notDeepEqual(dangers, [], JSON.stringify(review.warnings));
  });
}

Deno.test("attack: the agent's own value takes a credential's place without a warning", async () => {
  using home = temporaryHome();
  using store = await openVault(home.path);
  const draft = parseProposal({ credentials: [{ key: "API_KEY", value: "theirs" }] }, {
    existing: store.services.list("default"),
    keys: store.credentials.keys("default"),
  });
  store.proposals.create("default", draft, { type: "session", name: "s1" });
  const { review } = store.proposals.review("default", 1);
  const [danger] = review.warnings.filter((one) => one.isDanger);
  assert.match(danger!.message, /agent's own value .* API_KEY, which goes to api\.test:443/);
});
