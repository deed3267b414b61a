/** Every row of the table of refusals (interfaces: Proxy), in absolute-form and in a tunnel. */
import assert from "node:assert/strict";
import { statusOf } from "../support/raw_client.ts";
import { createTestAuthority, testAuthority, testCertificate } from "../support/tls_fixture.ts";
import { rawResponse, startUpstream, type UpstreamOptions } from "../support/upstream.ts";
import { TestBroker, type TestBrokerOptions, type TestVault } from "./fixture.ts";
import { assertLogged, assertRefusal, proposalHint } from "./refusal.ts";
import { inTunnel, type RequestText, type Way, WAYS } from "./ways.ts";

/** Addresses that the resolver gives, changed by a test in its course. */
interface Network {
  addresses: readonly string[];
}

interface Refused {
  readonly name: string;
  readonly status: number;
  readonly code: string;
  readonly extras?: Readonly<Record<string, unknown>>;
  readonly broker: TestBrokerOptions;
  readonly upstream?: UpstreamOptions;
  readonly addresses?: readonly string[];
  readonly request?: RequestText;
  readonly body?: string;
  /** Whether the connection lives on. */
  readonly kept: boolean;
  /** What the owner mends, after which the same request is answered. */
  readonly repair?: { readonly vault?: TestVault; readonly addresses?: readonly string[] };
  /** The upstream heard of the request. */
  readonly reached?: boolean;
  readonly ways?: readonly Way[];
}

const passing: TestVault = { services: [{ host: "api.test" }] };
const bearer = { host: "api.test", auth: { type: "bearer", token: "KEY" } } as const;
const withPath = {
  host: "api.test",
  substitutions: [{ key: "PART", placeholder: "__part__", in: ["path"] }],
} as const;
const withBody = {
  host: "api.test",
  substitutions: [{ key: "PART", placeholder: "__part__", in: ["body"] }],
} as const;
const selfMade = createTestAuthority("Nobody's authority");
const [forward] = WAYS as [Way, Way];

/** Answers the first request of all with these bytes, later ones well. */
function firstAnswer(bytes: string | undefined): UpstreamOptions {
  let count = 0;
  return { respond: () => ++count === 1 ? bytes : rawResponse() };
}

