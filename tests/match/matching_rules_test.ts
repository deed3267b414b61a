import assert from "node:assert/strict";
import { route } from "../../src/match/route.ts";
import { compileServices } from "../../src/match/select.ts";
import { hostPatternIssue } from "../../src/model/host_pattern.ts";
import { serviceOf, targetOf } from "./service_of.ts";

/** Which of the patterns a request goes to; `undefined` for none. */
interface Case {
  readonly patterns: readonly string[];
  readonly requests: Readonly<Record<string, string | undefined>>;
}

/** One row for each sentence of the spec's Matching rules, with the requests that show it. */
const SENTENCES: readonly [sentence: string, cases: readonly Case[]][] = [
  ["The `host` pattern is the only matcher.", [{
    patterns: ["a.com"],
    requests: { "a.com/x": "a.com", "b.com/x": undefined },
  }]],
  ["An exact host matches only that host.", [{
    patterns: ["a.com", "[::1]", "127.0.0.1", "localhost"],
    requests: {
      "a.com": "a.com",
      "www.a.com": undefined,
      "xa.com": undefined,
      "a.com.evil.org": undefined,
      "com": undefined,
      "[::1]": "[::1]",
      "[::2]": undefined,
      "127.0.0.1": "127.0.0.1",
      "localhost": "localhost",
    },
  }, {
    patterns: ["API.A.com"],
    requests: { "api.a.com": "API.A.com" },
  }]],
  ["`*.<domain>` matches subdomains.", [{
    patterns: ["*.a.com"],
    requests: { "x.a.com": "*.a.com", "a.com": undefined, "xa.com": undefined },
  }]],
  ["The `*` replaces exactly one subdomain segment.", [{
    patterns: ["*.a.com"],
    requests: { "x.a.com": "*.a.com", "y.x.a.com": undefined, ".a.com": undefined },
  }, {
    patterns: ["*.a.com", "*.x.a.com"],
    requests: { "y.x.a.com": "*.x.a.com", "x.a.com": "*.a.com" },
  }]],
  ["When present, the service matches only traffic to that port.", [{
    patterns: ["a.com:8443"],
    requests: { "a.com:8443": "a.com:8443", "a.com:443": undefined, "a.com:80": undefined },
  }, {
    patterns: ["*.a.com:8443/v1/*"],
    requests: { "x.a.com:8443/v1/": "*.a.com:8443/v1/*", "x.a.com/v1/": undefined },
  }]],
  ["When absent, it matches any port.", [{
    patterns: ["a.com"],
    requests: { "a.com:1": "a.com", "a.com:443": "a.com", "a.com:65535": "a.com" },
  }]],
  ["A bare host matches any path.", [{
    patterns: ["a.com"],
    requests: { "a.com": "a.com", "a.com/": "a.com", "a.com/x/y": "a.com", "a.com/../x": "a.com" },
  }]],
  ["`*` is a greedy glob that crosses `/`.", [{
    patterns: ["a.com/v1/*"],
    requests: {
      "a.com/v1/": "a.com/v1/*",
      "a.com/v1/x/y/z": "a.com/v1/*",
      "a.com/v1": undefined,
      "a.com/v10/x": undefined,
      "a.com/V1/x": undefined,
    },
  }, {
    patterns: ["a.com/a*c*e"],
    requests: {
      "a.com/ace": "a.com/a*c*e",
      "a.com/a/c/c/e/e": "a.com/a*c*e",
      "a.com/ae": undefined,
      "a.com/aec": undefined,
    },
  }, {
    patterns: ["a.com/aba*ba"],
    requests: { "a.com/aba": undefined, "a.com/ababa": "a.com/aba*ba" },
  }, {
    patterns: ["a.com/v1"],
    requests: { "a.com/v1": "a.com/v1", "a.com/v1/": undefined, "a.com/v1/x": undefined },
  }]],
  [
    "An exact-host pattern always beats a wildcard-host pattern, even when the wildcard rule has a more specific path or port.",
    [{
      patterns: ["*.a.com:443/v1/long/path/*", "x.a.com"],
      requests: {
        "x.a.com:443/v1/long/path/y": "x.a.com",
        "y.a.com:443/v1/long/path/y": "*.a.com:443/v1/long/path/*",
      },
    }, {
      // An exact rule that does not match cannot win.
      patterns: ["*.a.com", "x.a.com/v1/*", "x.a.com:80"],
      requests: { "x.a.com/v2": "*.a.com", "x.a.com:80/v2": "x.a.com:80" },
    }],
  ],
  ["Within a tier, a specific port beats no port.", [{
    patterns: ["a.com/v1/long/path/*", "a.com:8443"],
    requests: {
      "a.com:8443/v1/long/path/x": "a.com:8443",
      "a.com:443/v1/long/path/x": "a.com/v1/long/path/*",
    },
  }, {
    patterns: ["*.a.com/v1/*", "*.a.com:8443"],
    requests: { "x.a.com:8443/v1/x": "*.a.com:8443", "x.a.com/v1/x": "*.a.com/v1/*" },
  }, {
    patterns: ["a.com", "a.com:8443/v1/*"],
    requests: { "a.com:8443/v2": "a.com" },
  }]],
  ["The longest literal path prefix wins, counting characters before the first `*`.", [{
    patterns: ["a.com/*", "a.com/v1/*", "a.com/v1/users/*", "a.com/v1/users"],
    requests: {
      "a.com/x": "a.com/*",
      "a.com/v1/x": "a.com/v1/*",
      "a.com/v1/users/1": "a.com/v1/users/*",
      "a.com/v1/users": "a.com/v1/users",
    },
  }, {
    // What stands behind the first star counts for nothing.
    patterns: ["a.com/a*bcdefgh", "a.com/ab*"],
    requests: { "a.com/abcdefgh": "a.com/ab*" },
  }, {
    // A longer prefix that does not match gives way.
    patterns: ["a.com/v1/*", "a.com/v1/users/*/keys"],
    requests: { "a.com/v1/users/1": "a.com/v1/*" },
  }]],
  ["A bare host scores 0.", [{
    patterns: ["a.com", "a.com/*"],
    requests: { "a.com/x": "a.com/*", "a.com/": "a.com/*" },
  }]],
  ["The rule that appears first in the service list wins a full tie.", [{
    patterns: ["a.com/v1*", "a.com/v1", "A.com/v1*"],
    requests: { "a.com/v1": "a.com/v1*" },
  }, {
    patterns: ["a.com/v1", "a.com/v1*"],
    requests: { "a.com/v1": "a.com/v1", "a.com/v1x": "a.com/v1*" },
  }, {
    patterns: ["A.com", "a.com"],
    requests: { "a.com": "A.com" },
  }]],
  [
    "Patterns such as `<host>/api/*/v2` and `<host>/api/*/v3` tie on rule 3 and fall to declaration order.",
    [{
      patterns: ["a.com/api/*/v2", "a.com/api/*/v3", "a.com/api/*", "a.com/api/*v2*"],
      requests: {
        "a.com/api/x/v2": "a.com/api/*/v2",
        "a.com/api/x/v3": "a.com/api/*/v3",
        "a.com/api/x/v4": "a.com/api/*",
        "a.com/api/v2/v3": "a.com/api/*/v3",
      },
    }, {
      patterns: ["a.com/api/*", "a.com/api/*/v2"],
      requests: { "a.com/api/x/v2": "a.com/api/*" },
    }, {
      patterns: ["a.com/api/*x*y", "a.com/api/*z*y", "a.com/api/*y"],
      requests: {
        "a.com/api/zy": "a.com/api/*z*y",
        "a.com/api/xzy": "a.com/api/*x*y",
        "a.com/api/y": "a.com/api/*y",
      },
    }],
  ],
  ["To override a wildcard rule for one subdomain, add an exact-host rule.", [{
    patterns: ["*.a.com", "x.a.com"],
    requests: { "x.a.com": "x.a.com", "y.a.com": "*.a.com" },
  }]],
  ["To use two credentials on one host, give the rules different paths.", [{
    patterns: ["a.com/one/*", "a.com/two/*"],
    requests: {
      "a.com/one/x": "a.com/one/*",
      "a.com/two/x": "a.com/two/*",
      "a.com/three": undefined,
    },
  }]],
];

