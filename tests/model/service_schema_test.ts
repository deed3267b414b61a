import assert from "node:assert/strict";
import type { BrokerError } from "../../src/errors.ts";
import type { Service } from "../../src/model/service.ts";
import { parseServices } from "../../src/model/service_schema.ts";
import { parseSettingsChange, serializeSettings } from "../../src/model/settings_schema.ts";

const SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

function existing(name: string, host: string): Service {
  return { name, host, enabled: true, auth: { type: "passthrough" }, substitutions: [] };
}

/** The faults of a document as `path: message`. */
function faultsOf(input: unknown, services: readonly Service[] = []): string[] {
  try {
    parseServices(input, { existing: services });
  } catch (error) {
    const { code, issues } = error as BrokerError;
    assert.equal(code, "validation_failed");
    return issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  }
  return [];
}

/** The faults of one service that is sound but for the given fields. */
function faultsWith(fields: Record<string, unknown>): string[] {
  return faultsOf([{ name: "one", host: "a.com", auth: { type: "passthrough" }, ...fields }]);
}

function assertFaults(found: readonly string[], expected: readonly RegExp[]): void {
  assert.equal(found.length, expected.length, found.join("\n"));
  for (const [index, pattern] of expected.entries()) assert.match(found[index]!, pattern);
}

Deno.test("a value that is pasted anywhere into an auth config is refused and not repeated", () => {
  const auths = [
    { type: "bearer", token: SECRET },
    { type: "basic", username: SECRET, password: SECRET },
    { type: "api-key", key: SECRET, prefix: `${SECRET}\n` },
    { type: "custom", headers: { "X-Key": `{{ ${SECRET} }}`, "X-B": `${SECRET}\r\n` } },
    { type: SECRET },
  ];
  for (const auth of auths) {
    const faults = faultsWith({ auth });
    assert.ok(faults.length > 0);
    assert.doesNotMatch(faults.join("\n"), /ghp_/);
  }
});

Deno.test("a service cannot set a header that frames, routes or authenticates to the broker", () => {
  const reserved = [
    "Connection",
    "keep-alive",
    "Proxy-Authenticate",
    "Proxy-Authorization",
    "Proxy-Connection",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "upgrade",
    "X-Vault",
    "HOST",
    "Content-Length",
  ];
  for (const header of reserved) {
    assertFaults(faultsWith({ auth: { type: "api-key", key: "K", header } }), [
      /^0\.auth\.header: A service cannot set the header/,
    ]);
    assertFaults(faultsWith({ auth: { type: "custom", headers: { [header]: "{{ K }}" } } }), [
      /^0\.auth\.headers\.[\w-]+: A service cannot set the header/,
    ]);
  }
});

Deno.test("a header name that is no RFC 9110 token is refused", () => {
  for (const header of ["", "X Key", "X-Key:", "X\r\nY", "X(Y)", "Schlüssel", "a".repeat(129)]) {
    const faults = faultsWith({ auth: { type: "api-key", key: "K", header } });
    assertFaults(faults, [/^0\.auth\.header: The header name/]);
  }
  const whole = faultsWith({ auth: { type: "api-key", key: "K", header: "X-Key: a" } });
  assertFaults(whole, [/write "X-Key", and its value apart/]);
});

Deno.test("CR, LF, NUL and other control characters are refused in prefixes and templates", () => {
  for (const char of ["\r", "\n", "\0", "\t", "\x1b", "\x7f"]) {
    assertFaults(faultsWith({ auth: { type: "api-key", key: "K", prefix: `a${char}b` } }), [
      /^0\.auth\.prefix: A control character stands at column 2/,
    ]);
    assertFaults(faultsWith({ auth: { type: "custom", headers: { X: `a${char}{{ K }}` } } }), [
      /^0\.auth\.headers\.X: A control character stands at column 2/,
    ]);
  }
});

