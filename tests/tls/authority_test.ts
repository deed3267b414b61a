import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import fc from "fast-check";
import { BrokerError } from "../../src/errors.ts";
import { Authority } from "../../src/tls/authority.ts";
import { parseCertificateFields } from "../../src/x509/certificate_fields.ts";
import { runDeno } from "../support/run_process.ts";
import { createAuthority, MemoryStore, sharedAuthority } from "./memory_store.ts";

const DAY = 86_400_000;
const OPTIONS = { now: Date.now, user: "ann", host: "laptop" };

function hasCode(code: string) {
  return (error: unknown) => error instanceof BrokerError && error.code === code && !!error.hint;
}

Deno.test("the private key on its way to the store does not print itself", async () => {
  const store = new MemoryStore();
  await Authority.loadOrCreate(store, OPTIONS);
  const shown = [
    Deno.inspect(store.record),
    JSON.stringify(store.record),
    `${store.record?.privateKeyPkcs8Pem}`,
  ];
  for (const text of shown) assert.ok(!text.includes("PRIVATE"), text);
  assert.match(store.record!.privateKeyPkcs8Pem.reveal(), /^-----BEGIN PRIVATE KEY-----/);
});

Deno.test("a key of another certificate is refused before anything is signed with it", async () => {
  const one = new MemoryStore();
  const other = new MemoryStore();
  await Authority.loadOrCreate(one, OPTIONS);
  await Authority.loadOrCreate(other, OPTIONS);
  const keys = [other.record!.privateKeyPkcs8Pem, { reveal: () => "no key" }];
  for (const privateKeyPkcs8Pem of keys) {
    const mixed = new MemoryStore();
    mixed.record = { ...one.record!, privateKeyPkcs8Pem };
    const authority = await Authority.loadOrCreate(mixed, OPTIONS);
    await assert.rejects(authority.issueLeaf("a.example"), hasCode("home_unusable"));
  }
});

Deno.test("a stored certificate that cannot be read is an error and is not replaced", async () => {
  const store = new MemoryStore();
  await Authority.loadOrCreate(store, OPTIONS);
  for (const certificatePem of ["", "garbage", store.record!.certificatePem.slice(0, 200)]) {
    const broken = new MemoryStore();
    broken.record = { ...store.record!, certificatePem };
    await assert.rejects(Authority.loadOrCreate(broken, OPTIONS), hasCode("home_unusable"));
    assert.equal(broken.saves, 0);
  }
});

Deno.test("a root that is not valid now is an error that points to the clock", async () => {
  const store = new MemoryStore();
  await Authority.loadOrCreate(store, OPTIONS);
  for (const offset of [-2 * DAY, 3_660 * DAY]) {
    const now = () => Date.now() + offset;
    await assert.rejects(
      Authority.loadOrCreate(store, { ...OPTIONS, now }),
      (error) => hasCode("unavailable")(error) && (error as BrokerError).hint!.includes("clock"),
    );
  }
});

Deno.test("a host that no certificate can name is refused", async () => {
  const authority = await sharedAuthority();
  for (const hostname of ["", "*.example.com", "a:443", "ü.example"]) {
    await assert.rejects(authority.issueLeaf(hostname), hasCode("validation_failed"), hostname);
  }
});

Deno.test("loadOrCreate() creates once and loads from then on", async () => {
  const store = new MemoryStore();
  const created = await Authority.loadOrCreate(store, OPTIONS);
  const loaded = await Authority.loadOrCreate(store, OPTIONS);
  assert.equal(loaded.certificatePem, created.certificatePem);
  assert.equal(store.saves, 1);
});

Deno.test("of two creations at once both end up with the one that was saved first", async () => {
  const store = new MemoryStore();
  const [one, two] = await Promise.all([
    Authority.loadOrCreate(store, OPTIONS),
    Authority.loadOrCreate(store, OPTIONS),
  ]);
  assert.equal(one.certificatePem, two.certificatePem);
  assert.equal(store.saves, 2);
  const leaf = new X509Certificate((await two.issueLeaf("a.example")).certificatePem);
  assert.ok(leaf.verify(new X509Certificate(one.certificatePem).publicKey));
});