for (const [sentence, cases] of SENTENCES) {
  Deno.test(`Matching rules: ${sentence}`, () => {
    for (const { patterns, requests } of cases) {
      const matcher = compileServices(patterns.map((pattern) => serviceOf(pattern)));
      assert.deepEqual(matcher.unusable, []);
      for (const [request, expected] of Object.entries(requests)) {
        const target = targetOf(request);
        assert.equal(matcher.select(target)?.name, expected, `${request} of ${patterns}`);
        assert.equal(matcher.explain(target).winner?.name, expected, `${request} explained`);
      }
    }
  });
}

const REJECTED: readonly [sentence: string, patterns: readonly string[]][] = [
  ["A non-empty path must start with `/`.", ["a.com:443v1", "a.com*", "[::1]v1", "a.com?v1"]],
  ["`**`, `?`, regex and a bare `*` are rejected.", [
    "a.com/**",
    "**.a.com",
    "a.com/v?",
    "a.com/v[12]",
    "a.com/(a|b)",
    "a.com/.*",
    "a.com/\\d+",
    "*",
    "*:443",
    "*/v1",
  ]],
  ["It does not match on query.", ["a.com/v1?key=*"]],
];

for (const [sentence, patterns] of REJECTED) {
  Deno.test(`Matching rules: ${sentence}`, () => {
    for (const pattern of patterns) assert.notEqual(hostPatternIssue(pattern), undefined, pattern);
  });
}

