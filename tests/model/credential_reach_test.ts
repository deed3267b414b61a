import assert from "node:assert/strict";
import fc from "fast-check";
import { compileServices } from "../../src/match/select.ts";
import { findNewDestinations } from "../../src/model/credential_reach.ts";
import { serviceKeys } from "../../src/model/credential_refs.ts";
import { parseHostPattern } from "../../src/model/host_pattern.ts";
import { covers, mayOverlap } from "../../src/model/pattern_order.ts";
import type { Service } from "../../src/model/service.ts";

function on(name: string, host: string, key?: string, enabled = true): Service {
  const auth: Service["auth"] = key === undefined
    ? { type: "passthrough" }
    : { type: "bearer", token: key };
  return { name, host, enabled, auth, substitutions: [] };
}

const found = (before: readonly Service[], after: readonly Service[]): string[] =>
  findNewDestinations(before, after).map(({ key, service, host }) => `${key} ${service} ${host}`);

const CASES: readonly {
  readonly name: string;
  readonly before: readonly Service[];
  readonly after: readonly Service[];
  readonly expect: readonly string[];
}[] = [
  {
    name: "the same services send nothing anywhere new",
    before: [on("one", "a.test", "K"), on("two", "*.b.test:8443/v1/*", "L")],
    after: [on("one", "a.test", "K"), on("two", "*.b.test:8443/v1/*", "L")],
    expect: [],
  },
  {
    name: "a new host for a bound credential is new",
    before: [on("one", "a.test", "K")],
    after: [on("one", "a.test", "K"), on("two", "evil.test", "K")],
    expect: ["K two evil.test"],
  },
  {
    name: "a credential that nothing sent before is new wherever it goes",
    before: [],
    after: [on("one", "a.test", "K")],
    expect: ["K one a.test"],
  },
  {
    name: "a wildcard is wider than the host that it covers",
    before: [on("one", "api.a.test", "K")],
    after: [on("one", "*.a.test", "K")],
    expect: ["K one *.a.test"],
  },
  {
    name: "a host below a wildcard that has the credential already is not new",
    before: [on("all", "*.a.test", "K")],
    after: [on("all", "*.a.test", "K"), on("api", "api.a.test", "K")],
    expect: [],
  },
  {
    name: "two labels below a wildcard were never sent the credential",
    before: [on("all", "*.a.test", "K")],
    after: [on("all", "*.a.test", "K"), on("api", "x.api.a.test", "K")],
    expect: ["K api x.api.a.test"],
  },
  {
    name: "dropping the port opens every other port",
    before: [on("one", "a.test:8443", "K")],
    after: [on("one", "a.test", "K")],
    expect: ["K one a.test"],
  },
  {
    name: "naming a port on a host that has the credential on every port is not new",
    before: [on("one", "a.test", "K")],
    after: [on("one", "a.test:8443", "K")],
    expect: [],
  },
  {
    name: "a wider path is new",
    before: [on("one", "a.test/v1/*", "K")],
    after: [on("one", "a.test/*", "K")],
    expect: ["K one a.test/*"],
  },
  {
    name: "a narrower path is not new",
    before: [on("one", "a.test/v1/*", "K")],
    after: [on("one", "a.test/v1/users/*", "K")],
    expect: [],
  },
  {
    name: "removing a narrower service hands its host to the wildcard behind it",
    before: [on("all", "*.a.test", "K"), on("tenant", "tenant.a.test", "L")],
    after: [on("all", "*.a.test", "K")],
    expect: ["K all tenant.a.test"],
  },
  {
    name: "moving a narrower service away does the same",
    before: [on("all", "*.a.test", "K"), on("tenant", "tenant.a.test")],
    after: [on("all", "*.a.test", "K"), on("tenant", "tenant.b.test")],
    expect: ["K all tenant.a.test"],
  },
  {
    name: "an exact host in front of a wildcard that had it, where another service stood between",
    before: [on("all", "a.test", "K"), on("admin", "a.test/admin/*", "L")],
    after: [on("all", "a.test", "K"), on("admin", "a.test/admin/*", "K")],
    expect: ["K admin a.test/admin/*"],
  },
  {
    name: "a service that comes to stand in front of another takes its requests",
    before: [on("all", "a.test", "K"), on("admin", "a.test/*/admin", "L")],
    after: [
      on("all", "a.test", "K"),
      on("admin", "a.test/*/admin", "L"),
      on("team", "a.test/team/*", "K"),
    ],
    expect: ["K team a.test/*/admin"],
  },
  {
    name: "switching a service on sends its credential",
    before: [on("one", "a.test", "K", false)],
    after: [on("one", "a.test", "K", true)],
    expect: ["K one a.test"],
  },
  {
    name: "a binding that is stored switched off is a binding",
    before: [],
    after: [on("one", "a.test", "K", false)],
    expect: ["K one a.test"],
  },
  {
    name: "another credential on the same host is new there",
    before: [on("one", "a.test", "K"), on("two", "b.test", "L")],
    after: [on("one", "a.test", "L"), on("two", "b.test", "L")],
    expect: ["L one a.test"],
  },
  {
    name: "the case of a host does not make it new",
    before: [on("one", "API.a.test", "K")],
    after: [on("one", "api.A.test", "K")],
    expect: [],
  },
];

