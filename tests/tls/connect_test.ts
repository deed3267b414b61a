import assert from "node:assert/strict";
import { connectTls, type ConnectTlsOptions, TlsConnectError } from "../../src/tls/connect.ts";
import { type TlsFault, tlsFaultOf } from "../../src/tls/connect_fault.ts";
import {
  createTestAuthority,
  type ServerCertificate,
  testAuthority,
  testCertificate,
} from "../support/tls_fixture.ts";

const CA = testAuthority().certificatePem;
const DAY = 86_400_000;

/** Connects to a server for one connection, and gives what came of it. */
async function attempt(
  listener: Deno.Listener,
  serve: (conn: Deno.Conn) => Promise<unknown>,
  options: ConnectTlsOptions,
): Promise<Deno.TlsConn> {
  const { port } = listener.addr as Deno.NetAddr;
  const served = listener.accept().then(async (conn) => {
    // Whatever the client does to this connection is its own affair.
    await serve(conn).catch(() => {});
    conn.close();
  });
  try {
    const tcp = await Deno.connect({ hostname: "127.0.0.1", port });
    return await connectTls(tcp, options);
  } finally {
    await served;
    listener.close();
  }
}

function attemptTls(
  certificate: ServerCertificate,
  options: ConnectTlsOptions & { readonly alpn?: string[] },
): Promise<Deno.TlsConn> {
  const listener = Deno.listenTls({
    hostname: "127.0.0.1",
    port: 0,
    alpnProtocols: options.alpn ?? ["http/1.1"],
    ...certificate,
  });
  return attempt(listener, (conn) => (conn as Deno.TlsConn).handshake(), options);
}

function attemptRaw(
  serve: (conn: Deno.Conn) => Promise<unknown>,
  options: Partial<ConnectTlsOptions> = {},
): Promise<Deno.TlsConn> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return attempt(listener, serve, { hostname: "localhost", caCerts: [CA], ...options });
}

function hasFault(fault: TlsFault, text: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof TlsConnectError, String(error));
    assert.equal(error.fault, fault, error.message);
    assert.match(error.message, text);
    return true;
  };
}

async function readToEnd(conn: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(1_024);
  while (await conn.read(buffer) !== null);
}

Deno.test("a certificate of an issuer that is not trusted is refused", async () => {
  const stranger = createTestAuthority("Somebody else").issue(["localhost"]);
  for (const caCerts of [[], [CA]]) {
    await assert.rejects(
      attemptTls(stranger, { hostname: "localhost", caCerts }),
      hasFault("unknown_issuer", /"localhost".*not trusted.*BROKER_UPSTREAM_CA/),
    );
  }
});

Deno.test("a certificate for another name is refused, and the message lists its names", async () => {
  await assert.rejects(
    attemptTls(testCertificate("other.example", "192.0.2.1"), {
      hostname: "localhost",
      caCerts: [CA],
    }),
    hasFault("name_mismatch", /other\.example or 192\.0\.2\.1$/),
  );
});

Deno.test("an empty host name is not taken for 127.0.0.1", async () => {
  const certificate = testCertificate("127.0.0.1");
  for (const hostname of ["", "."]) {
    await assert.rejects(
      attemptTls(certificate, { hostname, caCerts: [CA] }),
      hasFault("bad_hostname", /cannot be written/),
    );
  }
});

Deno.test("an address needs a certificate for the address", async () => {
  const byName = testCertificate("localhost");
  for (const hostname of ["127.0.0.1", "::1"]) {
    await assert.rejects(
      attemptTls(byName, { hostname, caCerts: [CA] }),
      hasFault("name_mismatch", /other names: localhost$/),
    );
  }
});

Deno.test("a certificate outside its time is refused", async () => {
  const now = Date.now();
  const expired = testAuthority().issue(["localhost"], { notAfter: new Date(now - 3_600_000) });
  await assert.rejects(
    attemptTls(expired, { hostname: "localhost", caCerts: [CA] }),
    hasFault("expired", /has expired/),
  );
  const early = testAuthority().issue(["localhost"], {
    notBefore: new Date(now + DAY),
    notAfter: new Date(now + 2 * DAY),
  });
  await assert.rejects(
    attemptTls(early, { hostname: "localhost", caCerts: [CA] }),
    hasFault("not_yet_valid", /not valid yet/),
  );
});

