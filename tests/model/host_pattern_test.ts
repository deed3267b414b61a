import assert from "node:assert/strict";
import fc from "fast-check";
import type { BrokerError } from "../../src/errors.ts";
import {
  bareHost,
  findHostPatternFault,
  hostPatternIssue,
  parseHostPattern,
  patternIdentity,
} from "../../src/model/host_pattern.ts";
import { pathReadings } from "../../src/model/path_readings.ts";

Deno.test("a password in a pattern is refused and not repeated", () => {
  for (
    const text of [
      "bob:hunter2@api.example.com",
      "https://bob:hunter2@api.example.com/v1",
      "https://bob:hun/ter2@api.example.com",
      "bob:hunter2?x@api.example.com",
    ]
  ) {
    const issue = hostPatternIssue(text) ?? "accepted";
    assert.doesNotMatch(issue, /hunter2|ter2/);
    assert.match(issue, /…@/);
  }
});

const AT = (column: number, says: string | RegExp) => ({ column, says });

/** The pattern, the column it is wrong at, and what the message must say besides. */
const REFUSED: readonly [pattern: string, fault: ReturnType<typeof AT>][] = [
  // The spec's own: `**`, `?`, regex, a bare `*`, a path that does not start with `/`.
  ["**", AT(1, 'has "**"')],
  ["**.example.com", AT(1, 'write "*.example.com"')],
  ["*.example.com/**", AT(15, 'write "*.example.com/*"')],
  ["example.com/a/**/b", AT(15, 'write "example.com/a/*/b"')],
  ["example.com/a?b", AT(14, 'has a "?"')],
  ["example.com/a?x=1", AT(14, "the query does not take part")],
  ["ap?.example.com", AT(3, 'has a "?"')],
  ["example.com?x=1", AT(12, 'has a "?"')],
  ["example.com/v[0-9]/x", AT(14, "as regular expressions do")],
  ["example.com/(a|b)", AT(15, "as regular expressions do")],
  ["example.com/{id}", AT(13, "as regular expressions do")],
  ["example.com/\\d", AT(13, "as regular expressions do")],
  ["example.com/^a", AT(13, "as regular expressions do")],
  ["example.com/a$", AT(14, "as regular expressions do")],
  ["example.com/.*", AT(13, 'write "example.com/*"')],
  ["example.com/v1/.+", AT(16, 'write "example.com/v1/*"')],
  ["^example.com", AT(1, "as regular expressions do")],
  ["(api|www).example.com", AT(1, "as regular expressions do")],
  ["example\\.com", AT(8, "as regular expressions do")],
  ["*", AT(1, 'bare "*"')],
  ["*.", AT(1, 'bare "*"')],
  ["*/v1/*", AT(1, 'bare "*"')],
  ["*:443", AT(1, 'bare "*"')],
  ["example.com*", AT(12, "not the whole first label")],
  ["example.com:443api", AT(16, 'write "example.com:443/api", because a path begins with "/"')],
  // A star anywhere but as the whole first label.
  ["api*.example.com", AT(4, 'write "*.example.com"')],
  ["*api.example.com", AT(1, 'write "*.example.com"')],
  ["api.*.example.com", AT(5, 'write "*.example.com"')],
  ["*.*.example.com", AT(3, 'write "*.example.com"')],
  ["*.192.168.1.1", AT(1, 'a "*" before an IP address')],
  ["*.[::1]", AT(1, 'a "*" before an IP address')],
  // What belongs to a URL and not to a pattern.
  ["https://api.example.com/v1", AT(1, 'write "api.example.com/v1"')],
  ["HTTP://api.example.com", AT(1, 'write "api.example.com"')],
  ["//api.example.com", AT(1, 'write "api.example.com"')],
  ["bob@example.com", AT(1, "user information")],
  ["example.com#top", AT(12, 'write "example.com"')],
  ["example.com/a#top", AT(14, 'write "example.com/a"')],
  ["/v1/*", AT(1, "no host before the path")],
  // Hosts that are none.
  ["", AT(1, "is empty")],
  [" example.com", AT(1, 'write "example.com"')],
  ["example.com ", AT(12, 'write "example.com"')],
  ["example. com", AT(9, 'write "example.com"')],
  ["example.com\n", AT(12, 'write "example.com"')],
  ["a\u0000b.com", AT(2, '"\\u0000"')],
  [":443", AT(1, "has no host")],
  ["a..b", AT(3, "empty label")],
  [".example.com", AT(1, "empty label")],
  ["example.com.", AT(12, 'write "example.com", which also takes')],
  ["-a.com", AT(1, "begins or ends with a hyphen")],
  ["b.a-.com", AT(3, "begins or ends with a hyphen")],
  [`a.${"b".repeat(64)}.com`, AT(3, "label of 64 characters")],
  [`${"a.".repeat(126)}com`, AT(254, "host of 255 characters")],
  [`a.com/${"b".repeat(2043)}`, AT(2049, "at most 2048")],
  ["ex%61mple.com", AT(3, "percent sign")],
  ["ex,ample.com", AT(3, '","')],
  ["bücher.example", AT(2, 'write its ASCII form "xn--bcher-kva.example"')],
  ["*.bücher.example:8443", AT(4, 'write its ASCII form "*.xn--bcher-kva.example:8443"')],
  ["аpple.com", AT(1, 'write its ASCII form "xn--pple-43d.com"')],
  // Addresses that are none.
  ["256.0.0.1", AT(1, "no IPv4 address")],
  ["1.2.3", AT(1, "no IPv4 address")],
  ["127.0.0.01", AT(1, 'write "127.0.0.1"')],
  ["0x7f.0.0.1", AT(1, 'write "127.0.0.1"')],
  ["a.1", AT(1, "no IPv4 address")],
  ["::1", AT(1, 'write "[::1]"')],
  ["fe80::1:443", AT(5, "without brackets")],
  ["[::1", AT(5, 'has no "]"')],
  ["[::1]443", AT(6, 'write "[::1]:443"')],
  ["[:::1]", AT(2, "no IPv6 address")],
  ["[127.0.0.1]", AT(2, "no IPv6 address")],
  ["[fe80::1%25eth0]", AT(2, "leave the zone out")],
  // Ports out of range.
  ["example.com:", AT(12, 'write "example.com"')],
  ["example.com:0", AT(13, "out of range")],
  ["example.com:65536", AT(13, "out of range")],
  ["example.com:99999999999999999999", AT(13, "out of range")],
  ["example.com:0443", AT(13, 'write "example.com:443"')],
  ["example.com:-1", AT(13, "no number")],
  ["example.com:*", AT(13, "column 13")],
  ["example.com:80:80", AT(12, "more than one colon")],
  ["[::1]:", AT(6, "no port")],
  ["[::1]:70000", AT(7, "out of range")],
  // Paths that upstreams may read in more than one way.
  ["example.com/a b", AT(14, "has a blank")],
  ["example.com/é", AT(13, "write %C3%A9")],
  ['example.com/"a"', AT(13, "write %22")],
  ["example.com/100%", AT(16, "write %25")],
  ["example.com/%zz", AT(13, "write %25")],
  ["example.com/a/../b", AT(13, 'write "example.com/b"')],
  ["example.com/a/./b", AT(15, 'write "example.com/a/b"')],
  ["example.com/a/..", AT(13, 'write "example.com/"')],
  ["example.com//a", AT(13, 'write "example.com/a"')],
  ["example.com/%2e%2e/a", AT(13, 'write "example.com/a"')],
  ["example.com/a%2Fb", AT(14, 'write "example.com/a/b"')],
  ["example.com/a%5cb", AT(14, 'write "example.com/a/b"')],
  ["example.com/%c3%a9", AT(14, 'write "example.com/%C3%A9"')],
  ["example.com/%7Ebob", AT(13, 'write "example.com/~bob"')],
  ["example.com/a;v=1", AT(14, 'write "*" in place of ";"')],
  ["example.com/a%3Fb", AT(14, 'write "*" in place of')],
  ["example.com/%252e", AT(15, 'write "*" in place of')],
];

