import assert from "node:assert/strict";
import { answerJson, describeKnownError } from "../../src/api/error_answer.ts";
import { BrokerError } from "../../src/errors.ts";
import { CANARY, createFake, TOKEN } from "./fake_ports.ts";

for (const thrown of [new Error(CANARY), new TypeError(CANARY), CANARY, { secret: CANARY }]) {
  Deno.test(`an unforeseen ${thrown?.constructor.name} is told by its request id only`, async () => {
    const fake = createFake({
      callers: {
        find() {
          throw thrown;
        },
      },
    });
    const answer = await fake.call("GET", "/discover?secret=1", { token: TOKEN.session });
    assert.equal(answer.status, 500);
    const text = await answer.text();
    assert.doesNotMatch(text, /canary|TypeError|\.ts/);
    const body = JSON.parse(text);
    assert.equal(body.error, "internal_error");
    assert.deepEqual(Object.keys(body).sort(), ["error", "message", "request_id"]);
    assert.equal(fake.defects.length, 1);
    const { error, ...where } = fake.defects[0]!;
    assert.deepEqual(where, { requestId: body.request_id, method: "GET", path: "/discover" });
    assert.equal(thrown instanceof Error ? error : error.cause, thrown);
  });
}

Deno.test("an unforeseen error's cause and stack stay out of a foreseen error's answer", async () => {
  const error = new BrokerError("store_busy", "Write the vault: another program holds it", {
    cause: new Error(CANARY),
  });
  const answer = answerJson(describeKnownError(error)!);
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get("Retry-After"), "1");
  assert.deepEqual(await answer.json(), {
    error: "store_busy",
    message: "Write the vault: another program holds it",
  });
});

Deno.test("details never take the place of error and message", async () => {
  const answer = answerJson(
    describeKnownError(
      new BrokerError("conflict", "Keep this", { details: { error: "x", message: "y", more: 1 } }),
    )!,
  );
  assert.deepEqual(await answer.json(), { error: "conflict", message: "Keep this", more: 1 });
});

Deno.test("an error is answered with hint, issues and details", async () => {
  const issues = [{ path: ["services", 0, "host"], message: 'write "*.example.com"' }];
  const answer = answerJson(
    describeKnownError(
      new BrokerError("validation_failed", "Check the services: 1 fault", {
        hint: "Mend it",
        issues,
        details: { line: 3 },
      }),
    )!,
  );
  assert.equal(answer.status, 400);
  assert.deepEqual(await answer.json(), {
    error: "validation_failed",
    message: "Check the services: 1 fault",
    hint: "Mend it",
    issues,
    line: 3,
  });
});

Deno.test("describeKnownError() leaves what nobody foresaw alone", () => {
  for (const error of [new Error("x"), "x", undefined, null]) {
    assert.equal(describeKnownError(error), undefined);
  }
});