Deno.test("a host name that TLS cannot carry is refused", async () => {
  for (const hostname of ["a b", "a:80", "münchen.de", "1.2.3"]) {
    await assert.rejects(
      attemptTls(testCertificate("localhost"), { hostname, caCerts: [CA] }),
      hasFault("bad_hostname", /cannot be written/),
    );
  }
});

Deno.test("a server that speaks HTTP/2 only is told apart", async () => {
  await assert.rejects(
    attemptTls(testCertificate("localhost"), {
      hostname: "localhost",
      caCerts: [CA],
      alpn: ["h2"],
    }),
    hasFault("protocol_mismatch", /HTTP\/1\.1/),
  );
});

Deno.test("a server without TLS is told apart", async () => {
  const answers = ["HTTP/1.1 400 Bad Request\r\n\r\n", "220 mail.example ESMTP\r\n"];
  for (const answer of answers) {
    await assert.rejects(
      attemptRaw(async (conn) => {
        await conn.write(new TextEncoder().encode(answer));
        await readToEnd(conn);
      }),
      hasFault("not_tls", /does not speak TLS/),
    );
  }
});

Deno.test("a server that hangs up during the handshake is told apart", async () => {
  await assert.rejects(
    attemptRaw((conn) => conn.read(new Uint8Array(4_096))),
    hasFault("closed", /closed the connection/),
  );
});

Deno.test("a server that never answers is given up, and its connection closed", async () => {
  await assert.rejects(
    attemptRaw(readToEnd, { timeoutMs: 20 }),
    hasFault("timeout", /within 0\.02 s/),
  );
});

Deno.test("a signal ends the handshake with its own reason", async () => {
  const before = new Error("before");
  await assert.rejects(
    attemptRaw(readToEnd, { signal: AbortSignal.abort(before) }),
    (error) => error === before,
  );
  const during = new Error("during");
  const controller = new AbortController();
  await assert.rejects(
    attemptRaw(async (conn) => {
      await conn.read(new Uint8Array(4_096));
      controller.abort(during);
      await readToEnd(conn);
    }, { signal: controller.signal }),
    (error) => error === during,
  );
});

Deno.test("a root that is no certificate fails the handshake and closes the connection", async () => {
  const root = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
  await assert.rejects(
    attemptRaw(readToEnd, { caCerts: [CA, root] }),
    (error) => error instanceof TlsConnectError,
  );
});

Deno.test("a verified server is reached by name and by address", async () => {
  const certificate = testCertificate("localhost", "a_b.example", "127.0.0.1", "::1");
  const hostnames = [
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a_b.example",
    "127.0.0.1",
    "::1",
    "[::1]",
  ];
  for (const hostname of hostnames) {
    const tls = await attemptTls(certificate, { hostname, caCerts: [CA] });
    assert.deepEqual({ ...await tls.handshake() }, { alpnProtocol: "http/1.1" }, hostname);
    tls.close();
  }
});

Deno.test("the words of rustls that no server here produces are told apart too", () => {
  const cases = [
    [
      "invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))",
      "self_signed",
      /self-signed/,
    ],
    [
      'invalid peer certificate: certificate not valid for name "x"; certificate is not valid ' +
      "for any names (according to its subjectAltName extension)",
      "name_mismatch",
      /names no host/,
    ],
    ["invalid peer certificate: Revoked", "bad_certificate", /accepted: Revoked$/],
    ["received fatal alert: CertificateRequired", "client_certificate_required", /client cert/],
    ["received fatal alert: HandshakeFailure", "handshake_refused", /handshake_failure/],
    ["received fatal alert: ProtocolVersion", "handshake_refused", /TLS 1\.2 and 1\.3/],
    ["received fatal alert: UnrecognisedName", "handshake_refused", /does not know this host/],
    ["something new (os error 7)", "other", /^something new$/],
  ] as const;
  for (const [message, fault, reason] of cases) {
    const found = tlsFaultOf(new Deno.errors.InvalidData(message));
    assert.equal(found.fault, fault, message);
    assert.match(found.reason, reason);
  }
});
