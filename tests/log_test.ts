import assert from "node:assert/strict";
import fc from "fast-check";
import { BrokerError } from "../src/errors.ts";
import { createLogger, type LogFields, type LogLevel, parseLogLevel } from "../src/log.ts";
import { Secret } from "../src/model/secret.ts";

/** The lines that one record of each level makes. */
function logged(fields: LogFields, level: LogLevel = "info"): string[] {
  const lines: string[] = [];
  const logger = createLogger({
    level,
    write: (line) => lines.push(line),
    now: () => new Date(0),
  });
  logger.info("test.event", fields);
  return lines;
}

const HEAD = "1970-01-01T00:00:00.000Z info test.event";

Deno.test("a secret is printed as a mask at every level", () => {
  const secret = new Secret("hunter2");
  assert.deepEqual(logged({ anything: secret }, "debug"), [`${HEAD} anything=[secret]`]);
});

Deno.test("a field whose name says that it holds a secret prints a mask", () => {
  const names = [
    "authorization",
    "Proxy-Authorization",
    "set-cookie",
    "session_token",
    "api_key",
    "x-api-key",
    "client_secret",
    "passphrase",
    "db.password",
    "credential_value",
    "request_headers",
    "response_body",
    "query",
  ];
  for (const name of names) {
    assert.deepEqual(logged({ [name]: "hunter2" }), [`${HEAD} ${name}=[secret]`], name);
  }
});

Deno.test("texts lose what could be a credential and keep the rest", () => {
  const table: readonly (readonly [text: string, printed: string])[] = [
    ["https://user:hunter2@api.test/a/b", "https://[secret]@api.test/a/b"],
    ["GET https://api.test/a?key=hunter2 failed", '"GET https://api.test/a?[secret] failed"'],
    ["/v1/a?key=hunter2&b=c#hunter2", "/v1/a?[secret]"],
    ["https://api.test/#hunter2", "https://api.test/#[secret]"],
    ["Bad header: Authorization: Bearer hunter2", '"Bad header: Authorization: [secret]"'],
    ["sent bearer hunter2, then", '"sent bearer [secret], then"'],
    ["Basic aHVudGVyMg==", '"Basic [secret]"'],
    ['{"cookie": "hunter2; b"}', '"{\\"cookie\\": [secret]"'],
    ["brk_sess_hunter2-_ is unknown", '"brk_sess_[secret] is unknown"'],
    ["Which one?", '"Which one?"'],
    ["credential_keys STRIPE_KEY", '"credential_keys STRIPE_KEY"'],
  ];
  for (const [text, printed] of table) {
    assert.deepEqual(logged({ reason: text }), [`${HEAD} reason=${printed}`]);
    assert.ok(!printed.includes("hunter2"));
  }
});

Deno.test("an error's text is redacted, causes and stack included", () => {
  const cause = new TypeError("Invalid value: Authorization: hunter2");
  const error = new BrokerError("unavailable", "Call https://a:hunter2@api.test/x?hunter2", {
    cause,
  });
  const [short] = logged({ error });
  assert.equal(
    short,
    `${HEAD} error="BrokerError unavailable: Call https://[secret]@api.test/x?[secret] because of ` +
      `TypeError: Invalid value: Authorization: [secret]"`,
  );
  const [long] = logged({ error }, "debug");
  assert.match(long ?? "", /error_stack=.*log_test\.ts/);
  assert.ok(!long?.includes("hunter2"));
});

Deno.test("no text can forge a second record, a field or a colour", () => {
  const forged = 'x" level=error\n1970 error forged\u001b[31m\u202e\u2028';
  const [line, ...more] = logged({ host: forged });
  assert.deepEqual(more, []);
  assert.equal(
    line,
    `${HEAD} host="x\\" level=error\\n1970 error forged\\u001b[31m\\u202e\\u2028"`,
  );
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    const [printed = ""] = logged({ host: text });
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(printed, /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
    const value = printed.slice(`${HEAD} host=`.length);
    if (/[\s=]/.test(value)) assert.equal(typeof JSON.parse(value), "string");
  }));
});

Deno.test("an object that escaped the type checker is not printed", () => {
  const fields = { headers_list: { authorization: "hunter2" } } as unknown as LogFields;
  assert.deepEqual(logged(fields), [`${HEAD} headers_list=[secret]`]);
});

Deno.test("a huge text is cut and costs little", () => {
  const [line = ""] = logged({ reason: "a.".repeat(1_000_000) });
  assert.ok(line.length < 2_100, `${line.length}`);
  assert.match(line, /\(cut\)/);
});

Deno.test("fields keep their order and plain values stand without quotes", () => {
  assert.deepEqual(
    logged({ b: 1, a: true, c: null, d: undefined, host: "api.test", e: 5n, f: "" }),
    [
      `${HEAD} b=1 a=true c=null host=api.test e=5 f=""`,
    ],
  );
});

Deno.test("only the chosen level and those before it are written", () => {
  for (
    const [level, expected] of [
      ["error", ["error"]],
      ["warn", ["error", "warn"]],
      ["info", ["error", "warn", "info"]],
      ["debug", ["error", "warn", "info", "debug"]],
    ] as const
  ) {
    const lines: string[] = [];
    const logger = createLogger({ level, write: (line) => lines.push(line) });
    for (const name of ["error", "warn", "info", "debug"] as const) {
      logger[name]("event");
      assert.equal(logger.isEnabled(name), (expected as readonly string[]).includes(name));
    }
    assert.deepEqual(lines.map((line) => line.split(" ")[1]), expected);
  }
});

Deno.test("a level that is not enabled asks neither the clock nor the fields", () => {
  const logger = createLogger({
    level: "warn",
    write: () => assert.fail("written"),
    now: () => assert.fail("asked the time"),
  });
  logger.debug("event", {
    get host(): string {
      return assert.fail("asked the field");
    },
  });
});

Deno.test("BROKER_LOG names a level in either case, and anything else is refused", () => {
  assert.equal(parseLogLevel(undefined), "warn");
  assert.equal(parseLogLevel(""), "warn");
  assert.equal(parseLogLevel("DEBUG"), "debug");
  assert.throws(
    () => parseLogLevel("verbose"),
    (error) =>
      error instanceof BrokerError && error.code === "usage" &&
      error.hint === "use one of error, warn, info, debug",
  );
});
