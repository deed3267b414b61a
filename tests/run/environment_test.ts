import assert from "node:assert/strict";
import fc from "fast-check";
import { Secret } from "../../src/model/secret.ts";
import {
  childEnvironment,
  type ChildEnvironmentInput,
  proxyUrl,
  userRootFiles,
} from "../../src/run/environment.ts";

const STORED = "ghp_0123456789abcdefABCDEF";
const TOKEN = new Secret("brk_sess_abc");
const PROXY = "http://brk_sess_abc:default@127.0.0.1:40001";

/** The variables of the contract that hold the broker's CA alone, and those that hold the bundle. */
const CA_NAMES = ["NODE_EXTRA_CA_CERTS", "DENO_CERT"];
const BUNDLE_NAMES = [
  ..."SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO AWS_CA_BUNDLE".split(" "),
  ..."PIP_CERT NPM_CONFIG_CAFILE CARGO_HTTP_CAINFO GRPC_DEFAULT_SSL_ROOTS_FILE_PATH".split(" "),
  "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
];

function build(inherited: Record<string, string>, changes: Partial<ChildEnvironmentInput> = {}) {
  return childEnvironment({
    inherited,
    token: TOKEN,
    apiUrl: "http://127.0.0.1:40002",
    proxyUrl: proxyUrl({ token: TOKEN, vault: "default", port: 40001 }),
    vault: "default",
    caPath: "/home/me/.broker/ca.pem",
    bundlePath: "/home/me/.broker/bundle.pem",
    credentials: [{ key: "GITHUB_TOKEN", value: new Secret(STORED) }],
    referencedKeys: ["GITHUB_TOKEN"],
    placeholders: true,
    ...changes,
  });
}

Deno.test("the passphrase and an outer session do not reach the child", () => {
  const { environment } = build({
    BROKER_PASSPHRASE: "correct horse",
    BROKER_TOKEN: "brk_sess_outer",
    BROKER_ADDR: "http://127.0.0.1:1",
    BROKER_VAULT: "outer",
    OPENCLAW_PROXY_URL: "http://brk_sess_outer:outer@127.0.0.1:1",
    https_proxy: "http://user:company-password@proxy.example",
  });
  const text = JSON.stringify(environment);
  for (const value of ["correct horse", "outer", "company-password"]) {
    assert.ok(!text.includes(value), `the child got "${value}"`);
  }
});