for (const { name, before, after, expect } of CASES) {
  Deno.test(`new destinations: ${name}`, () => assert.deepEqual(found(before, after), expect));
}

Deno.test("a substitution binds a credential as auth does", () => {
  const substitutions = [{ key: "K", placeholder: "__k__", in: ["path"] as const }];
  const after = [{ ...on("one", "a.test"), substitutions }];
  assert.deepEqual(found([on("one", "a.test")], after), ["K one a.test"]);
});

const HOSTS = ["a.test", "x.a.test", "y.a.test", "*.a.test", "*.x.a.test", "z.x.a.test"];
const PORTS = ["", ":443", ":8443"];
const PATHS = ["", "/", "/*", "/p", "/p/*", "/p*", "/*/q", "/p/*/q", "/q*p", "/*p"];
const REQUEST_PATHS = [
  "/",
  "/p",
  "/p/",
  "/p/q",
  "/p/x/q",
  "/x/q",
  "/pq",
  "/qp",
  "/q",
  "/xp",
  "/pp",
];

const pattern = fc.tuple(
  fc.constantFrom(...HOSTS),
  fc.constantFrom(...PORTS),
  fc.constantFrom(...PATHS),
).map((parts) => parts.join(""));

const serviceOf = (name: string) =>
  fc.tuple(pattern, fc.constantFrom("K", "L", undefined), fc.boolean())
    .map(([host, key, enabled]) => on(name, host, key, enabled));

const services = fc.subarray(["one", "two", "three", "four"])
  .chain((names) => fc.tuple(...names.map((name) => serviceOf(name))));

function* requests() {
  for (const hostname of ["a.test", "x.a.test", "y.a.test", "w.a.test", "z.x.a.test"]) {
    for (const port of [443, 8443, 80]) {
      for (const path of REQUEST_PATHS) yield { hostname, port, path };
    }
  }
}

Deno.test("no request carries a credential that it did not carry before without being found", () => {
  fc.assert(
    fc.property(services, services, (before, after) => {
      // A name keeps its place in the list, as the store keeps it.
      const names = before.map(({ name }) => name);
      const ordered = [
        ...names.flatMap((name) => after.filter((one) => one.name === name)),
        ...after.filter((one) => !names.includes(one.name)),
      ];
      const [old, next] = [compileServices(before), compileServices(ordered)];
      const reported = findNewDestinations(before, ordered);
      const sentBy = (service: Service | undefined): string[] =>
        service?.enabled === true ? serviceKeys(service) : [];
      for (const request of requests()) {
        const winner = next.select(request);
        for (const key of sentBy(winner)) {
          if (sentBy(old.select(request)).includes(key)) continue;
          assert.ok(
            reported.some((one) => one.key === key && one.service === winner!.name),
            `${key} reaches ${JSON.stringify(request)} unseen: ${JSON.stringify(reported)}`,
          );
        }
      }
    }),
    { numRuns: 600 },
  );
});

Deno.test("a service list that stays as it is has no new destination", () => {
  fc.assert(fc.property(services, (same) => assert.deepEqual(found(same, same), [])));
});

Deno.test("covers and mayOverlap agree with the matcher about every request", () => {
  fc.assert(fc.property(pattern, pattern, (outer, inner) => {
    const [one, other] = [parseHostPattern(outer), parseHostPattern(inner)];
    const [a, b] = [compileServices([on("one", outer)]), compileServices([on("two", inner)])];
    for (const request of requests()) {
      const [byOuter, byInner] = [a.select(request), b.select(request)];
      if (covers(one, other) && byInner !== undefined) assert.ok(byOuter, JSON.stringify(request));
      if (byOuter && byInner) assert.ok(mayOverlap(one, other), JSON.stringify(request));
    }
  }));
});
