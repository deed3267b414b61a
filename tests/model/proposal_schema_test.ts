import assert from "node:assert/strict";
import { BrokerError } from "../../src/errors.ts";
import { parseProposal } from "../../src/model/proposal_schema.ts";
import type { Service } from "../../src/model/service.ts";

const CANARY = "canary-model-71fa";

function on(name: string, host: string): Service {
  return {
    name,
    host,
    enabled: true,
    auth: { type: "bearer", token: "OLD_KEY" },
    substitutions: [],
  };
}

const VAULT = {
  existing: [
    on("github", "api.github.com"),
    on("shop-a", "shop.test/a/*"),
    on("shop-b", "shop.test:8443/b/*"),
  ],
  keys: ["OLD_KEY"],
};

const BEARER = { type: "bearer", token: "OLD_KEY" };
const SET = { action: "set", name: "new-one", host: "new.test", auth: BEARER };

function faults(input: unknown): Record<string, string> {
  try {
    parseProposal(input, VAULT);
  } catch (error) {
    assert.ok(error instanceof BrokerError, String(error));
    assert.equal(error.code, "validation_failed", error.message);
    assert.ok(!JSON.stringify({ ...error, text: error.message }).includes(CANARY));
    return Object.fromEntries(error.issues.map((issue) => [issue.path.join("."), issue.message]));
  }
  return assert.fail("The proposal was accepted");
}

const REFUSED: readonly (readonly [name: string, input: unknown, places: readonly string[]])[] = [
  ["no object", [], [""]],
  ["nothing asked for", { message: "hello" }, [""]],
  ["lists that are none", { services: {}, credentials: 1 }, ["credentials", "services"]],
  ["an unknown field", { services: [SET], reason: "x" }, ["reason"]],
  ["a service without an action", { services: [{ ...SET, action: undefined }] }, [
    "services.0.action",
  ]],
  ["an unknown action", { services: [{ ...SET, action: "put" }] }, ["services.0.action"]],
  ["an entry that is no map", { services: ["x"] }, ["services.0"]],
  ["eleven services", {
    services: Array.from({ length: 11 }, (_, at) => ({ ...SET, name: `new-${at}` })),
  }, ["services"]],
  ["eleven slots", {
    credentials: Array.from({ length: 11 }, (_, at) => ({ key: `KEY_${at}` })),
  }, ["credentials"]],
  ["a new service without a name", { services: [{ ...SET, name: undefined }] }, [
    "services.0.name",
  ]],
  ["a field of another auth type", {
    services: [{ ...SET, auth: { ...BEARER, header: "X" } }],
  }, ["services.0.auth.header"]],
  ["a key that is neither stored nor a slot, at its own place", {
    services: [
      SET,
      { ...SET, name: "two-two", auth: { type: "basic", username: "OLD_KEY", password: "NOPE" } },
      { ...SET, name: "three", auth: { type: "custom", headers: { "X-A": "v {{ NOPE }}" } } },
      {
        ...SET,
        name: "four-four",
        substitutions: [{ key: "NOPE", placeholder: "__n__" }],
      },
    ],
  }, ["services.1.auth.password", "services.2.auth.headers.X-A", "services.3.substitutions.0.key"]],
  ["a service that is changed twice", { services: [SET, SET] }, ["services.1.name"]],
  ["a service that is set and deleted", {
    services: [{ action: "delete", name: "github" }, { ...SET, name: "github" }],
  }, ["services.1.name"]],
  ["a slot twice", { credentials: [{ key: "A_KEY" }, { key: "A_KEY" }] }, ["credentials.1.key"]],
  ["a slot that deletes", { credentials: [{ key: "A_KEY", action: "delete" }] }, [
    "credentials.0.action",
  ]],
  ["a value that no header can carry", {
    credentials: [{ key: "A_KEY", value: `${CANARY}\r\nX: y` }],
  }, ["credentials.0.value"]],
  ["a value that is no text", { credentials: [{ key: "A_KEY", value: [CANARY] }] }, [
    "credentials.0.value",
  ]],
  ["a link that is no page", {
    credentials: [
      { key: "A_KEY", obtain: "javascript:alert(1)" },
      { key: "B_KEY", obtain: "https://github.com@evil.test/" },
      { key: "C_KEY", obtain: "the settings page" },
    ],
  }, ["credentials.0.obtain", "credentials.1.obtain", "credentials.2.obtain"]],
  ["texts that are too long", {
    services: [SET],
    message: "x".repeat(2_001),
    user_message: "x".repeat(5_001),
    credentials: [{
      key: "A_KEY",
      description: "x".repeat(501),
      obtain_instructions: "x".repeat(1_001),
    }],
  }, [
    "message",
    "user_message",
    "credentials.0.description",
    "credentials.0.obtain_instructions",
  ]],
  ["a deletion of what is not there", {
    services: [{ action: "delete", name: "gitub" }, { action: "delete", host: "none.test" }],
  }, ["services.0.name", "services.1.host"]],
  ["a deletion that names nothing", { services: [{ action: "delete" }] }, ["services.0"]],
  ["a deletion with another service's host", {
    services: [{ action: "delete", name: "github", host: "shop.test" }],
  }, ["services.0.host"]],
  ["a deletion with an auth", { services: [{ action: "delete", name: "github", auth: {} }] }, [
    "services.0.auth",
  ]],
  ["an ambiguous host beside another fault", {
    services: [{ action: "delete", host: "shop.test" }, { action: "set" }],
  }, ["services.0.host", "services.1.host", "services.1.auth"]],
];

