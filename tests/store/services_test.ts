import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import type { Service } from "../../src/model/service.ts";
import { bareHost } from "../../src/store/service_row.ts";
import { Store } from "../../src/store/store.ts";
import { assertThrowsCode, service, temporaryHome } from "./temporary_home.ts";

/** Objects like those that JSON gives. */
const PLAIN = { noNullPrototype: true } as const;

function namesOf(store: Store): string[] {
  return store.services.list("default").map(({ name }) => name);
}

/** Stores rows as a program from before names did. */
function insertUnnamed(home: string, hosts: readonly string[]): void {
  const database = new DatabaseSync(`${home}/broker.db`);
  const insert = database.prepare(
    `INSERT INTO services (vault_id, host, auth, substitutions, position)
      SELECT id, ?, '{"type":"passthrough"}', '[]',
        (SELECT count(*) FROM services) FROM vaults WHERE name = 'default'`,
  );
  for (const host of hosts) insert.run(host);
  database.close();
}

Deno.test("a bare host that several services share is ambiguous, with all candidates", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.services.upsert("default", [
    service("repos", { host: "api.github.com/repos/*" }),
    service("users", { host: "API.github.com:8443/users/*" }),
    service("other", { host: "github.com" }),
  ]);
  const error = assertThrowsCode(
    () => store.services.resolve("default", "Api.GitHub.com"),
    "ambiguous_host",
  );
  assert.equal(error.message, 'multiple services match host "Api.GitHub.com"');
  assert.deepEqual(error.details, {
    candidates: [
      { name: "repos", host: "api.github.com/repos/*" },
      { name: "users", host: "API.github.com:8443/users/*" },
    ],
  });
});

Deno.test("a name wins over a host, and a host pattern as written finds its service", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.services.upsert("default", [
    service("by-host", { host: "localhost" }),
    service("localhost", { host: "other.example.com/v1/*" }),
    service("second", { host: "other.example.com/v2/*" }),
    service("wild", { host: "*.example.org" }),
  ]);
  const found = (text: string) => store.services.resolve("default", text).name;
  assert.equal(found("localhost"), "localhost");
  assert.equal(found("LOCALHOST"), "localhost");
  assert.equal(found("other.example.com/v2/*"), "second");
  assert.equal(found("*.EXAMPLE.org"), "wild");
  const error = assertThrowsCode(() => found("sekond"), "not_found");
  assert.match(error.hint!, /second/);
  assertThrowsCode(() => found("a.example.org"), "not_found");
});

Deno.test("removing or switching a name that is not there changes nothing", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.services.upsert("default", [service("github")]);
  const revision = store.snapshot("default");
  assertThrowsCode(() => store.services.remove("default", "gitlab"), "not_found");
  assertThrowsCode(() => store.services.setEnabled("default", "gitlab", true), "not_found");
  assert.equal(store.snapshot("default"), revision);
});

Deno.test("a list with one name twice is refused as a whole", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.services.upsert("default", [service("kept")]);
  const twice = [service("github"), service("gitlab"), service("github")];
  for (const write of ["replaceAll", "upsert"] as const) {
    const error = assertThrowsCode(
      () => store.services[write]("default", twice),
      "validation_failed",
    );
    assert.deepEqual(error.issues.map(({ path }) => path), [["services", 2, "name"]]);
  }
  assert.deepEqual(namesOf(store), ["kept"]);
});

Deno.test("clearing marks the vault, and any service set afterwards unmarks it", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  const isCleared = () => store.snapshot("default")!.cleared;
  assert.equal(isCleared(), false);
  store.services.upsert("default", [service("github")]);
  store.services.clear("default");
  assert.equal(isCleared(), true);
  assert.deepEqual(namesOf(store), []);
  store.services.upsert("default", []);
  assert.equal(isCleared(), true);
  store.services.upsert("default", [service("github")]);
  assert.equal(isCleared(), false);
  store.services.replaceAll("default", []);
  assert.equal(isCleared(), true);
  store.services.replaceAll("default", [service("github")]);
  assert.equal(isCleared(), false);
});

Deno.test("removing the last service does not clear the vault", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.services.upsert("default", [service("github")]);
  assert.equal(store.services.remove("default", "github").name, "github");
  assert.equal(store.snapshot("default")!.cleared, false);
});

Deno.test("an upsert keeps the place of a name and adds new ones at the end", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.services.upsert("default", [service("one"), service("two"), service("three")]);
  store.services.upsert("default", [service("four"), service("two", { host: "new.example.com" })]);
  store.services.remove("default", "one");
  store.services.upsert("default", [service("one")]);
  assert.deepEqual(namesOf(store), ["two", "three", "four", "one"]);
  assert.equal(store.services.list("default")[0]!.host, "new.example.com");
});

