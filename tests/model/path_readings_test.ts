import assert from "node:assert/strict";
import fc from "fast-check";
import { isPlainPath, normalizePath, pathReadings } from "../../src/model/path_readings.ts";

/** A path that some upstream takes for `/admin`, though it begins with `/api/`. */
const TAKEN_FOR_ADMIN = [
  "/api/../admin",
  "/api/%2e%2e/admin",
  "/api/%2E./admin",
  "/api/.%2e/admin",
  "/api/..%2fadmin",
  "/api/..%5cadmin",
  "/api/..\\admin",
  "/api/%2e%2e%2fadmin",
  "/api/%252e%252e/admin",
  "/api/%25252e%25252e/admin",
  "/api/%25%32%65%25%32%65/admin",
  "/api/%%32e%%32e/admin",
  "/api/..;/admin",
  "/api/..;x=1/admin",
  "/api/..%3b/admin",
  "/api/%2e%2e;/admin",
  "/api/%c0%ae%c0%ae/admin",
  "/api/..%c0%afadmin",
  "/api/..%e0%80%afadmin",
  "/api//../../admin",
  "/api/x/..//../admin",
  "/api/./../admin",
  "/api/../admin%3fx",
  "/api/../admin%23x",
  "/api/../admin%00.json",
  "/api/../admin;x",
  "/api/../%61dmin",
  "/api/..//admin",
  "/api/..%2f%2fadmin",
];

for (const path of TAKEN_FOR_ADMIN) {
  Deno.test(`pathReadings() sees that "${path}" may be taken for "/admin"`, () => {
    const readings = pathReadings(path);
    assert.ok(readings?.includes("/admin"), JSON.stringify(readings));
    assert.equal(isPlainPath(path), false);
  });
}

Deno.test("pathReadings() gives up on a path with too many readings or too long to look at", () => {
  assert.equal(pathReadings(`/${"%252525252e;a%3fb%2f//../".repeat(6)}`), undefined);
  assert.equal(pathReadings(`/${"%41".repeat(3_000)}`), undefined);
  assert.deepEqual(pathReadings(`/${"a".repeat(60_000)}`)?.length, 1);
});

Deno.test("pathReadings() gives an ordinary path, and its one spelling, only one reading", () => {
  const cases: [path: string, reading: string][] = [
    ["/", "/"],
    [
      "/v1/users/@me/x=1,y('a'):batch/$metadata!*+&~",
      "/v1/users/@me/x=1,y('a'):batch/$metadata!*+&~",
    ],
    ["/a/", "/a/"],
    ["/.well-known/a..b/...", "/.well-known/a..b/..."],
    ["/a%20b", "/a%20b"],
    ["/caf%c3%a9", "/caf%C3%A9"],
    ["/caf\xc3\xa9", "/caf%C3%A9"],
    ['/"{a}"', "/%22%7Ba%7D%22"],
    ["/100%", "/100%"],
    ["/100%25/x", "/100%25/x"],
  ];
  for (const [path, reading] of cases) assert.deepEqual(pathReadings(path), [reading], path);
});

Deno.test("normalizePath() resolves dots, encoded dots, encoded slashes and doubled slashes", () => {
  const cases: [path: string, normal: string][] = [
    ["/a/b/../c", "/a/c"],
    ["/a/./b/.", "/a/b/"],
    ["/a/b/..", "/a/"],
    ["/../../a", "/a"],
    ["/..", "/"],
    ["/a/%2e%2E/b", "/b"],
    ["/a%2fb%5Cc\\d", "/a/b/c/d"],
    ["/a//b///c", "/a/b/c"],
    ["/%61%7e%2D", "/a~-"],
    ["/%40me", "/@me"],
    ["/a%20%c3%a9", "/a%20%C3%A9"],
  ];
  for (const [path, normal] of cases) assert.equal(normalizePath(path), normal, path);
});

const paths = fc.array(
  fc.constantFrom(
    "a",
    "b",
    "/",
    "/",
    "..",
    ".",
    ";",
    "%2e",
    "%2F",
    "%5c",
    "%25",
    "%61",
    "%3f",
    "%",
    "\\",
  ),
  { maxLength: 10 },
).map((parts) => `/${parts.join("")}`);

Deno.test("a plain path is its own only reading and its own normal form", () => {
  fc.assert(fc.property(paths, (path) => {
    if (!isPlainPath(path)) return;
    assert.deepEqual(pathReadings(path), [path]);
    assert.equal(normalizePath(path), path);
    assert.doesNotMatch(path, /%|;|\\|\/\/|\/\.{1,2}(\/|$)/);
  }));
});

Deno.test("the normal form is among the readings, begins with a slash and is its own normal form", () => {
  fc.assert(
    fc.property(paths, (path) => {
      const normal = normalizePath(path);
      assert.ok(normal.startsWith("/"));
      assert.equal(normalizePath(normal), normal);
      assert.ok(pathReadings(path)?.includes(normal) ?? true, `${path} -> ${normal}`);
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("what a WHATWG URL parser makes of a path is among its readings", () => {
  fc.assert(
    fc.property(paths, (path) => {
      const { pathname } = new URL(`http://h${path}`);
      const readings = pathReadings(path);
      if (readings === undefined) return;
      const spelled = pathReadings(pathname)?.[0] ?? "";
      assert.ok(readings.includes(spelled), `${path} -> ${pathname}: ${readings.join(" ")}`);
    }),
    { numRuns: 1_000 },
  );
});