for (const [name, input, places] of REFUSED) {
  Deno.test(`parseProposal() refuses ${name}`, () => {
    const found = Object.keys(faults(input));
    for (const place of places) assert.ok(found.includes(place), `${place}: ${found}`);
    assert.deepEqual(
      found.filter((place) => !places.includes(place) && !place.endsWith("name")),
      [],
    );
  });
}

Deno.test("a mistyped service to delete is answered with the one that was meant", () => {
  const message = faults({ services: [{ action: "delete", name: "gitub" }] })["services.0.name"];
  assert.match(message!, /write "github"/);
});

Deno.test("a bare host to delete that several services share is ambiguous, with all candidates", () => {
  assert.throws(
    () => parseProposal({ services: [{ action: "delete", host: "SHOP.test/x" }] }, VAULT),
    (error) => {
      assert.ok(error instanceof BrokerError);
      assert.equal(error.code, "ambiguous_host");
      assert.match(error.message, /^multiple services match host/);
      assert.deepEqual(error.details["candidates"], [
        { name: "shop-a", host: "shop.test/a/*" },
        { name: "shop-b", host: "shop.test:8443/b/*" },
      ]);
      return true;
    },
  );
});

Deno.test("a proposal is read: names are taken over, hosts to delete found, defaults filled in", () => {
  const { content, values } = parseProposal({
    services: [
      { action: "set", host: "API.github.com", auth: { type: "bearer", token: "NEW_KEY" } },
      { action: "delete", host: "shop.test:8443/b/*", name: "shop-b" },
    ],
    credentials: [
      { key: "NEW_KEY", obtain: "https://github.com/settings/tokens", action: "set" },
      { key: "OLD_KEY", value: CANARY },
    ],
    message: "why",
  }, VAULT);
  assert.deepEqual(content.services, [
    {
      action: "set",
      service: {
        name: "github",
        host: "API.github.com",
        auth: { type: "bearer", token: "NEW_KEY" },
        substitutions: [],
        enabled: true,
      },
    },
    { action: "delete", name: "shop-b", host: "shop.test:8443/b/*" },
  ]);
  assert.deepEqual(content.credentials.map(({ key, supplied }) => [key, supplied]), [
    ["NEW_KEY", false],
    ["OLD_KEY", true],
  ]);
  assert.equal(content.message, "why");
  assert.equal(content.userMessage, "");
  assert.equal(values.get("OLD_KEY")!.reveal(), CANARY);
  assert.ok(!JSON.stringify(content).includes(CANARY));
});

Deno.test("a host to delete that only one service has is enough", () => {
  const { content } = parseProposal(
    { services: [{ action: "delete", host: "Api.GitHub.com" }] },
    VAULT,
  );
  assert.deepEqual(content.services, [{
    action: "delete",
    name: "github",
    host: "api.github.com",
  }]);
});
