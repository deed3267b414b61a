import assert from "node:assert/strict";
import fc from "fast-check";
import { BrokerError } from "../../src/errors.ts";
import { parseParentProxies, selectParent } from "../../src/run/parent_proxy.ts";

const PASSWORD = "hunter2-of-the-proxy";

function refusal(environment: Record<string, string>): BrokerError {
  try {
    parseParentProxies(environment);
  } catch (error) {
    assert.ok(error instanceof BrokerError);
    return error;
  }
  assert.fail("the environment was accepted");
}

Deno.test("a refused proxy URL shows its password nowhere", () => {
  const values = [
    `socks5://user:${PASSWORD}@proxy.example:1080`,
    `http://user:${PASSWORD}@proxy.example:99999`,
    `http://user:${PASSWORD}@`,
    `http://user:${PASSWORD}@[::zz]:1`,
    `user:${PASSWORD}@proxy example`,
  ];
  for (const value of values) {
    const error = refusal({ HTTPS_PROXY: value });
    const shown = `${Deno.inspect(error)} ${JSON.stringify(error)} ${error.message} ${error.hint}`;
    assert.ok(!shown.includes(PASSWORD), `${value} showed its password: ${shown}`);
    assert.match(error.message, /"HTTPS_PROXY"/);
  }
});

Deno.test("the proxy's password does not show when the parent is printed", () => {
  const { https } = parseParentProxies({ https_proxy: `http://user:${PASSWORD}@proxy.example` });
  const encoded = btoa(`user:${PASSWORD}`);
  const shown = `${Deno.inspect(https)} ${JSON.stringify(https)}`;
  assert.ok(!shown.includes(PASSWORD) && !shown.includes(encoded), shown);
});

Deno.test("a SOCKS proxy is refused with the variable and what is supported", () => {
  for (const scheme of ["socks", "socks4", "socks4a", "socks5", "socks5h", "SOCKS5"]) {
    const error = refusal({ ALL_PROXY: `${scheme}://127.0.0.1:1080` });
    assert.equal(error.code, "validation_failed");
    assert.match(error.message, /"ALL_PROXY": "socks\w*:\/\/" .*only http:\/\/ ones/);
    assert.match(error.hint ?? "", /env -u ALL_PROXY/);
  }
});

Deno.test("a SOCKS ALL_PROXY is not asked when both schemes have a proxy of their own", () => {
  const proxies = parseParentProxies({
    ALL_PROXY: "socks5://127.0.0.1:1080",
    HTTPS_PROXY: "http://proxy.example:3128",
    http_proxy: "http://proxy.example:3128",
  });
  assert.equal(proxies.https?.hostname, "proxy.example");
});

Deno.test("an environment without proxies has no parent", () => {
  const proxies = parseParentProxies({ PATH: "/bin" });
  assert.deepEqual(proxies, { http: undefined, https: undefined, noProxy: "" });
  assert.equal(selectParent(proxies, { scheme: "https", hostname: "api.example" }), undefined);
});

Deno.test("lower case comes before upper case and all_proxy comes last", () => {
  const all = {
    https_proxy: "http://one.example",
    HTTPS_PROXY: "http://two.example",
    all_proxy: "http://three.example",
    ALL_PROXY: "http://four.example",
  };
  const order: string[] = [];
  const left: Record<string, string> = { ...all };
  for (const name of Object.keys(all)) {
    const { https } = parseParentProxies(left);
    order.push(`${https?.variable}=${https?.hostname}`);
    delete left[name];
  }
  assert.deepEqual(order, [
    "https_proxy=one.example",
    "HTTPS_PROXY=two.example",
    "all_proxy=three.example",
    "ALL_PROXY=four.example",
  ]);
  assert.equal(parseParentProxies(left).https, undefined);
});

Deno.test("an empty variable counts as absent", () => {
  const proxies = parseParentProxies({ https_proxy: "", HTTPS_PROXY: "http://proxy.example" });
  assert.equal(proxies.https?.variable, "HTTPS_PROXY");
});

Deno.test("HTTPS_PROXY does not serve http upstreams, nor HTTP_PROXY https ones", () => {
  const https = parseParentProxies({ HTTPS_PROXY: "http://proxy.example" });
  assert.equal(selectParent(https, { scheme: "http", hostname: "api.example" }), undefined);
  const http = parseParentProxies({ HTTP_PROXY: "http://proxy.example" });
  assert.equal(selectParent(http, { scheme: "https", hostname: "api.example" }), undefined);
  assert.equal(selectParent(http, { scheme: "http", hostname: "api.example" })?.port, 80);
});