for (const [pattern, { column, says }] of REFUSED) {
  const shown = pattern.length > 60 ? `${pattern.slice(0, 60)}…` : pattern;
  Deno.test(`the pattern ${JSON.stringify(shown)} is refused with its place and a fix`, () => {
    const issue = hostPatternIssue(pattern) ?? "accepted";
    assert.equal(findHostPatternFault(pattern)?.at, column - 1, issue);
    assert.ok(issue.includes(`(column ${column})`), issue);
    assert.ok(typeof says === "string" ? issue.includes(says) : says.test(issue), issue);
    assert.throws(() => parseHostPattern(pattern), (error: BrokerError) => {
      assert.equal(error.code, "validation_failed");
      assert.deepEqual(error.issues, [{ path: ["host"], message: issue }]);
      assert.equal(error.message, issue);
      return true;
    });
  });
}

Deno.test("a fix that is a whole pattern is itself accepted", () => {
  for (const [pattern] of REFUSED) {
    const fix = /: write (?:its ASCII form )?("(?:[^"\\]|\\.)*")/.exec(hostPatternIssue(pattern)!);
    if (fix === null) continue;
    const suggested = JSON.parse(fix[1]!);
    if (suggested.includes("...") || suggested === "host:port" || suggested === "*") continue;
    assert.equal(hostPatternIssue(suggested), undefined, `${pattern} -> ${suggested}`);
  }
});