Deno.test("two custom headers that differ in case only are refused", () => {
  const headers = { "X-Key": "{{ A }}", "x-KEY": "{{ B }}" };
  assertFaults(faultsWith({ auth: { type: "custom", headers } }), [
    /^0\.auth\.headers\.x-KEY: "X-Key" and "x-KEY" are one header/,
  ]);
});

Deno.test("a custom header called __proto__ is kept and not lost", () => {
  const headers = JSON.parse('{"__proto__": "{{ K }}"}');
  const [service] = parseServices([{
    name: "one",
    host: "a.com",
    auth: { type: "custom", headers },
  }]);
  const auth = service!.auth;
  assert.deepEqual(auth.type === "custom" && Object.entries(auth.headers), [[
    "__proto__",
    "{{ K }}",
  ]]);
});

Deno.test("unknown and foreign fields are faults that name the field that was meant", () => {
  const cases: [fields: Record<string, unknown>, expected: RegExp[]][] = [
    [{ nmae: 1 }, [/^0\.nmae: "nmae" is no field of a service: write "name"/]],
    [{ port: 443 }, [/^0\.port: "port" belongs to host \("api/]],
    [{ token: "K" }, [/^0\.token: "token" belongs to auth/]],
    [{ zzz: 1 }, [/^0\.zzz: .*it takes name, host, auth, substitutions, enabled/]],
    [{ auth: { type: "bearer", token: "K", tokne: 1 } }, [/^0\.auth\.tokne: .*write "token"/]],
    [{ auth: { type: "bearer", token: "K", password: "P" } }, [
      /^0\.auth\.password: "password" belongs to the auth type "basic", not to .*"bearer"/,
    ]],
    [{ auth: { type: "passthrough", key: "K" } }, [/"key" belongs to the auth type "api-key"/]],
    [{ auth: { type: "custom", header: {} } }, [
      /^0\.auth\.headers: It is missing/,
      /^0\.auth\.header: .*write "headers"/,
    ]],
    [{ substitutions: [{ key: "K", placeholder: "__k__", place: 1 }] }, [
      /^0\.substitutions\.0\.place: "place" is no field of a substitution/,
    ]],
  ];
  for (const [fields, expected] of cases) assertFaults(faultsWith(fields), expected);
  assertFaults(faultsOf({ services: [], servces: [] }), [/^servces: .*write "services"/]);
});

Deno.test("an auth type that does not exist is answered with the one that was meant", () => {
  const cases: [type: unknown, says: RegExp][] = [
    ["apikey", /write "api-key"/],
    ["api_key", /write "api-key"/],
    ["Bearer", /write "bearer"/],
    ["baerer", /write "bearer"/],
    ["none", /write "passthrough"/],
    ["digest", /write one of "bearer", "basic", "api-key", "custom", "passthrough"/],
    [undefined, /write one of "bearer"/],
    [5, /must be text/],
  ];
  for (const [type, says] of cases) {
    const [fault, ...rest] = faultsWith({ auth: { type } });
    assert.match(fault ?? "", /^0\.auth\.type: /);
    assert.match(fault ?? "", says);
    assert.deepEqual(rest, []);
  }
});

Deno.test("a missing or mistyped field is a fault at its place", () => {
  const cases: [fields: Record<string, unknown>, expected: RegExp[]][] = [
    [{ name: 5 }, [/^0\.name: It must be text/]],
    [{ name: "Git Hub" }, [/^0\.name: The name "Git Hub" .*"git-hub"/]],
    [{ host: undefined }, [/^0\.host: It is missing/]],
    [{ host: 5 }, [/^0\.host: It must be text/]],
    [{ host: "a.com/**" }, [/^0\.host: The host pattern "a.com\/\*\*"/]],
    [{ auth: undefined }, [/^0\.auth: It is missing/]],
    [{ auth: null }, [/^0\.auth: It must be a map/]],
    [{ auth: { type: "bearer" } }, [/^0\.auth\.token: It is missing/]],
    [{ auth: { type: "basic", password: null } }, [
      /^0\.auth\.username: It is missing/,
      /^0\.auth\.password: It must be text/,
    ]],
    [{ auth: { type: "api-key" } }, [/^0\.auth\.key: It is missing/]],
    [{ auth: { type: "custom", headers: {} } }, [/^0\.auth\.headers: It is empty/]],
    [{ auth: { type: "custom", headers: [] } }, [/^0\.auth\.headers: It must be a map/]],
    [{ auth: { type: "custom", headers: { X: " " } } }, [/^0\.auth\.headers\.X: .*empty/]],
    [{ auth: { type: "custom", headers: { X: 5 } } }, [/^0\.auth\.headers\.X: It must be text/]],
    [{ auth: { type: "custom", headers: { X: "{{ K" } } }, [/"\{\{" at column 1 is not closed/]],
    [{ enabled: "no" }, [/^0\.enabled: It must be true or false/]],
    [{ substitutions: {} }, [/^0\.substitutions: It must be a list/]],
    [{ substitutions: ["__k__"] }, [/^0\.substitutions\.0: It must be a map/]],
  ];
  for (const [fields, expected] of cases) assertFaults(faultsWith(fields), expected);
  for (const input of [null, "services", 5, undefined]) {
    assertFaults(faultsOf(input), [/^: It must be a map with "services"/]);
  }
  assertFaults(faultsOf({}), [/^services: It is missing/]);
  assertFaults(faultsOf({ services: null }), [/^services: It must be a list/]);
  assertFaults(faultsOf([5]), [/^0: It must be a map with name, host and auth/]);
});

Deno.test("substitutions are checked entry by entry and against each other", () => {
  const substitutions = [
    { key: "K", placeholder: "account_sid" },
    { key: "k", placeholder: "__k__", in: ["path", "pth", "path"] },
    { key: "K", placeholder: "__k__", in: [] },
    { placeholder: 5 },
  ];
  assertFaults(faultsWith({ substitutions }), [
    /^0\.substitutions\.0\.placeholder: .*bare word.*"__account_sid__"/,
    /^0\.substitutions\.1\.key: A credential key is capital letters/,
    /^0\.substitutions\.1\.in\.1: There is no such surface: write path/,
    /^0\.substitutions\.1\.in\.2: "path" is listed twice/,
    /^0\.substitutions\.2\.in: It is empty/,
    /^0\.substitutions\.3\.key: It is missing/,
    /^0\.substitutions\.3\.placeholder: It must be text/,
    /^0\.substitutions\.2\.placeholder: The placeholder is already that of entry 2/,
  ]);
});

Deno.test("every fault of a document is reported at once, in the order of its services", () => {
  const faults = faultsOf({
    extra: 1,
    services: [
      { name: "one", host: "https://a.com", auth: { type: "bearer", token: "k" } },
      { name: "two", host: "b.com", auth: { type: "passthrough" } },
      { name: "two", host: "c.com", auth: { type: "passthrough" } },
      { host: "new.com", auth: { type: "passthrough" } },
      { host: "newer.com", auth: { type: "bearer", tokn: "KEY" } },
    ],
  });
  assertFaults(faults, [
    /^extra: /,
    /^services\.0\.host: .*write "a.com"/,
    /^services\.0\.auth\.token: /,
    /^services\.2\.name: "two" is already the name of service 2/,
    /^services\.3\.name: It is missing: .*"new-com"/,
    /^services\.4\.auth\.token: It is missing/,
    /^services\.4\.auth\.tokn: .*write "token"/,
    /^services\.4\.name: It is missing: .*"newer-com"/,
  ]);
});

Deno.test("parseServices() reads every auth type, fills defaults and keeps hosts as written", () => {
  const written = {
    services: [
      { name: "github", host: "API.github.com", auth: { type: "bearer", token: "GITHUB_TOKEN" } },
      { name: "git", host: "github.com:443/a/*", auth: { type: "basic", username: "USER" } },
      {
        name: "basic",
        host: "*.b.com",
        enabled: false,
        auth: { type: "basic", username: "USER", password: "PASS" },
      },
      {
        name: "key",
        host: "c.com",
        auth: { type: "api-key", key: "K", header: "X-K", prefix: "T " },
      },
      {
        name: "custom",
        host: "[::1]",
        auth: { type: "custom", headers: { "X-A": "{{ A }}:{{ B }}" } },
      },
      {
        name: "open",
        host: "localhost",
        auth: { type: "passthrough" },
        substitutions: [
          { key: "SID", placeholder: "__sid__" },
          { key: "TOKEN", placeholder: "~tok~", in: ["body", "header", "websocket"] },
        ],
      },
    ],
  };
  const services = parseServices(written);
  const withDefaults = written.services.map(({ substitutions = [], ...service }) => ({
    enabled: true,
    ...service,
    substitutions: substitutions.map((entry) => ({ in: ["path", "query"], ...entry })),
  }));
  assert.deepEqual(services, withDefaults);
  assert.deepEqual(parseServices(written.services), services);
  // What was read can be written and read again.
  assert.deepEqual(parseServices({ services }), services);
  assert.deepEqual(parseServices({ services: [] }), []);
});

Deno.test("a nameless service takes over the name of the one service with its host, port and path", () => {
  const services = [existing("api", "API.a.com/v1/*"), existing("root", "api.a.com")];
  const nameless = (host: string) => [{ host, auth: { type: "passthrough" } }];
  assert.equal(parseServices(nameless("api.A.com/v1/*"), { existing: services })[0]?.name, "api");
  assert.equal(parseServices(nameless("api.a.com"), { existing: services })[0]?.name, "root");
  for (const other of ["api.a.com:443", "api.a.com/v1", "*.a.com", "api.a.com/V1/*"]) {
    assertFaults(faultsOf(nameless(other), services), [/^0\.name: It is missing: a new service/]);
  }
});

Deno.test("a nameless service whose host and path several services have is refused with their names", () => {
  const services = [existing("one", "a.com"), existing("two", "A.com"), existing("odd", "a..com")];
  const faults = faultsOf([{ host: "a.com", auth: { type: "passthrough" } }], services);
  assertFaults(faults, [/^0\.name: .*several services.*"one", "two"$/]);
});

Deno.test("two services that end up with one name are refused, however they came by it", () => {
  const faults = faultsOf([
    { host: "a.com", auth: { type: "passthrough" } },
    { name: "one", host: "b.com", auth: { type: "passthrough" } },
  ], [existing("one", "a.com")]);
  assertFaults(faults, [/^1\.name: "one" is already the name of service 1/]);
});

Deno.test("the suggested name of a new service is not taken by another", () => {
  const faults = faultsOf([{ host: "a.com:1", auth: { type: "passthrough" } }], [
    existing("a-com-1", "b.com"),
  ]);
  assertFaults(faults, [/such as "a-com-1-2"/]);
});

Deno.test("parseSettingsChange() reads a part of the settings and refuses all else", () => {
  assert.deepEqual(parseSettingsChange({ unmatched_host_policy: "deny" }), {
    unmatchedHostPolicy: "deny",
  });
  const whole = {
    unmatched_host_policy: "passthrough",
    plaintext_credentials: "always",
    notifications: "off",
  };
  const settings = {
    unmatchedHostPolicy: "passthrough",
    plaintextCredentials: "always",
    notifications: "off",
  } as const;
  assert.deepEqual(parseSettingsChange(whole), settings);
  assert.deepEqual(serializeSettings(settings), whole);
  assert.deepEqual(parseSettingsChange({}), {});
  assert.throws(
    () => parseSettingsChange({ unmatched_host_policy: "Deny", plaintext: 1, x: 1 }),
    ({ code, issues }: BrokerError) => {
      assert.equal(code, "validation_failed");
      assert.deepEqual(issues.map(({ path }) => path), [["unmatched_host_policy"], ["plaintext"], [
        "x",
      ]]);
      return true;
    },
  );
  for (const input of [null, [], "deny"]) {
    assert.throws(() => parseSettingsChange(input), { code: "validation_failed" });
  }
});
