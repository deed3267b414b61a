import assert from "node:assert/strict";
import fc from "fast-check";
import type { MatchTarget } from "../../src/match/rule.ts";
import { compileServices } from "../../src/match/select.ts";
import { hostPatternIssue } from "../../src/model/host_pattern.ts";
import type { Service } from "../../src/model/service.ts";
import { serviceOf } from "./service_of.ts";

/**
 * The spec's rules word for word, without any of the program's own parsing: which services match, then
 * the four priorities one after another.
 */
function naiveSelect(services: readonly Service[], target: MatchTarget): Service | undefined {
  const rules = services.map((service, order) => {
    const slash = service.host.indexOf("/");
    const authority = (slash === -1 ? service.host : service.host.slice(0, slash)).toLowerCase();
    const [host, port] = authority.split(":");
    const path = slash === -1 ? undefined : service.host.slice(slash);
    const wildcard = host!.startsWith("*.");
    const label = "[^.]+";
    const hostname = new RegExp(`^${escape(host!).replace("\\*", label)}$`);
    const glob = path === undefined
      ? /^/
      : new RegExp(`^${escape(path).replaceAll("\\*", ".*")}$`, "s");
    const score = path === undefined ? 0 : path.split("*")[0]!.length;
    return { service, order, wildcard, port, hostname, glob, score };
  });
  const matching = rules.filter((rule) =>
    rule.hostname.test(target.hostname) &&
    (rule.port === undefined || Number(rule.port) === target.port) &&
    rule.glob.test(target.path)
  );
  matching.sort((a, b) =>
    Number(a.wildcard) - Number(b.wildcard) ||
    Number(a.port === undefined) - Number(b.port === undefined) ||
    b.score - a.score ||
    a.order - b.order
  );
  return matching[0]?.service;
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

const hostnames = fc.constantFrom("a.com", "x.a.com", "y.x.a.com", "b.com", "x.b.com", "localhost");
const ports = fc.constantFrom(80, 443, 8443);
const pieces = (units: string[]) =>
  fc.array(fc.constantFrom(...units), { maxLength: 6 }).map((parts) => parts.join(""));

const patterns = fc.tuple(
  fc.oneof(hostnames, hostnames.map((name) => `*.${name}`), hostnames.map((n) => n.toUpperCase())),
  fc.option(ports.map((port) => `:${port}`), { nil: "" }),
  fc.option(pieces(["a", "b", "*", "/a", "*b", "a/"]).map((path) => `/${path}`), { nil: "" }),
).map((parts) => parts.join("")).filter((pattern) => hostPatternIssue(pattern) === undefined);

const targets = fc.record({
  hostname: hostnames,
  port: ports,
  path: pieces(["a", "b", "/a", "ab", "a/"]).map((path) => `/${path}`),
});

Deno.test("the compiled matcher finds what the four priority rules find, one by one", () => {
  fc.assert(
    fc.property(fc.array(patterns, { maxLength: 30 }), fc.array(targets), (hosts, requests) => {
      const services = hosts.map((host) => serviceOf(host));
      const matcher = compileServices(services);
      for (const target of requests) {
        const expected = naiveSelect(services, target);
        assert.equal(matcher.select(target), expected, JSON.stringify(target));
        assert.equal(matcher.explain(target).winner, expected);
        if (expected !== undefined) {
          assert.equal(matcher.couldMatchHost(target.hostname, target.port), true);
        }
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("the compiled matcher agrees on one crowded host, where the path decides alone", () => {
  const crowd = pieces(["a", "b", "*", "aa*", "*ba"]).map((path) => `a.com/${path}`)
    .filter((pattern) => hostPatternIssue(pattern) === undefined);
  const paths = pieces(["a", "b", "aa", "ba"]).map((path) => `/${path}`);
  fc.assert(
    fc.property(
      fc.array(crowd, { minLength: 20, maxLength: 80 }),
      fc.array(paths),
      (hosts, asked) => {
        const services = hosts.map((host) => serviceOf(host));
        const matcher = compileServices(services);
        for (const path of asked) {
          const target = { hostname: "a.com", port: 443, path };
          assert.equal(matcher.select(target), naiveSelect(services, target), path);
        }
      },
    ),
    { numRuns: 500 },
  );
});

/** 10,000 services in the shapes that would be slow for a matcher that tries one after another. */
const SHAPES: Readonly<
  Record<string, { pattern: (n: number) => string; target: (n: number) => MatchTarget }>
> = {
  "exact hosts": {
    pattern: (n) => `host-${n}.example.com`,
    target: (n) => ({ hostname: `host-${n}.example.com`, port: 443, path: "/v1/x" }),
  },
  "wildcards": {
    pattern: (n) => `*.domain-${n}.com`,
    target: (n) => ({ hostname: `x.domain-${n}.com`, port: 443, path: "/v1/x" }),
  },
  "ports of one host": {
    pattern: (n) => `a.com:${n + 1}`,
    target: (n) => ({ hostname: "a.com", port: n + 1, path: "/" }),
  },
  "path prefixes of one host": {
    pattern: (n) => `a.com/p${n}/*`,
    target: (n) => ({ hostname: "a.com", port: 443, path: `/p${n}/x` }),
  },
  "path suffixes of one host": {
    pattern: (n) => `a.com/api/*/v${n}/end`,
    target: (n) => ({ hostname: "a.com", port: 443, path: `/api/x/v${n}/end` }),
  },
  "nested path prefixes of one host": {
    pattern: (n) => `a.com/${"a".repeat(n % 1_000)}*${"b".repeat(Math.floor(n / 1_000))}`,
    target: (n) => ({
      hostname: "a.com",
      port: 443,
      path: `/${"a".repeat(n % 1_000)}-${"b".repeat(Math.floor(n / 1_000))}`,
    }),
  },
};

for (const [shape, { pattern, target }] of Object.entries(SHAPES)) {
  Deno.test(`10,000 services that are ${shape} are told apart`, () => {
    const services = Array.from({ length: 10_000 }, (_, n) => serviceOf(pattern(n)));
    const matcher = compileServices(services);
    for (const n of [0, 1, 42, 999, 5_000, 9_999]) {
      const expected = shape.startsWith("nested") ? naiveSelect(services, target(n)) : services[n];
      assert.equal(matcher.select(target(n)), expected, String(n));
    }
  });
}
