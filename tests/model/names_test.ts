import assert from "node:assert/strict";
import fc from "fast-check";
import { isServiceName, serviceNameIssue, slugFromHost } from "../../src/model/service_name.ts";
import { isVaultName, parseVaultName, vaultNameIssue } from "../../src/model/vault_name.ts";

const BAD_NAMES: [why: string, name: string, says: RegExp][] = [
  ["empty", "", /is empty/],
  ["two characters", "ab", /too short/],
  ["65 characters", "a".repeat(65), /too long: 65/],
  ["upper case", "GitHub", /upper-case.*such as "github"/],
  ["an underscore", "git_hub", /"_" at column 4.*such as "git-hub"/],
  ["a blank", "git hub", /" " at column 4/],
  ["a leading hyphen", "-github", /begins or ends/],
  ["a trailing hyphen", "github-", /begins or ends/],
  ["consecutive hyphens", "git--hub", /two hyphens.*such as "git-hub"/],
  ["a letter outside ASCII", "gïthub", /"ï" at column 2/],
  ["a line break at the end", "github\n", /"\\n" at column 7/],
];

for (const [why, name, says] of BAD_NAMES) {
  Deno.test(`a service name is refused together with one that would do: ${why}`, () => {
    assert.equal(isServiceName(name), false);
    assert.match(serviceNameIssue(name) ?? "", says);
    const suggested = /such as "([^"]+)"/.exec(serviceNameIssue(name) ?? "")?.[1] ?? "";
    assert.equal(isServiceName(suggested), true, suggested);
  });
}

Deno.test("service names of 3 to 64 lower-case letters, digits and inner hyphens are accepted", () => {
  for (const name of ["abc", "123", "a-b", "a1-2b-c3", "a".repeat(64)]) {
    assert.equal(serviceNameIssue(name), undefined, name);
  }
});

Deno.test("slugFromHost() makes a readable name of host and path", () => {
  const cases: [host: string, slug: string][] = [
    ["api.github.com", "api-github-com"],
    ["*.Example.com", "example-com"],
    ["api.github.com:8443/repos/*/issues", "api-github-com-8443-repos-issues"],
    ["[::1]:80", "1-80"],
    ["x", "x-service"],
    ["***", "service"],
  ];
  for (const [host, slug] of cases) assert.equal(slugFromHost(host, new Set()), slug);
});

Deno.test("slugFromHost() numbers a slug that is taken and stays within 64 characters", () => {
  assert.equal(slugFromHost("a.com", new Set(["a-com"])), "a-com-2");
  assert.equal(slugFromHost("a.com", new Set(["a-com", "a-com-2"])), "a-com-3");
  const long = `${"a".repeat(63)}.com`;
  const first = slugFromHost(long, new Set());
  assert.equal(first, "a".repeat(63));
  assert.equal(slugFromHost(long, new Set([first])), `${"a".repeat(62)}-2`);
});

Deno.test("slugFromHost() always gives a free, valid name and the same one for the same input", () => {
  fc.assert(fc.property(fc.array(fc.string({ unit: "binary", maxLength: 90 })), (hosts) => {
    const name = () => {
      const taken = new Set<string>();
      for (const host of hosts) {
        const slug = slugFromHost(host, taken);
        assert.equal(isServiceName(slug), true, slug);
        assert.equal(taken.has(slug), false);
        taken.add(slug);
      }
      return [...taken];
    };
    assert.deepEqual(name(), name());
  }));
});

Deno.test("a vault's name is 1 to 64 lower-case letters, digits and inner hyphens", () => {
  for (const bad of ["", "A", "a b", "a:b", "a/b", "a@b", "-a", "a--b", "a".repeat(65), "ä"]) {
    assert.equal(isVaultName(bad), false, bad);
    assert.match(vaultNameIssue(bad) ?? "", /such as "[a-z0-9-]+"/);
    assert.throws(() => parseVaultName(bad), { code: "validation_failed" });
  }
  assert.throws(() => parseVaultName(undefined), { code: "validation_failed" });
  for (const good of ["a", "default", "team-1", "a".repeat(64)]) {
    assert.equal(parseVaultName(good), good);
  }
});
