import assert from "node:assert/strict";
import { CATALOG, entryKeys, fillEntry } from "../../src/catalog/catalog.ts";
import { findSdkVariables } from "../../src/catalog/sdk_variables.ts";
import { isCredentialKey } from "../../src/model/credential_key.ts";
import type { Auth, Service } from "../../src/model/service.ts";

function service(host: string, auth: Auth): Service {
  return { name: "one", host, enabled: true, auth, substitutions: [] };
}

function pairs(services: readonly Service[]): string[] {
  return findSdkVariables(services).map(({ name, key, prefix }) => `${name}=${prefix}${key}`);
}

Deno.test("a host that only looks like one of the catalog gets no variables", () => {
  for (const host of ["api.stripe.com.evil.test", "xapi.stripe.com", "a.b.test", "*.stripe.com"]) {
    assert.deepEqual(pairs([service(host, { type: "bearer", token: "KEY" })]), [], host);
  }
  const headers = { "X-One": "{{ ONE }}", "X-Two": "{{ TWO }}" };
  assert.deepEqual(pairs([service("api.example.com", { type: "custom", headers })]), []);
});

Deno.test("every entry names variables for its keys, as programs can read them", () => {
  for (const entry of CATALOG) {
    assert.ok(entry.environment.length > 0, entry.id);
    for (const { key, names } of entry.environment) {
      assert.ok(entryKeys(entry).includes(key), `${entry.id}: ${key}`);
      assert.ok(names.length > 0 && names.every(isCredentialKey), `${entry.id}: ${names}`);
    }
  }
});

Deno.test("the services of every entry get the variables of that entry", () => {
  for (const entry of CATALOG) {
    const examples = new Map((entry.parameters ?? []).map(({ name, example }) => [name, example]));
    const found = findSdkVariables(fillEntry(entry, examples));
    const expected = entry.environment.flatMap(({ key, names, prefix = "" }) =>
      names.map((name) => ({ name, key, prefix }))
    );
    assert.deepEqual(found, expected, entry.id);
  }
});

Deno.test("the vault's own keys stand in the entry's places, under any path and port", () => {
  assert.deepEqual(pairs([service("API.stripe.com:443/v1/*", { type: "bearer", token: "WORK" })]), [
    "STRIPE_SECRET_KEY=sk_test_WORK",
    "STRIPE_API_KEY=sk_test_WORK",
  ]);
  const basic: Auth = { type: "basic", username: "ME", password: "TOKEN" };
  assert.deepEqual(pairs([service("acme.atlassian.net", basic)]), [
    "ATLASSIAN_EMAIL=ME",
    "JIRA_USERNAME=ME",
    "CONFLUENCE_USERNAME=ME",
    "ATLASSIAN_API_TOKEN=TOKEN",
    "JIRA_API_TOKEN=TOKEN",
    "CONFLUENCE_API_TOKEN=TOKEN",
  ]);
});

Deno.test("another way to authenticate counts when there is one credential on either side", () => {
  assert.deepEqual(pairs([service("api.anthropic.com", { type: "bearer", token: "MINE" })]), [
    "ANTHROPIC_API_KEY=sk-ant-MINE",
  ]);
  assert.deepEqual(
    pairs([service("api.anthropic.com", { type: "basic", username: "A", password: "B" })]),
    [],
  );
});

Deno.test("a name that two services claim is the first one's", () => {
  const found = findSdkVariables([
    service("api.github.com", { type: "bearer", token: "FIRST" }),
    service("github.com", { type: "basic", username: "USER", password: "SECOND" }),
  ]);
  assert.deepEqual(found.map(({ key }) => key), ["FIRST", "FIRST", "FIRST"]);
});