Deno.test("no inherited variable carries a stored value, whatever its name and its wrapping", () => {
  const inherited = {
    GITHUB_TOKEN: STORED,
    GH_TOKEN: `${STORED}\n`,
    ORIGIN: `https://x:${STORED}@github.example/`,
    CURL_HEADER: `Authorization: Bearer ${STORED}`,
    GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${btoa(`x:${STORED}`)}`,
  };
  for (const placeholders of [true, false]) {
    const { environment, warnings } = build(inherited, { placeholders });
    const text = JSON.stringify(environment);
    assert.ok(!text.includes(STORED) && !text.includes(btoa(`x:${STORED}`)), text);
    assert.equal(environment["GITHUB_TOKEN"], "__github_token__");
    assert.equal(environment["GH_TOKEN"], "__github_token__");
    assert.equal(warnings.length, 5);
    assert.ok(!warnings.join().includes(STORED));
    for (const name of Object.keys(inherited)) {
      const line = warnings.find((warning) => warning.includes(`"${name}"`));
      assert.match(line ?? "", /"GITHUB_TOKEN"/);
    }
  }
});

Deno.test("a value of a credential that no service references is withheld too", () => {
  const { environment } = build({ OLD: STORED }, { referencedKeys: [] });
  assert.equal(environment["OLD"], "__github_token__");
});

Deno.test("any stored value of 16 characters or more is gone from any environment", () => {
  const value = fc.stringMatching(/^[!-~]{16,40}$/);
  const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/);
  const entries = fc.array(fc.tuple(name, fc.string(), fc.string()), { maxLength: 5 });
  fc.assert(fc.property(value, entries, fc.boolean(), (stored, wrapped, placeholders) => {
    const inherited = Object.fromEntries(
      wrapped.map(([key, before, after]) => [key, before + stored + after]),
    );
    const { environment, warnings } = build(inherited, {
      credentials: [{ key: "K", value: new Secret(stored) }],
      placeholders,
    });
    for (const text of [...Object.values(environment), ...warnings]) {
      assert.ok(!text.includes(stored));
    }
  }));
});

Deno.test("the child gets every variable of the contract, and what it inherits stays", () => {
  const { environment, warnings } = build({ PATH: "/bin", LANG: "en_GB.UTF-8", BROKER_HOME: "/b" });
  assert.deepEqual(environment, {
    PATH: "/bin",
    LANG: "en_GB.UTF-8",
    BROKER_HOME: "/b",
    GITHUB_TOKEN: "__github_token__",
    BROKER_TOKEN: "brk_sess_abc",
    BROKER_ADDR: "http://127.0.0.1:40002",
    BROKER_VAULT: "default",
    HTTPS_PROXY: PROXY,
    HTTP_PROXY: PROXY,
    https_proxy: PROXY,
    http_proxy: PROXY,
    NO_PROXY: "localhost,127.0.0.1,::1",
    no_proxy: "localhost,127.0.0.1,::1",
    NODE_USE_ENV_PROXY: "1",
    OPENCLAW_PROXY_URL: PROXY,
    ...Object.fromEntries(CA_NAMES.map((name) => [name, "/home/me/.broker/ca.pem"])),
    ...Object.fromEntries(BUNDLE_NAMES.map((name) => [name, "/home/me/.broker/bundle.pem"])),
  });
  assert.deepEqual(warnings, []);
});

Deno.test("the files that the user's certificate settings name are told apart by what programs do", () => {
  assert.deepEqual(
    userRootFiles({
      NODE_EXTRA_CA_CERTS: "/company.pem",
      DENO_CERT: "",
      SSL_CERT_FILE: "/all.pem",
      npm_config_cafile: "/npm.pem",
      SSL_CERT_DIR: "/certificates",
      PATH: "/bin",
    }),
    { adding: ["/company.pem"], replacing: ["/all.pem", "/npm.pem"] },
  );
});

Deno.test("inherited certificate settings give way to the broker's, in npm's lower case too", () => {
  const { environment } = build({
    SSL_CERT_FILE: "/corp/roots.pem",
    npm_config_cafile: "/corp/roots.pem",
    npm_config_registry: "https://registry.example",
  });
  assert.ok(!JSON.stringify(environment).includes("/corp/roots.pem"));
  assert.equal(environment["npm_config_registry"], "https://registry.example");
});

Deno.test("NO_PROXY joins both cases, --no-proxy and loopback, each entry once", () => {
  const { environment } = build(
    { NO_PROXY: "corp.example, LOCALHOST", no_proxy: "corp.example,10.0.0.0/8" },
    { extraNoProxy: ["a.example,b.example", "corp.example"] },
  );
  const merged = "corp.example,LOCALHOST,10.0.0.0/8,a.example,b.example,127.0.0.1,::1";
  assert.equal(environment["NO_PROXY"], merged);
  assert.equal(environment["no_proxy"], merged);
});

Deno.test("an inherited * in NO_PROXY does not send everything past the broker", () => {
  const { environment, warnings } = build({ NO_PROXY: "*,corp.example" });
  assert.equal(environment["NO_PROXY"], "corp.example,localhost,127.0.0.1,::1");
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /"NO_PROXY"/);
});

Deno.test("a service whose host NO_PROXY covers gives a warning that names the host", () => {
  const { warnings } = build(
    { NO_PROXY: "corp.example" },
    { serviceHostnames: ["git.corp.example", "api.example", "git.corp.example"] },
  );
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /"git\.corp\.example"/);
});

Deno.test("a referenced key replaces a value that the vault does not know, with a warning", () => {
  const { environment, warnings } = build({ GITHUB_TOKEN: "ghp_of_yesterday" });
  assert.equal(environment["GITHUB_TOKEN"], "__github_token__");
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /"GITHUB_TOKEN"/);
  assert.ok(!warnings[0]?.includes("ghp_of_yesterday"));
});

Deno.test("a placeholder of an outer run is kept without a warning", () => {
  const { environment, warnings } = build({ GITHUB_TOKEN: "__github_token__" });
  assert.equal(environment["GITHUB_TOKEN"], "__github_token__");
  assert.deepEqual(warnings, []);
});

Deno.test("--no-placeholders leaves absent variables absent and others alone", () => {
  const absent = build({}, { placeholders: false }).environment;
  assert.ok(!("GITHUB_TOKEN" in absent));
  const other = build({ GITHUB_TOKEN: "ghp_other" }, { placeholders: false });
  assert.equal(other.environment["GITHUB_TOKEN"], "ghp_other");
  assert.deepEqual(other.warnings, []);
});

Deno.test("a credential key named like one of the broker's variables does not replace it", () => {
  const { environment } = build({}, {
    referencedKeys: ["HTTPS_PROXY", "SSL_CERT_FILE", "BROKER_TOKEN", "BROKER_PASSPHRASE"],
  });
  assert.equal(environment["HTTPS_PROXY"], PROXY);
  assert.equal(environment["BROKER_TOKEN"], "brk_sess_abc");
  assert.ok(!("BROKER_PASSPHRASE" in environment));
});

Deno.test("where the system ignores case each variable exists once, under any spelling", () => {
  const { environment } = build({
    Path: "C:\\Windows",
    Https_Proxy: "http://user:company-password@proxy.example",
    Broker_Passphrase: "correct horse",
    No_Proxy: "corp.example",
    Github_Token: STORED,
  }, { caseInsensitive: true });
  const names = Object.keys(environment).map((name) => name.toUpperCase());
  assert.equal(new Set(names).size, names.length, names.join());
  assert.equal(environment["Path"], "C:\\Windows");
  assert.equal(environment["HTTPS_PROXY"], PROXY);
  assert.equal(environment["NO_PROXY"], "corp.example,localhost,127.0.0.1,::1");
  assert.equal(environment["Github_Token"], "__github_token__");
  assert.ok(!names.includes("BROKER_PASSPHRASE"));
});

Deno.test("proxyUrl() percent-encodes what would end the user information", () => {
  const url = proxyUrl({ token: new Secret("a:b@c/"), vault: "team vault", port: 8080 }).reveal();
  assert.equal(url, "http://a%3Ab%40c%2F:team%20vault@127.0.0.1:8080");
});

const SDK = [
  { name: "GITHUB_TOKEN", key: "GITHUB_TOKEN", prefix: "ghp_" },
  { name: "GH_TOKEN", key: "GITHUB_TOKEN", prefix: "ghp_" },
];

Deno.test("the variables that SDKs read hold placeholders in the shape that they accept", () => {
  const { environment, warnings } = build({}, { sdkVariables: SDK });
  assert.equal(environment["GITHUB_TOKEN"], "ghp___github_token__");
  assert.equal(environment["GH_TOKEN"], "ghp___github_token__");
  assert.deepEqual(warnings, []);
});

Deno.test("what the user set in an SDK's variable stays, unless it is a stored credential", () => {
  const kept = build({ GH_TOKEN: "another account's" }, { sdkVariables: SDK });
  assert.equal(kept.environment["GH_TOKEN"], "another account's");
  assert.deepEqual(kept.warnings, []);
  const scrubbed = build({ GH_TOKEN: STORED }, { sdkVariables: SDK });
  assert.equal(scrubbed.environment["GH_TOKEN"], "ghp___github_token__");
  assert.equal(scrubbed.warnings.length, 1);
});

Deno.test("without placeholders no SDK's variable is set", () => {
  const { environment } = build({}, { sdkVariables: SDK, placeholders: false });
  assert.equal(environment["GH_TOKEN"], undefined);
});

Deno.test("a key that a service replaces is told by the placeholder that it replaces", () => {
  const substitutions = [
    { key: "GITHUB_TOKEN", placeholder: "__one__" },
    { key: "OTHER", placeholder: "__other__" },
  ];
  const { environment } = build({}, { sdkVariables: SDK, substitutions });
  assert.equal(environment["GITHUB_TOKEN"], "__one__");
  assert.equal(environment["GH_TOKEN"], "__one__");
  const usual = { key: "GITHUB_TOKEN", placeholder: "__github_token__" };
  const both = build({}, { sdkVariables: SDK, substitutions: [...substitutions, usual] });
  assert.equal(both.environment["GITHUB_TOKEN"], "__github_token__");
});

Deno.test("an SDK's variable never takes the place of the broker's own", () => {
  const sdkVariables = [{ name: "HTTPS_PROXY", key: "GITHUB_TOKEN", prefix: "" }];
  assert.equal(build({}, { sdkVariables }).environment["HTTPS_PROXY"], PROXY);
});
