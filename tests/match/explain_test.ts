import assert from "node:assert/strict";
import { compileServices } from "../../src/match/select.ts";
import { serviceOf, targetOf } from "./service_of.ts";

Deno.test("explain() ranks every service and says which rule each one loses by", () => {
  const services = [
    "b.com",
    "*.com:8443/v1/*",
    "a.com/v1/*",
    "a.com:8443/*",
    "a.com:8443/v1/*",
    "A.com:8443/v1/*",
    "a.com:80",
    "a.com/v2/*",
    "*.a.com",
  ].map((host) => serviceOf(host));
  const { winner, candidates } = compileServices(services).explain(targetOf("a.com:8443/v1/x"));
  assert.equal(winner?.name, "a.com:8443/v1/*");
  const rows = candidates.map(({ service, outcome }) => [
    service.name,
    outcome.kind,
    outcome.kind === "wins" ? "" : outcome.by,
    outcome.reason,
  ]);
  assert.deepEqual(rows, [
    [
      "a.com:8443/v1/*",
      "wins",
      "",
      'It goes before "A.com:8443/v1/*" by declaration order',
    ],
    [
      "A.com:8443/v1/*",
      "loses",
      "declaration order",
      'It ties with "a.com:8443/v1/*", which is declared earlier',
    ],
    [
      "a.com:8443/*",
      "loses",
      "path prefix",
      'The literal path prefix "/" (1) is shorter than "/v1/" (4)',
    ],
    ["a.com/v1/*", "loses", "port", "A rule for port 8443 beats a rule for any port"],
    ["*.com:8443/v1/*", "loses", "host tier", "An exact host beats a wildcard"],
    ["b.com", "does not match", "host", 'The host "a.com" is not "b.com"'],
    ["a.com:80", "does not match", "port", "It takes port 80 only, not 8443"],
    ["a.com/v2/*", "does not match", "path", 'The path "/v1/x" does not match "/v2/*"'],
    [
      "*.a.com",
      "does not match",
      "host",
      'In "*.a.com" the "*" stands for exactly one label before the domain',
    ],
  ]);
});

Deno.test("explain() has no winner where nothing matches, and a plain one where only one does", () => {
  const matcher = compileServices([serviceOf("a.com")]);
  assert.equal(matcher.explain(targetOf("b.com")).winner, undefined);
  const [only] = matcher.explain(targetOf("a.com")).candidates;
  assert.equal(only?.outcome.reason, "It is the only service that matches");
});

Deno.test("explain() counts a bare host as 0 characters", () => {
  const matcher = compileServices([serviceOf("a.com"), serviceOf("a.com/*")]);
  const outcome = matcher.explain(targetOf("a.com/x")).candidates[1]?.outcome;
  assert.equal(
    outcome?.reason,
    'The literal path prefix of a bare host (0 characters) is shorter than "/" (1)',
  );
});
