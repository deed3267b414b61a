import assert from "node:assert/strict";
import { BrokerError, type ErrorCode } from "../../src/errors.ts";
import { formatPath, reportFailure } from "../../src/cli/failure.ts";
import { Output, type Sink } from "../../src/cli/output.ts";
import { Secret } from "../../src/model/secret.ts";

class FakeSink implements Sink {
  text = "";
  readonly isTerminal: boolean;
  readonly columns = 80;

  constructor(isTerminal = false) {
    this.isTerminal = isTerminal;
  }

  write(text: string): void {
    this.text += text;
  }
}

function fake(mode: { json?: boolean; color?: boolean; terminal?: boolean } = {}) {
  const out = new FakeSink(mode.terminal);
  const err = new FakeSink(mode.terminal);
  const output = new Output({ out, err }, {
    json: mode.json ?? false,
    color: mode.color ?? true,
  });
  return { out, err, output };
}

Deno.test("reportFailure() shows nothing of an error that nobody foresaw", () => {
  for (const json of [false, true]) {
    const { out, err, output } = fake({ json });
    const status = reportFailure(new Error("canary"), output, { debug: false });
    assert.equal(status, 1);
    assert.equal(out.text, "");
    assert.match(err.text, /Internal error \(Error\)/);
    assert.equal(err.text.includes("canary"), false);
    assert.equal(err.text.includes("output_test"), false);
  }
});

Deno.test("reportFailure() shows the stack and its causes for BROKER_LOG=debug", () => {
  const { err, output } = fake();
  const cause = new TypeError("the reason");
  reportFailure(new BrokerError("not_found", "No", { cause }), output, { debug: true });
  assert.match(err.text, /output_test/);
  assert.match(err.text, /the reason/);
});

Deno.test("reportFailure() masks a secret in the details of an error", () => {
  const { err, output } = fake({ json: true });
  const details = { value: new Secret("canary") };
  reportFailure(new BrokerError("conflict", "No", { details }), output, { debug: true });
  assert.equal(err.text.includes("canary"), false);
});

Deno.test("reportFailure() cannot be made to steer the terminal", () => {
  const { err, output } = fake({ terminal: true, color: false });
  const issues = [{ path: ["a\x1b[2J"], message: "b\x1b[1m\nbroker: error: forged" }];
  const error = new BrokerError("validation_failed", "c\x1b[0m", { hint: "d\rsudo", issues });
  reportFailure(error, output, { debug: false });
  assert.equal(err.text.includes("\x1b"), false);
  assert.equal(err.text.includes("\r"), false);
  assert.equal(err.text.split("\n").length, 4);
});

Deno.test("reportFailure() writes message, places and hint, each on its line", () => {
  const { out, err, output } = fake();
  const issues = [
    { path: ["services", 0, "auth", "token"], message: "is missing" },
    { path: ["services", 1], message: "is odd", file: "a.yaml", line: 3, column: 5 },
  ];
  const error = new BrokerError("validation_failed", "Read it", { issues, hint: "mend it" });
  assert.equal(reportFailure(error, output, { debug: false }), 1);
  assert.equal(out.text, "");
  assert.equal(
    err.text,
    "broker: error: Read it\n" +
      "  services[0].auth.token: is missing\n" +
      "  a.yaml:3:5: services[1]: is odd\n" +
      "broker: hint: mend it\n",
  );
});

Deno.test("reportFailure() writes one JSON line that no detail can disguise", () => {
  const { out, err, output } = fake({ json: true });
  const error = new BrokerError("ambiguous_host", "Several", {
    hint: "name one",
    details: { error: "other", message: "other", candidates: [{ name: "a", host: "b" }] },
  });
  reportFailure(error, output, { debug: false });
  assert.equal(out.text, "");
  assert.deepEqual(JSON.parse(err.text), {
    error: "ambiguous_host",
    message: "Several",
    hint: "name one",
    candidates: [{ name: "a", host: "b" }],
  });
});

const STATUSES: readonly [ErrorCode, number][] = [
  ["usage", 2],
  ["cancelled", 130],
  ["not_found", 1],
  ["wrong_passphrase", 1],
];

for (const [code, status] of STATUSES) {
  Deno.test(`reportFailure() gives ${status} for ${code}`, () => {
    const { output } = fake();
    assert.equal(reportFailure(new BrokerError(code, "x"), output, { debug: false }), status);
  });
}

Deno.test("formatPath() writes paths as people do", () => {
  assert.equal(
    formatPath(["services", 2, "auth", "headers", "X-A"]),
    "services[2].auth.headers.X-A",
  );
  assert.equal(formatPath([]), "");
});

Deno.test("Output keeps colours off pipes, off --json and off when told", () => {
  const inks = [
    fake({ terminal: true }),
    fake({ terminal: false }),
    fake({ terminal: true, color: false }),
    fake({ terminal: true, json: true }),
  ].map(({ output }) => output.mark("bold", "x") !== "x");
  assert.deepEqual(inks, [true, false, false, false]);
});

Deno.test("Output says nothing beside the document with --json, warnings as JSON lines excepted", () => {
  const { out, err, output } = fake({ json: true });
  output.note("stored it");
  output.warn("careful");
  output.print({ a: new Secret("canary") }, () => assert.fail("printed as text"));
  assert.deepEqual(JSON.parse(out.text), { a: "[secret]" });
  assert.deepEqual(JSON.parse(err.text), { warning: "careful" });
});
