import assert from "node:assert/strict";
import { hostField, parseRequestTarget } from "../../src/http1/request_target.ts";
import { attempt } from "./support.ts";

const REFUSED: readonly [what: string, method: string, target: string, fault: RegExp][] = [
  ["CONNECT without a port", "CONNECT", "example.com", /no port/],
  ["CONNECT with an empty port", "CONNECT", "example.com:", /no port/],
  ["CONNECT with port 0", "CONNECT", "example.com:0", /port/],
  ["CONNECT with port 65536", "CONNECT", "example.com:65536", /port/],
  ["CONNECT with a path", "CONNECT", "example.com:443/x", /host/],
  ["CONNECT with user information", "CONNECT", "a@example.com:443", /user information/],
  ["CONNECT with a URL", "CONNECT", "https://example.com:443", /host/],
  ["CONNECT to an IPv6 address without brackets", "CONNECT", "::1:443", /host/],
  ["CONNECT to nothing", "CONNECT", ":443", /host/],
  ["CONNECT to an encoded host", "CONNECT", "ex%61mple.com:443", /host/],
  ["another scheme", "GET", "ftp://example.com/", /no http or https/],
  ["a host without a scheme", "GET", "example.com/", /no http or https/],
  ["user information", "GET", "http://u:p@example.com/", /user information/],
  [
    "a user name that looks like a host",
    "GET",
    "https://api.github.com@evil.test/",
    /user information/,
  ],
  ["a fragment", "GET", "http://example.com/#x", /fragment/],
  ["a fragment in origin-form", "GET", "/#x", /fragment/],
  ["an empty host", "GET", "http:///x", /host/],
  ["a host of dots", "GET", "http://../x", /host/],
  ["a host with an empty label", "GET", "http://a..b/x", /host/],
  ["a host with a backslash", "GET", "http://a\\b/x", /host/],
  ["a host with raw UTF-8", "GET", "http://b\xc3\xbccher.example/", /host/],
  ["a bad IPv6 address", "GET", "http://[::1::]/", /IPv6/],
  ["an asterisk with another method", "GET", "*", /OPTIONS/],
];

for (const [what, method, target, fault] of REFUSED) {
  Deno.test(`request target is refused for ${what}`, () => {
    const parsed = attempt(() => parseRequestTarget(method, target));
    assert.ok("fault" in parsed, `accepted: ${JSON.stringify(parsed)}`);
    assert.match(parsed.fault, fault);
  });
}

const AUTHORITIES: readonly [target: string, hostname: string, port: number][] = [
  ["API.GitHub.com:443", "api.github.com", 443],
  ["example.com.:8443", "example.com", 8443],
  ["localhost:1", "localhost", 1],
  ["a_b.example:443", "a_b.example", 443],
  ["10.0.0.1:65535", "10.0.0.1", 65535],
  ["[2001:DB8:0:0::1]:443", "2001:db8::1", 443],
  ["[::ffff:127.0.0.1]:443", "::ffff:7f00:1", 443],
];

for (const [target, hostname, port] of AUTHORITIES) {
  Deno.test(`CONNECT ${target} names ${hostname} and ${port}`, () => {
    assert.deepEqual(parseRequestTarget("CONNECT", target), {
      form: "authority",
      authority: { hostname, port },
    });
  });
}

const ABSOLUTE: readonly [target: string, scheme: string, port: number, pathAndQuery: string][] = [
  ["http://example.com", "http", 80, "/"],
  ["HTTP://EXAMPLE.com/A?b", "http", 80, "/A?b"],
  ["https://example.com?b", "https", 443, "/?b"],
  ["https://example.com:8443/a//b", "https", 8443, "/a//b"],
  ["http://example.com:/a", "http", 80, "/a"],
  ["ws://example.com/socket", "http", 80, "/socket"],
  ["wss://example.com/socket", "https", 443, "/socket"],
];

for (const [target, scheme, port, pathAndQuery] of ABSOLUTE) {
  Deno.test(`absolute-form ${target} is ${scheme} on ${port} with ${pathAndQuery}`, () => {
    assert.deepEqual(parseRequestTarget("GET", target), {
      form: "absolute",
      scheme,
      authority: { hostname: "example.com", port },
      pathAndQuery,
    });
  });
}

Deno.test("OPTIONS in absolute-form without a path asks for the server itself", () => {
  const target = parseRequestTarget("OPTIONS", "http://example.com");
  assert.equal(target.form === "absolute" && target.pathAndQuery, "*");
});

Deno.test("hostField leaves the default port of its scheme out, and brackets IPv6", () => {
  assert.equal(hostField("https", { hostname: "a", port: 443 }), "a");
  assert.equal(hostField("https", { hostname: "a", port: 80 }), "a:80");
  assert.equal(hostField("http", { hostname: "a", port: 80 }), "a");
  assert.equal(hostField("http", { hostname: "::1", port: 8080 }), "[::1]:8080");
});