const TABLE: readonly Refused[] = [
  {
    name: "a host without a service in a vault that denies them",
    status: 403,
    code: "forbidden",
    extras: proposalHint("api.test"),
    broker: { services: [{ host: "other.test" }], settings: { unmatchedHostPolicy: "deny" } },
    kept: true,
    repair: { vault: passing },
  },
  {
    name: "a vault whose services were cleared",
    status: 403,
    code: "no_services",
    extras: proposalHint("api.test"),
    broker: { cleared: true },
    kept: true,
    repair: { vault: passing },
  },
  {
    name: "a disabled service",
    status: 403,
    code: "service_disabled",
    extras: { service: "mine" },
    broker: { services: [{ name: "mine", host: "api.test", enabled: false }] },
    kept: true,
    repair: { vault: { services: [{ name: "mine", host: "api.test" }] } },
  },
  {
    name: "a credential on plain HTTP to a public address",
    status: 403,
    code: "plaintext_refused",
    broker: { services: [bearer], credentials: { KEY: "s3cret" } },
    addresses: ["8.8.8.8"],
    kept: true,
    repair: { addresses: ["127.0.0.1"] },
    ways: [forward],
  },
  {
    name: "a placeholder's credential on plain HTTP to a public address",
    status: 403,
    code: "plaintext_refused",
    broker: { services: [withPath], credentials: { PART: "s3cret" } },
    addresses: ["8.8.8.8"],
    kept: true,
    repair: { addresses: ["127.0.0.1"] },
    ways: [forward],
  },
  {
    name: "a guarded address",
    status: 403,
    code: "network_blocked",
    extras: { address: "127.0.0.1" },
    broker: { services: [{ host: "*.test" }] },
    kept: true,
    repair: { vault: passing },
  },
  {
    name: "a metadata endpoint, named by a service or not",
    status: 403,
    code: "network_blocked",
    extras: { address: "169.254.169.254" },
    broker: passing,
    addresses: ["169.254.169.254"],
    kept: true,
    repair: { addresses: ["127.0.0.1"] },
  },
  {
    name: "a body over the limit of substitution",
    status: 413,
    code: "request_too_large",
    extras: { limit_bytes: 10 },
    broker: {
      services: [withBody],
      credentials: { PART: "s3cret" },
      limits: { substitutedBodyBytes: 10 },
    },
    request: { method: "POST", fields: ["Content-Length: 11"] },
    body: "12345678901",
    kept: false,
  },
  {
    name: "a head over the limit",
    status: 431,
    code: "headers_too_large",
    broker: passing,
    request: { fields: [`A: ${"a".repeat(64 * 1024)}`] },
    kept: false,
  },
  {
    name: "more fields than the limit",
    status: 431,
    code: "headers_too_large",
    broker: passing,
    request: { fields: Array.from({ length: 201 }, () => "A: a") },
    kept: false,
  },
  {
    name: "a malformed request",
    status: 400,
    code: "bad_request",
    broker: passing,
    request: { fields: ["Host: again"] },
    kept: false,
  },
  {
    name: "a path that two rules could take",
    status: 400,
    code: "bad_request",
    broker: { services: [{ host: "api.test/api/*" }, { host: "api.test/admin/*" }] },
    request: { path: "/api/../admin/users" },
    kept: false,
  },
  {
    name: "a missing credential, every key named",
    status: 502,
    code: "credential_not_found",
    extras: { missing: ["USER", "PASSWORD", "PART"] },
    broker: {
      services: [{
        ...withPath,
        auth: { type: "basic", username: "USER", password: "PASSWORD" },
      }],
    },
    kept: true,
    repair: { vault: passing },
  },
  {
    name: "a credential that no header can carry",
    status: 502,
    code: "credential_unusable",
    broker: { services: [bearer], credentials: { KEY: "two\r\nlines" } },
    kept: true,
    repair: { vault: passing },
  },
  {
    name: "a name without addresses",
    status: 502,
    code: "dns_failed",
    broker: passing,
    addresses: [],
    kept: true,
    repair: { addresses: ["127.0.0.1"] },
  },
  {
    name: "an address where nobody listens",
    status: 502,
    code: "upstream_unreachable",
    broker: passing,
    addresses: ["127.0.0.2"],
    kept: true,
    repair: { addresses: ["127.0.0.1"] },
  },
  {
    name: "an upstream that does not answer",
    status: 504,
    code: "upstream_timeout",
    broker: { ...passing, limits: { upstreamIdleMs: 1 } },
    upstream: { serve: async (connection) => void (await connection.reader.takeAll()) },
    kept: true,
    reached: true,
  },
  {
    name: "an upstream that is silent in the TLS handshake",
    status: 504,
    code: "upstream_timeout",
    broker: { ...passing, handshakeMs: 50 },
    upstream: { serve: async (connection) => void (await connection.reader.takeAll()) },
    kept: true,
    reached: true,
    ways: [{ ...inTunnel, upstream: {} }],
  },
  {
    name: "a certificate of an authority that nobody trusts",
    status: 502,
    code: "upstream_tls_failed",
    broker: passing,
    upstream: { tls: selfMade.issue(["api.test"]) },
    kept: true,
    ways: [inTunnel],
  },
  {
    name: "a certificate for another name",
    status: 502,
    code: "upstream_tls_failed",
    broker: passing,
    upstream: { tls: testAuthority().issue(["other.test"]) },
    kept: true,
    ways: [inTunnel],
  },
  {
    name: "a certificate that has expired",
    status: 502,
    code: "upstream_tls_failed",
    broker: passing,
    upstream: {
      tls: testAuthority().issue(["api.test"], {
        notBefore: new Date(Date.now() - 10 * 86_400_000),
        notAfter: new Date(Date.now() - 86_400_000),
      }),
    },
    kept: true,
    ways: [inTunnel],
  },
  {
    name: "plain HTTP where TLS was expected",
    status: 502,
    code: "upstream_tls_failed",
    broker: passing,
    upstream: {
      serve: async (connection) => {
        await connection.reader.takeSome();
        await connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
      },
    },
    kept: true,
    reached: true,
    ways: [{ ...inTunnel, upstream: {} }],
  },
  ...[
    ["nothing", ""],
    ["nothing but a closed connection", undefined],
    ["half a head", "HTTP/1.1 200 OK\r\nConte"],
    ["garbage", "SSH-2.0-OpenSSH_9.9\r\n\r\n"],
    ["a later protocol", "HTTP/2 200\r\n\r\n"],
    ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
    ["a bare LF", "HTTP/1.1 200 OK\nContent-Length: 0\n\n"],
    ["a folded field", "HTTP/1.1 200 OK\r\nA: 1\r\n 2\r\nContent-Length: 0\r\n\r\n"],
    ["a NUL", "HTTP/1.1 200 OK\r\nA: \0\r\nContent-Length: 0\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 1\r\n\r\n"],
    ["a signed length", "HTTP/1.1 200 OK\r\nContent-Length: +0\r\n\r\n"],
    [
      "both length and coding",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["an unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"],
    ["a coding in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["a protocol switch that nobody asked for", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"],
    ["a huge head", `HTTP/1.1 200 OK\r\nA: ${"a".repeat(70_000)}\r\n\r\n`],
  ].map(([what, bytes]): Refused => ({
    name: `an upstream that answers with ${what}`,
    status: 502,
    code: "upstream_protocol_error",
    broker: passing,
    upstream: {
      serve: async (connection) => {
        await connection.readRequest();
        if (bytes === undefined) return;
        await connection.send(bytes);
        // Leaving at once could reset the connection before the bytes were read.
        await connection.closeWrite();
        await connection.reader.takeAll();
      },
    },
    kept: true,
    reached: true,
  })),
  {
    name: "a first answer that is garbage, the next being well",
    status: 502,
    code: "upstream_protocol_error",
    broker: passing,
    upstream: firstAnswer("garbage\r\n\r\n"),
    kept: true,
    reached: true,
    repair: {},
    ways: [forward],
  },
];

for (const refused of TABLE) {
  for (const way of refused.ways ?? WAYS) {
    Deno.test(`${refused.name} gives ${refused.status} ${refused.code} ${way.name}`, async () => {
      await using upstream = startUpstream({ ...way.upstream, ...refused.upstream });
      const network: Network = { addresses: refused.addresses ?? ["127.0.0.1"] };
      await using broker = new TestBroker({
        resolve: () => Promise.resolve(network.addresses),
        ...refused.broker,
      });
      using client = await way.open(broker, upstream.port);
      const text = way.head(broker, upstream.port, refused.request ?? {}) + (refused.body ?? "");

      const answer = await client.exchange(text);
      const id = assertRefusal(answer, refused);
      await assertLogged(broker, id, refused);
      const { ingress, method, host } = broker.rows[0]!;
      const readable = refused.status !== 431;
      assert.deepEqual({ ingress, method, host }, {
        ingress: way.ingress,
        method: readable ? refused.request?.method ?? "GET" : "-",
        host: readable ? `api.test:${upstream.port}` : "-",
      });
      if (refused.reached !== true) assert.equal(upstream.requests.length, 0);
      assert.deepEqual(answer.values("connection"), refused.kept ? [] : ["close"]);

      if (!refused.kept) {
        assert.deepEqual(await client.readToEnd(), new Uint8Array(0));
        broker.change(passing);
        using next = await way.open(broker, upstream.port);
        const well = await next.exchange(way.head(broker, upstream.port, {}));
        assert.equal(statusOf(well), 200);
        return;
      }
      if (refused.repair === undefined) {
        const again = await client.exchange(text);
        assert.notEqual(assertRefusal(again, refused), id);
        return;
      }
      if (refused.repair.vault !== undefined) broker.change(refused.repair.vault);
      network.addresses = refused.repair.addresses ?? network.addresses;
      const well = await client.exchange(text);
      assert.equal(statusOf(well), 200, well.text);
    });
  }
}

for (const way of WAYS) {
  Deno.test(`the proxy's own port as the upstream gives 508 loop_detected ${way.name}`, async () => {
    await using broker = new TestBroker(passing);
    using client = await way.open(broker, broker.proxy.port);
    const answer = await client.exchange(way.head(broker, broker.proxy.port, {}));
    const expected = { status: 508, code: "loop_detected" };
    await assertLogged(broker, assertRefusal(answer, expected), expected);
  });

  Deno.test(`another port of the broker as the upstream gives 508 loop_detected ${way.name}`, async () => {
    await using api = startUpstream();
    await using broker = new TestBroker({ ...passing, ownPorts: [api.port] });
    using client = await way.open(broker, api.port);
    const answer = await client.exchange(way.head(broker, api.port, {}));
    assertRefusal(answer, { status: 508, code: "loop_detected" });
    assert.equal(api.accepted, 0);
  });

  Deno.test(`a refused request's small body is read, and the connection kept ${way.name}`, async () => {
    await using upstream = startUpstream(way.upstream);
    await using broker = new TestBroker({ cleared: true });
    using client = await way.open(broker, upstream.port);
    const post = way.head(broker, upstream.port, {
      method: "POST",
      fields: ["Content-Length: 5"],
    });
    assertRefusal(await client.exchange(post + "hello"), {
      status: 403,
      code: "no_services",
      extras: proposalHint("api.test"),
    });
    broker.change(passing);
    assert.equal(statusOf(await client.exchange(post + "hello")), 200);
    assert.equal(upstream.requests[0]!.text, "hello");
  });

  Deno.test(`a refused request's large body closes the connection behind the answer ${way.name}`, async () => {
    await using broker = new TestBroker({ cleared: true, limits: { drainBytes: 4 } });
    using client = await way.open(broker, 443);
    const answer = await client.exchange(
      way.head(broker, 443, { method: "POST", fields: ["Content-Length: 5"] }) + "hello",
    );
    assert.deepEqual(answer.values("connection"), ["close"]);
    assert.equal((await client.readToEnd()).length, 0);
  });

  Deno.test(`a refusal of a HEAD request has no body ${way.name}`, async () => {
    await using upstream = startUpstream(way.upstream);
    await using broker = new TestBroker({ cleared: true });
    using client = await way.open(broker, upstream.port);
    const head = way.head(broker, upstream.port, { method: "HEAD" });
    const answer = await client.exchange(head, { method: "HEAD" });
    assert.equal(statusOf(answer), 403);
    broker.change(passing);
    assert.equal(statusOf(await client.exchange(way.head(broker, upstream.port, {}))), 200);
  });

  Deno.test(`an error that nobody foresaw gives 500 with an id and none of its text ${way.name}`, async () => {
    await using broker = new TestBroker({
      ...passing,
      resolve: () => Promise.resolve(["127.0.0.1"]),
      guard: {
        check: () => {
          throw new Error("s3cret detail");
        },
      },
    });
    using client = await way.open(broker, 443);
    const answer = await client.exchange(way.head(broker, 443, {}));
    assertRefusal(answer, { status: 500, code: "internal_error" });
    assert.ok(!answer.text.includes("s3cret"));
    assert.equal(broker.defects.length, 1);
    broker.defects.length = 0;
  });
}

Deno.test("a credential goes over plain HTTP to a public address where the vault allows it or the service names the port", async () => {
  await using upstream = startUpstream();
  const vaults: readonly TestVault[] = [
    { services: [bearer], settings: { plaintextCredentials: "always" } },
    { services: [{ ...bearer, host: "api.test:81" }] },
  ];
  for (const vault of vaults) {
    await using broker = new TestBroker({
      ...vault,
      credentials: { KEY: "s3cret" },
      resolve: () => Promise.resolve(["8.8.8.8"]),
      // Stands in for the public address, which a test must not dial.
      selectParent: () => ({
        hostname: "127.0.0.1",
        port: upstream.port,
        authorization: undefined,
        variable: "HTTP_PROXY",
      }),
    });
    using client = await broker.connect();
    const answer = await client.exchange(forward.head(broker, 81, {}));
    assert.equal(statusOf(answer), 200);
    assert.deepEqual(upstream.requests.at(-1)!.values("authorization"), ["Bearer s3cret"]);
  }
});

Deno.test("a tunnel that was opened only to tell a refusal closes behind it, so that the next CONNECT is judged anew", async () => {
  await using upstream = startUpstream({ tls: testCertificate("other.test") });
  const network: Network = { addresses: [] };
  await using broker = new TestBroker({
    ...passing,
    guard: { check: () => ({ allowed: true }) },
    resolve: () => Promise.resolve(network.addresses),
  });
  using client = await broker.tunnel(`other.test:${upstream.port}`);
  const answer = await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const expected = { status: 502, code: "dns_failed" };
  await assertLogged(broker, assertRefusal(answer, expected), expected);
  assert.deepEqual(answer.values("connection"), ["close"]);
  assert.equal((await client.readToEnd()).length, 0);

  network.addresses = ["127.0.0.1"];
  using next = await broker.connect();
  await next.openTunnel(`other.test:${upstream.port}`, {
    authorization: broker.authorization,
    caCerts: [testAuthority().certificatePem],
  });
  assert.equal(statusOf(await next.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")), 200);
});