Deno.test("the root's name tells whose it is, without what would disguise it", async () => {
  const nameOf = async (user: string, host: string) => {
    const store = new MemoryStore();
    const { certificatePem } = await Authority.loadOrCreate(store, { ...OPTIONS, user, host });
    return new X509Certificate(certificatePem).subject;
  };
  assert.equal(await nameOf("ann", "laptop"), "CN=Broker Local CA (ann@laptop)");
  assert.equal(await nameOf("a\nb\u202e", "x"), "CN=Broker Local CA (ab@x)");
  const long = (await nameOf("ann", "h".repeat(300))).slice("CN=".length);
  assert.equal(long.length, 64);
  assert.ok(long.endsWith("h)"));
});

Deno.test("each leaf has a key and a serial of its own and tells its end", async () => {
  const start = Date.UTC(2026, 0, 1);
  const authority = await createAuthority(() => start);
  const leaves = await Promise.all([1, 2, 3].map(() => authority.issueLeaf("a.example")));
  const certificates = leaves.map((leaf) => new X509Certificate(leaf.certificatePem));
  assert.equal(new Set(certificates.map((each) => each.serialNumber)).size, 3);
  assert.equal(new Set(leaves.map((leaf) => leaf.privateKeyPem)).size, 3);
  for (const leaf of leaves) assert.equal(leaf.expiresAt, start + 7 * DAY);
});

Deno.test("a leaf names the root's key as its authority", async () => {
  const authority = await sharedAuthority();
  const root = parseCertificateFields(authority.certificatePem);
  const leaf = await authority.issueLeaf("a.example");
  const text = new X509Certificate(leaf.certificatePem);
  assert.ok(text.checkIssued(new X509Certificate(authority.certificatePem)));
  assert.notEqual(
    parseCertificateFields(leaf.certificatePem).subjectKeyIdentifier!.toHex(),
    root.subjectKeyIdentifier!.toHex(),
  );
});

Deno.test("a leaf of any host verifies under the root and names that host alone", async () => {
  const authority = await sharedAuthority();
  const root = new X509Certificate(authority.certificatePem);
  const host = fc.oneof(
    fc.domain().map((name) => [name, `DNS:${name.toLowerCase()}`] as const),
    fc.ipV4().map((address) => [address, `IP Address:${address}`] as const),
  );
  await fc.assert(
    fc.asyncProperty(host, async ([name, expected]) => {
      const leaf = await authority.issueLeaf(name);
      const certificate = new X509Certificate(leaf.certificatePem);
      assert.equal(certificate.subjectAltName, expected);
      assert.ok(certificate.verify(root.publicKey));
      assert.equal(certificate.ca, false);
    }),
    { numRuns: 30 },
  );
});

Deno.test("loading an authority imports neither the ASN.1 tables nor the cryptography", async () => {
  const store = new MemoryStore();
  const { certificatePem } = await Authority.loadOrCreate(store, OPTIONS);
  const module = new URL("../../src/tls/authority.ts", import.meta.url).href;
  const { stdout, stderr } = await runDeno([
    "eval",
    `import { Authority } from ${JSON.stringify(module)};
     const record = { certificatePem: ${JSON.stringify(certificatePem)},
       privateKeyPkcs8Pem: { reveal() { throw new Error("opened") } }, createdAt: 0 };
     const store = { load: () => record, save: (made) => made };
     await Authority.loadOrCreate(store, { now: Date.now, user: "", host: "" });
     console.log("loaded");`,
  ], { env: { DENO_LOG: "" } });
  assert.equal(stdout.trim(), "loaded", stderr);
  const info = await runDeno(["info", "--json", module]);
  const graph = JSON.parse(info.stdout) as { modules: GraphModule[] };
  const reached = staticImports(graph.modules, module);
  assert.ok(reached.some((specifier) => specifier.endsWith("/certificate_fields.ts")));
  for (const specifier of reached) {
    assert.ok(!/node-forge|node:crypto|issuer\.ts/.test(specifier), specifier);
  }
});

interface GraphModule {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier: string };
    readonly isDynamic?: boolean;
  }[];
}

/** What loading a module loads: neither dynamic imports nor those of types alone. */
function staticImports(modules: readonly GraphModule[], root: string): string[] {
  const bySpecifier = new Map(modules.map((each) => [each.specifier, each]));
  const reached = new Set([root]);
  for (const specifier of reached) {
    for (const { code, isDynamic } of bySpecifier.get(specifier)?.dependencies ?? []) {
      if (code !== undefined && isDynamic !== true) reached.add(code.specifier);
    }
  }
  return [...reached];
}
