import { compileServices } from "../../src/match/select.ts";
import { route } from "../../src/match/route.ts";
import type { Service } from "../../src/model/service.ts";

/** Microseconds that one match takes among many services, by the shape of their patterns. */
export interface MatchingResult {
  readonly shape: string;
  readonly microseconds: number;
}

const SERVICES = 10_000;
const MATCHES = 200_000;

const SHAPES: readonly [
  shape: string,
  pattern: (i: number) => string,
  path: (i: number) => string,
][] = [
  ["exact hosts", (i) => `host-${i}.example.com`, () => "/v1/x"],
  ["wildcards", (i) => `*.wild-${i}.example.com`, () => "/v1/x"],
  ["paths on one host", (i) => `api.example.com/service-${i}/*`, (i) => `/service-${i}/x`],
];

/** Measures the matcher alone, in this process. @throws {Error} when a match is not the expected one. */
export function measureMatching(): MatchingResult[] {
  return SHAPES.map(([shape, pattern, path]) => {
    const services: Service[] = Array.from({ length: SERVICES }, (_, i) => ({
      name: `service-${i}`,
      host: pattern(i),
      enabled: true,
      auth: { type: "passthrough" },
      substitutions: [],
    }));
    const matcher = compileServices(services);
    const targets = Array.from({ length: 1_000 }, (_, k) => {
      const i = (k * 7919) % SERVICES;
      const hostname = pattern(i).split("/")[0]!.replace("*", "one");
      return { expected: `service-${i}`, target: { hostname, port: 443, path: path(i) } };
    });
    for (const { expected, target } of targets) {
      const found = route(matcher, target);
      if (found.kind !== "match" || found.service.name !== expected) {
        throw new Error(`${shape}: ${target.hostname}${target.path} did not match ${expected}`);
      }
    }
    const begin = performance.now();
    for (let i = 0; i < MATCHES; i++) route(matcher, targets[i % targets.length]!.target);
    return { shape, microseconds: 1000 * (performance.now() - begin) / MATCHES };
  });
}
