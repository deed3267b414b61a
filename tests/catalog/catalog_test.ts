import assert from "node:assert/strict";
import { CATALOG, entryKeys, fillEntry, searchCatalog } from "../../src/catalog/catalog.ts";
import type { CatalogEntry } from "../../src/catalog/catalog_entry.ts";
import { BrokerError } from "../../src/errors.ts";
import { compileServices } from "../../src/match/select.ts";
import { parseServices } from "../../src/model/service_schema.ts";

function examples(entry: CatalogEntry): Map<string, string> {
  return new Map((entry.parameters ?? []).map(({ name, example }) => [name, example]));
}

Deno.test("a parameter cannot widen a host, add a path or name another site", () => {
  const jira = CATALOG.find(({ id }) => id === "jira")!;
  for (const value of ["", "*", "evil.example.com/", "a/b", "a:1", "-a", "a.", "a b", "{site}"]) {
    assert.throws(() => fillEntry(jira, new Map([["site", value]])), BrokerError, value);
  }
});

Deno.test("fillEntry() names every missing and every unknown parameter at once", () => {
  const jira = CATALOG.find(({ id }) => id === "jira")!;
  assert.throws(() => fillEntry(jira, new Map([["sight", "x"]])), (error) => {
    assert(error instanceof BrokerError);
    assert.deepEqual(error.issues.map(({ path }) => path[0]), ["site", "sight"]);
    return true;
  });
});

Deno.test("the catalog has at least forty entries, sorted, each with one id", () => {
  const ids = CATALOG.map(({ id }) => id);
  assert(ids.length >= 40);
  assert.deepEqual(ids, [...new Set(ids)].sort());
});

Deno.test("all services of the catalog together make one sound document", () => {
  const services = CATALOG.flatMap((entry) => fillEntry(entry, examples(entry)));
  assert.deepEqual(parseServices({ services }), services);
});

Deno.test("every entry says where to obtain its key, and its constants are keys that it uses", () => {
  for (const entry of CATALOG) {
    assert.equal(new URL(entry.obtain.url).protocol, "https:", entry.id);
    assert.match(entry.obtain.text, /^[A-Z].*\.$/, entry.id);
    for (const key of Object.keys(entry.constants ?? {})) {
      assert(entryKeys(entry).includes(key), `${entry.id}: ${key}`);
    }
  }
});

Deno.test("a search looks at id, title, host and key, and an id alone finds its entry", () => {
  assert.deepEqual(searchCatalog("GitHub").map(({ id }) => id), ["github"]);
  assert.deepEqual(searchCatalog("claude-nothing"), []);
  for (const text of ["hugging face", "router.huggingface", "hf_token"]) {
    assert.deepEqual(searchCatalog(text).map(({ id }) => id), ["hugging-face"], text);
  }
  assert.equal(searchCatalog("").length, CATALOG.length);
});

Deno.test("requests as products send them meet the service of their entry", () => {
  const services = CATALOG.flatMap((entry) => fillEntry(entry, examples(entry)));
  const matcher = compileServices(services);
  for (
    const [url, name] of [
      ["https://api.anthropic.com/v1/messages", "anthropic"],
      ["https://openrouter.ai/api/v1/chat/completions", "openrouter"],
      ["https://api.github.com/user", "github"],
      ["https://github.com/octocat/hello.git/info/refs", "github-git"],
      ["https://gitlab.com/api/v4/user", "gitlab"],
      ["https://example.atlassian.net/rest/api/3/myself", "jira"],
      ["https://api.datadoghq.com/api/v1/validate", "datadog"],
      ["https://slack.com/api/chat.postMessage", "slack"],
      ["https://api.telegram.org/bot__telegram_bot_token__/getMe", "telegram"],
      ["https://other.atlassian.net/rest/api/3/myself", undefined],
      ["https://openrouter.ai/models", undefined],
    ] as const
  ) {
    const { hostname, pathname } = new URL(url);
    assert.equal(matcher.select({ hostname, port: 443, path: pathname })?.name, name, url);
  }
});
