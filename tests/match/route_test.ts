import assert from "node:assert/strict";
import fc from "fast-check";
import { route } from "../../src/match/route.ts";
import { compileServices } from "../../src/match/select.ts";
import { serviceOf, targetOf } from "./service_of.ts";

/** Requests that begin like `/api/` and that some upstream takes for another path. */
const ESCAPES = [
  "/api/../admin",
  "/api/./../admin",
  "/api/%2e%2e/admin",
  "/api/%2E%2e/admin",
  "/api/.%2e/admin",
  "/api/..%2fadmin",
  "/api/..%2Fadmin",
  "/api/%2e%2e%2fadmin",
  "/api/..\\admin",
  "/api/..%5cadmin",
  "/api/%252e%252e/admin",
  "/api/..%252fadmin",
  "/api/%25252e%25252e/admin",
  "/api/..;/admin",
  "/api/..;jsessionid=1/admin",
  "/api/%2e%2e;/admin",
  "/api/..%3b/admin",
  "/api/%c0%ae%c0%ae/admin",
  "/api/..%c0%afadmin",
  "/api/x/../../admin",
  "/api/..//admin",
  "/api/x//../../../admin",
  "/api/..",
  "/api/%2e%2e",
];

for (const path of ESCAPES) {
  Deno.test(`"${path}" never borrows the credential of /api/*`, () => {
    const api = serviceOf("a.com/api/*");
    for (const services of [[api], [api, serviceOf("a.com")], [api, serviceOf("*.com")]]) {
      const found = route(compileServices(services), { hostname: "a.com", port: 443, path });
      assert.equal(found.kind, "ambiguous");
    }
  });
}

/** Requests that do not begin like `/admin/` and that some upstream takes for it. */
const DISGUISES = [
  "/x/../admin/users",
  "/%61dmin/users",
  "/%2561dmin/users",
  "//admin/users",
  "/./admin/users",
  "/%2e/admin/users",
  "/;/admin/users",
  "/admin;x=1/users",
  "/admin%3bx/users",
  "/\\admin/users",
  "/admin\\users",
  "/admin%2fusers",
  "/admin%5cusers",
  "/admin%252fusers",
  "/%2fadmin/users",
  "/x/%2e%2e/admin/users",
];

for (const path of DISGUISES) {
  Deno.test(`"${path}" never slips past a rule for /admin/*`, () => {
    const services = [serviceOf("a.com"), serviceOf("a.com/admin/*", { enabled: false })];
    const found = route(compileServices(services), { hostname: "a.com", port: 443, path });
    assert.equal(found.kind, "ambiguous");
  });
}

Deno.test("a path that has too many readings, or is no path, is not decided", () => {
  const matcher = compileServices([serviceOf("a.com/api/*"), serviceOf("a.com")]);
  for (
    const path of [`/api/${"%252525252e;a%3fb%2f//../".repeat(6)}`, "api/x", "?x", "http://b/"]
  ) {
    assert.deepEqual(route(matcher, { hostname: "a.com", port: 443, path }), {
      kind: "ambiguous",
      readings: [],
    });
  }
});

Deno.test("an ambiguous result shows two readings and the services they have", () => {
  const [api, root] = [serviceOf("a.com/api/*"), serviceOf("a.com")];
  const target = { hostname: "a.com", port: 443, path: "/api/%2e%2e/admin" };
  assert.deepEqual(route(compileServices([api, root]), target), {
    kind: "ambiguous",
    readings: [{ path: "/api/%2E%2E/admin", service: api }, { path: "/admin", service: root }],
  });
});

Deno.test("a path whose readings all have one service is that service's", () => {
  const matcher = compileServices([
    serviceOf("gitlab.com/api/*"),
    serviceOf("registry.example.org"),
    serviceOf("b.com/caf%C3%A9/*"),
  ]);
  const cases: [request: string, service: string][] = [
    ["gitlab.com/api/v4/projects/group%2Fproject", "gitlab.com/api/*"],
    ["gitlab.com/api/v4/a%20b/x;y/z//w/%40me", "gitlab.com/api/*"],
    ["gitlab.com/api/x/../y", "gitlab.com/api/*"],
    ["registry.example.org/@scope%2fname", "registry.example.org"],
    ["registry.example.org/../../%2e%2e;//x", "registry.example.org"],
    ["b.com/caf%c3%a9/x", "b.com/caf%C3%A9/*"],
    ["b.com/caf\xc3\xa9/x", "b.com/caf%C3%A9/*"],
  ];
  for (const [request, service] of cases) {
    const found = route(matcher, targetOf(request));
    assert.equal(found.kind === "match" && found.service.name, service, request);
  }
});

Deno.test("an odd path on a host without services is unmatched, not ambiguous", () => {
  const matcher = compileServices([serviceOf("a.com/api/*"), serviceOf("b.com:80/api/*")]);
  assert.deepEqual(route(matcher, targetOf("c.com/api/../x")), { kind: "unmatched" });
  assert.deepEqual(route(matcher, targetOf("b.com:443/api/../x")), { kind: "unmatched" });
  assert.deepEqual(route(matcher, targetOf("a.com/x/../y")), { kind: "unmatched" });
});

Deno.test("the asterisk-form belongs to a bare host only, and an empty path is /", () => {
  const globs = compileServices([serviceOf("a.com/*"), serviceOf("a.com/")]);
  const ask = (path: string) => ({ hostname: "a.com", port: 443, path });
  assert.deepEqual(route(globs, ask("*")), { kind: "unmatched" });
  const found = route(globs, ask(""));
  assert.equal(found.kind === "match" && found.service.name, "a.com/*");
  const bare = compileServices([serviceOf("a.com"), serviceOf("a.com/*")]);
  const asterisk = route(bare, ask("*"));
  assert.equal(asterisk.kind === "match" && asterisk.service.name, "a.com");
});

Deno.test("a path that is decided has the service of the path that a URL parser makes of it", () => {
  const services = ["a.com", "a.com/a/*", "a.com/a/b/*", "a.com/*b", "a.com/b"];
  const matcher = compileServices(services.map((host) => serviceOf(host)));
  const units = fc.constantFrom(
    "a",
    "b",
    "/",
    "..",
    ".",
    ";",
    "%2e",
    "%2F",
    "%5c",
    "\\",
    "%25",
    "%61",
  );
  const paths = fc.array(units, { maxLength: 10 }).map((parts) => `/${parts.join("")}`);
  fc.assert(
    fc.property(paths, (path) => {
      const found = route(matcher, { hostname: "a.com", port: 443, path });
      if (found.kind !== "match") return;
      const { pathname } = new URL(`http://a.com${path}`);
      assert.equal(
        matcher.select({ hostname: "a.com", port: 443, path: pathname }),
        found.service,
        `${path} -> ${pathname}`,
      );
    }),
    { numRuns: 2_000 },
  );
});