const UNSET = { wildcard: false, port: undefined, path: undefined };

const ACCEPTED: readonly [pattern: string, parts: Record<string, unknown>][] = [
  ["api.example.com", { hostname: "api.example.com" }],
  ["*.example.com", { hostname: "example.com", wildcard: true }],
  ["api.example.com/v1/*", { hostname: "api.example.com", path: "/v1/*" }],
  ["api.example.com:8443", { hostname: "api.example.com", port: 8443 }],
  ["api.example.com:1/v1", { hostname: "api.example.com", port: 1, path: "/v1" }],
  ["*.example.com:65535/*", { hostname: "example.com", wildcard: true, port: 65535, path: "/*" }],
  ["API.Example.COM/Path", { hostname: "api.example.com", path: "/Path" }],
  ["example.com/", { hostname: "example.com", path: "/" }],
  ["localhost", { hostname: "localhost" }],
  ["*.localhost", { hostname: "localhost", wildcard: true }],
  ["db", { hostname: "db" }],
  ["my_service:3000", { hostname: "my_service", port: 3000 }],
  ["127.0.0.1", { hostname: "127.0.0.1" }],
  ["127.0.0.1:8080/x", { hostname: "127.0.0.1", port: 8080, path: "/x" }],
  ["[::1]", { hostname: "::1" }],
  ["[2001:DB8:0:0::1]:8443/x", { hostname: "2001:db8::1", port: 8443, path: "/x" }],
  ["xn--bcher-kva.example", { hostname: "xn--bcher-kva.example" }],
  ["discord.com/api/users/@me/*", { hostname: "discord.com", path: "/api/users/@me/*" }],
  ["example.com/Users('a')/$value,x=1:batch", {
    hostname: "example.com",
    path: "/Users('a')/$value,x=1:batch",
  }],
  ["example.com/%C3%A9*/a%20b", { hostname: "example.com", path: "/%C3%A9*/a%20b" }],
  ["example.com/*/*/x*y", { hostname: "example.com", path: "/*/*/x*y" }],
  [`${"a".repeat(63)}.com`, { hostname: `${"a".repeat(63)}.com` }],
];

for (const [pattern, parts] of ACCEPTED) {
  Deno.test(`the pattern "${pattern.slice(0, 60)}" is accepted and kept as written`, () => {
    assert.deepEqual(parseHostPattern(pattern), { ...UNSET, source: pattern, ...parts });
  });
}

Deno.test("patternIdentity() is the same for the same host in another case, and for nothing else", () => {
  const identity = (text: string) => patternIdentity(parseHostPattern(text));
  assert.equal(identity("API.example.com/a"), identity("api.EXAMPLE.com/a"));
  assert.equal(identity("[::0:1]"), identity("[::1]"));
  const distinct = [
    "a.com",
    "*.a.com",
    "a.com/",
    "a.com/A",
    "a.com/a",
    "a.com:1",
    "a.com:1/a",
    "b.a.com",
  ];
  assert.equal(new Set(distinct.map(identity)).size, distinct.length);
});

Deno.test("bareHost() leaves port and path out", () => {
  for (
    const [pattern, host] of [
      ["API.a.com:80/x", "api.a.com"],
      ["*.a.com/x", "*.a.com"],
      ["[::1]:80", "[::1]"],
    ] as const
  ) assert.equal(bareHost(parseHostPattern(pattern)), host);
});

Deno.test("no text makes the parser fail in any way but a fault within the text", () => {
  const unit = fc.constantFrom(..."a1.*:/[]@%2eF-_?#\\ ;~é|^$(){}+", "://", "**", "%", "::");
  const text = fc.array(unit, { maxLength: 14 }).map((units) => units.join(""));
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: "binary" })), (text) => {
      const fault = findHostPatternFault(text);
      if (fault !== undefined) {
        assert.ok(fault.at >= 0 && fault.at <= text.length, JSON.stringify({ text, fault }));
        return;
      }
      const { source, path } = parseHostPattern(text);
      assert.equal(source, text);
      if (path !== undefined) assert.deepEqual(pathReadings(path), [path]);
    }),
    { numRuns: 3_000 },
  );
});