const URLS: readonly (readonly [url: string, tls: boolean, hostname: string, port: number])[] = [
  ["http://proxy.example:3128", false, "proxy.example", 3128],
  ["http://proxy.example:3128/", false, "proxy.example", 3128],
  ["HTTP://Proxy.Example", false, "proxy.example", 80],
  ["proxy.example:3128", false, "proxy.example", 3128],
  ["proxy.example", false, "proxy.example", 80],
  [" http://proxy.example:80 ", false, "proxy.example", 80],
  ["https://proxy.example", true, "proxy.example", 443],
  ["https://proxy.example:8443", true, "proxy.example", 8443],
  ["http://[::1]:3128", false, "::1", 3128],
  ["10.0.0.1:8080", false, "10.0.0.1", 8080],
  ["user:pw@proxy.example:3128", false, "proxy.example", 3128],
];

for (const [url, tls, hostname, port] of URLS) {
  Deno.test(`proxy URL "${url}" is read as ${tls ? "TLS " : ""}${hostname} port ${port}`, () => {
    const { https } = parseParentProxies({ https_proxy: url });
    assert.deepEqual(
      { tls: https?.tls, hostname: https?.hostname, port: https?.port },
      { tls, hostname, port },
    );
  });
}

Deno.test("credentials of the proxy URL are percent-decoded into a Basic value", () => {
  const decoded = (url: string) => {
    const value = parseParentProxies({ https_proxy: url }).https?.authorization?.reveal();
    return value === undefined ? undefined : atob(value.replace(/^Basic /, ""));
  };
  assert.equal(decoded("http://proxy.example"), undefined);
  assert.equal(decoded("http://user@proxy.example"), "user:");
  assert.equal(decoded("http://:pw@proxy.example"), ":pw");
  assert.equal(decoded("http://us%3Aer:p%40s%2Fs@proxy.example"), "us:er:p@s/s");
  assert.equal(decoded("http://u:100%@proxy.example"), "u:100%");
  assert.equal(decoded("http://u:%E9@proxy.example"), "u:\xe9");
});

Deno.test("any user name and password survive the way through a proxy URL", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: "grapheme", minLength: 1 }),
      (user, password) => {
        const name = encodeURIComponent(user);
        const url = `http://${name}:${encodeURIComponent(password)}@proxy.example`;
        const value = parseParentProxies({ https_proxy: url }).https?.authorization?.reveal() ?? "";
        const bytes = Uint8Array.from(
          atob(value.slice("Basic ".length)),
          (char) => char.charCodeAt(0),
        );
        assert.equal(new TextDecoder().decode(bytes), `${user}:${password}`);
      },
    ),
  );
});

Deno.test("a host that NO_PROXY covers has no parent, whatever its scheme", () => {
  const proxies = parseParentProxies({
    https_proxy: "http://proxy.example",
    http_proxy: "http://proxy.example",
    no_proxy: "corp.example,10.0.0.0/8",
    NO_PROXY: "api.example",
  });
  for (const scheme of ["http", "https"] as const) {
    assert.equal(selectParent(proxies, { scheme, hostname: "git.corp.example" }), undefined);
    assert.equal(selectParent(proxies, { scheme, hostname: "10.9.9.9" }), undefined);
    // As curl: where both are set, only the lower-case list is read.
    assert.equal(selectParent(proxies, { scheme, hostname: "api.example" })?.port, 80);
  }
});

Deno.test("the proxy of an outer run serves as the parent of an inner one", () => {
  const { https } = parseParentProxies({
    https_proxy: "http://brk_sess_abc:default@127.0.0.1:40123",
  });
  assert.equal(https?.hostname, "127.0.0.1");
  assert.equal(https?.authorization?.reveal(), `Basic ${btoa("brk_sess_abc:default")}`);
});

Deno.test("names in any case are found where the system ignores case", () => {
  const environment = { Https_Proxy: "http://proxy.example", No_Proxy: "corp.example" };
  assert.equal(parseParentProxies(environment).https, undefined);
  const proxies = parseParentProxies(environment, { caseInsensitive: true });
  assert.equal(proxies.https?.variable, "Https_Proxy");
  assert.equal(proxies.noProxy, "corp.example");
});