Deno.test("a disabled service takes the requests that are its own", () => {
  const blocked = serviceOf("a.com/admin/*", { enabled: false });
  const matcher = compileServices([serviceOf("a.com"), blocked]);
  const found = route(matcher, targetOf("a.com/admin/x"));
  assert.deepEqual(found, { kind: "match", service: blocked });
});

Deno.test("couldMatchHost() is true where some path has a service, a disabled one included", () => {
  const matcher = compileServices([
    serviceOf("a.com/v1/*"),
    serviceOf("b.com:8443", { enabled: false }),
    serviceOf("*.c.com:80"),
  ]);
  const could = (text: string) => {
    const { hostname, port } = targetOf(text);
    return matcher.couldMatchHost(hostname, port);
  };
  for (const yes of ["a.com", "a.com:80", "b.com:8443", "x.c.com:80"]) {
    assert.equal(could(yes), true);
  }
  for (const no of ["x.a.com", "b.com", "c.com:80", "x.c.com", "y.x.c.com:80", "com"]) {
    assert.equal(could(no), false, no);
  }
  assert.equal(compileServices([]).couldMatchHost("a.com", 443), false);
});

Deno.test("hasExactHost() is true for enabled exact-host services only", () => {
  const matcher = compileServices([
    serviceOf("a.com/v1/*"),
    serviceOf("b.com:8443"),
    serviceOf("*.c.com"),
    serviceOf("d.com", { enabled: false }),
    serviceOf("d.com:80", { enabled: false }),
    serviceOf("d.com:81"),
  ]);
  const cases: [text: string, expected: boolean][] = [
    ["a.com", true],
    ["b.com:8443", true],
    ["b.com", false],
    ["x.c.com", false],
    ["d.com", false],
    ["d.com:80", false],
    ["d.com:81", true],
    ["e.com", false],
  ];
  for (const [text, expected] of cases) {
    const { hostname, port } = targetOf(text);
    assert.equal(matcher.hasExactHost(hostname, port), expected, text);
  }
});

Deno.test("a stored pattern that cannot be read matches nothing and is reported", () => {
  const broken = serviceOf("a..com/**");
  const matcher = compileServices([broken, serviceOf("b.com")]);
  assert.deepEqual(matcher.unusable.map(({ service }) => service), [broken]);
  assert.equal(matcher.select(targetOf("b.com"))?.name, "b.com");
  const last = matcher.explain(targetOf("b.com")).candidates.at(-1);
  assert.equal(last?.outcome.kind === "does not match" && last.outcome.by, "pattern");
});