Deno.test("replacing by the same services writes nothing, by others in their order all", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  const services = [service("one"), service("two")];
  store.services.replaceAll("default", services);
  const before = store.snapshot("default");
  store.services.replaceAll("default", services);
  assert.equal(store.snapshot("default"), before);
  store.services.replaceAll("default", services.toReversed());
  assert.notEqual(store.snapshot("default"), before);
  assert.deepEqual(namesOf(store), ["two", "one"]);
});

Deno.test("a service that is disabled stays in its place and in the snapshot", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  store.services.upsert("default", [service("one"), service("two")]);
  assert.equal(store.services.setEnabled("default", "one", false).enabled, false);
  assert.deepEqual(
    store.snapshot("default")!.services.map(({ name, enabled }) => [name, enabled]),
    [
      ["one", false],
      ["two", true],
    ],
  );
});

Deno.test("unnamed rows get slugs that no named row has, the same at every reading", async () => {
  using home = temporaryHome();
  const store = await Store.create(home.path);
  store.services.upsert("default", [service("api-example-com")]);
  store.close();
  insertUnnamed(home.path, ["api.example.com", "api.example.com/v1/*", "API.example.com"]);
  const expected = [
    "api-example-com",
    "api-example-com-2",
    "api-example-com-v1",
    "api-example-com-3",
  ];
  for (let reading = 0; reading < 2; reading++) {
    using again = await Store.open(home.path);
    assert.deepEqual(namesOf(again), expected);
    assert.deepEqual(again.snapshot("default")!.services.map(({ name }) => name), expected);
    assert.equal(again.services.resolve("default", "api-example-com-3").host, "API.example.com");
  }
});

Deno.test("a slug becomes durable with the next write and does not move after it", async () => {
  using home = temporaryHome();
  (await Store.create(home.path)).close();
  insertUnnamed(home.path, ["api.example.com", "api.example.com", "other.example.com"]);
  using store = await Store.open(home.path);
  assert.equal(store.services.remove("default", "api-example-com").host, "api.example.com");
  assert.deepEqual(namesOf(store), ["api-example-com-2", "other-example-com"]);
  store.services.upsert("default", [service("api-example-com")]);
  assert.deepEqual(namesOf(store), [
    "api-example-com-2",
    "other-example-com",
    "api-example-com",
  ]);
});

Deno.test("a row that holds no service is reported with its name", async () => {
  using home = temporaryHome();
  const store = await Store.create(home.path);
  store.services.upsert("default", [service("github")]);
  store.close();
  const broken = ["not json", "null", '"bearer"', '{"type":"oauth"}', "[]"];
  for (const auth of broken) {
    const database = new DatabaseSync(`${home.path}/broker.db`);
    database.prepare("UPDATE services SET auth = ?").run(auth);
    database.close();
    using again = await Store.open(home.path);
    const error = assertThrowsCode(() => again.services.list("default"), "home_unusable");
    assert.match(error.message, /"github"/);
  }
});

Deno.test("every service reads back as it was written, in order", async () => {
  using home = temporaryHome();
  using store = await Store.create(home.path);
  const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
  const auth: fc.Arbitrary<Service["auth"]> = fc.oneof(
    fc.record({ type: fc.constant("bearer" as const), token: text }, PLAIN),
    fc.record({ type: fc.constant("basic" as const), username: text, password: text }, PLAIN),
    fc.record(
      { type: fc.constant("api-key" as const), key: text, header: text, prefix: text },
      PLAIN,
    ),
    fc.record({
      type: fc.constant("custom" as const),
      headers: fc.dictionary(text, text, PLAIN),
    }, PLAIN),
    fc.constant({ type: "passthrough" as const }),
  );
  const any: fc.Arbitrary<Service> = fc.record({
    name: fc.stringMatching(/^[a-z][a-z0-9]{2,10}$/),
    host: text,
    enabled: fc.boolean(),
    auth,
    substitutions: fc.array(
      fc.record(
        { key: text, placeholder: text, in: fc.constant(["path", "body"] as const) },
        PLAIN,
      ),
      { maxLength: 2 },
    ),
  }, PLAIN);
  const list = fc.uniqueArray(any, { selector: ({ name }) => name, minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(list, (services) => {
      store.services.replaceAll("default", services);
      assert.deepEqual(store.services.list("default"), services);
      assert.deepEqual(store.snapshot("default")!.services, services);
    }),
    { numRuns: 50 },
  );
});

Deno.test("the bare host of a pattern ends at the first slash or colon", () => {
  const table = [
    ["api.example.com", "api.example.com"],
    ["API.Example.com/v1/*", "api.example.com"],
    ["api.example.com:8443", "api.example.com"],
    ["api.example.com:8443/v1:x", "api.example.com"],
    ["*.example.com/a:b", "*.example.com"],
    ["[::1]:8080/x", "[::1]"],
    ["/odd", "/odd"],
  ] as const;
  for (const [pattern, host] of table) assert.equal(bareHost(pattern), host);
});
