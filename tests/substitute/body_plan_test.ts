import assert from "node:assert/strict";
import fc from "fast-check";
import type { HeaderField, HeaderList } from "../../src/http1/headers.ts";
import { bodyPlan } from "../../src/substitute/body_plan.ts";

const type = (...values: string[]): HeaderList => values.map((value) => ["Content-Type", value]);
const coding = (...values: string[]): HeaderField[] =>
  values.map((value) => ["Content-Encoding", value]);

/** Headers and what becomes of the body. */
const PLANS: readonly (readonly [headers: HeaderList, plan: string])[] = [
  [type("multipart/form-data; boundary=x"), "skip"],
  [type("Multipart/Mixed"), "skip"],
  [type('multipart/form-data; boundary="a, application/json"'), "skip"],
  [[...coding("gzip"), ...type("application/json")], "skip"],
  [[...coding("GZIP")], "skip"],
  [[...coding("identity, br")], "skip"],
  [[...coding("identity", "gzip")], "skip"],
  [[["content-ENCODING", "zstd"]], "skip"],
  [[...coding("aws-chunked"), ...type("text/plain")], "skip"],
  [type("application/json", "text/plain"), "skip"],
  [type("application/json, text/plain"), "skip"],
  [type("text/plain", "multipart/form-data"), "skip"],
  [type("application/x-www-form-urlencoded", "application/json"), "skip"],

  [[...coding("identity"), ...type("application/json")], "json"],
  [[...coding("Identity"), ...coding(""), ...type("application/json")], "json"],
  [type("application/json"), "json"],
  [type("APPLICATION/JSON;charset=UTF-8"), "json"],
  [type(" application/json ; charset=utf-8"), "json"],
  [type('application/json; profile="a, text/plain; \\" , b"'), "json"],
  [type("application/json", "Application/JSON; charset=utf-8"), "json"],
  [type("application/vnd.api+json"), "json"],
  [type("Application/Problem+JSON; x=y"), "json"],
  [type("application/x-ndjson"), "json"],
  [type("application/x-amz-json-1.1"), "json"],
  [[["content-type", "application/json"]], "json"],

  [type("application/x-www-form-urlencoded"), "form"],
  [type("Application/X-WWW-Form-Urlencoded; charset=utf-8"), "form"],

  [[], "raw"],
  [type(""), "raw"],
  [type("text/plain"), "raw"],
  [type("application/xml"), "raw"],
  [type("application/json+xml"), "raw"],
  [type("application/jsonp"), "raw"],
  [type("text/plain; a=application/json"), "raw"],
  [type("text/plain", "text/csv"), "raw"],
  [type("application/octet-stream"), "raw"],
];

for (const [headers, expected] of PLANS) {
  Deno.test(`a body with ${JSON.stringify(headers)} is handled as ${expected}`, () => {
    const plan = bodyPlan(headers);
    assert.equal(plan.kind === "skip" ? "skip" : plan.encode, expected);
  });
}

Deno.test("no field value makes the decision throw, or slow for its length", () => {
  const value = fc.string({
    unit: fc.constantFrom('"', "\\", ",", ";", "/", "+json", "a", "\xff"),
  });
  fc.assert(fc.property(fc.array(value), (values) => {
    bodyPlan(type(...values));
  }));
  // Quadratic time over 64 KiB would take seconds; there is no clock here, the runner's own limit shows it.
  bodyPlan(type('\\"'.repeat(32 * 1024)));
});
