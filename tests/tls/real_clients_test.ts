/**
 * Certificates as real programs judge them, against a real server. The programs are part of what the
 * product promises to work with, so a machine without one of them fails these tests.
 */
import assert from "node:assert/strict";
import type { Leaf } from "../../src/tls/issuer.ts";
import { ensureTrustFiles } from "../../src/tls/trust_bundle.ts";
import { type ProcessResult, runProcess } from "../support/run_process.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary_directory.ts";
import { createAuthority, sharedAuthority } from "./memory_store.ts";

const authority = await sharedAuthority();
const REFS = `${"0123456789".repeat(4)}\trefs/heads/main\n`;
const LONG_NAME = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.example`;

/** Runs a program with an environment that trusts only what the test names. */
async function run(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<ProcessResult> {
  const kept: Record<string, string> = {};
  for (const name of ["PATH", "HOME", "PYENV_ROOT", "TMPDIR", "SystemRoot"]) {
    const value = Deno.env.get(name);
    if (value !== undefined) kept[name] = value;
  }
  try {
    return await runProcess(program, args, { env: { ...kept, ...env }, clearEnv: true });
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
    throw new Error(`this test needs the program "${program}": install it`, { cause });
  }
}

interface Site extends AsyncDisposable {
  readonly port: number;
  readonly files: TemporaryDirectory;
  /** The root alone, the bundle with the machine's roots, and the root of somebody else. */
  readonly ca: string;
  readonly bundle: string;
  readonly strangerCa: string;
  readonly leaf: Leaf;
}

/** Serves "brokered" and the refs of a git repository over TLS for one host. */
async function startSite(hostname: string): Promise<Site> {
  const files = await temporaryDirectory();
  const { certificate: ca, bundle } = await ensureTrustFiles(files.path, {
    certificatePem: authority.certificatePem,
  });
  const strangerCa = files.join("stranger.pem");
  await Deno.writeTextFile(strangerCa, (await createAuthority()).certificatePem);
  const leaf = await authority.issueLeaf(hostname);
  const server = Deno.serve(
    {
      hostname: "127.0.0.1",
      port: 0,
      cert: leaf.certificatePem,
      key: leaf.privateKeyPem,
      onListen: () => {},
    },
    (request) => new Response(request.url.includes("/info/refs") ? REFS : "brokered"),
  );
  return {
    port: server.addr.port,
    files,
    ca,
    bundle,
    strangerCa,
    leaf,
    [Symbol.asyncDispose]: async () => {
      await server.shutdown();
      await files[Symbol.asyncDispose]();
    },
  };
}

function succeeded({ code, stdout, stderr }: ProcessResult, expected: string): void {
  assert.equal(code, 0, stderr + stdout);
  assert.ok(stdout.includes(expected), stdout + stderr);
}

function failed({ code, stdout, stderr }: ProcessResult): void {
  assert.notEqual(code, 0, stdout + stderr);
  assert.ok(!stdout.includes("brokered"), stdout);
}

function openssl(site: Site, ca: string, host: string): Promise<ProcessResult> {
  const isAddress = /^[\d.]+$|:/.test(host);
  return run("openssl", [
    "s_client",
    "-connect",
    `127.0.0.1:${site.port}`,
    "-CAfile",
    ca,
    "-verify_return_error",
    "-x509_strict",
    ...(isAddress ? ["-verify_ip", host] : ["-servername", host, "-verify_hostname", host]),
    "-brief",
  ]);
}

Deno.test("OpenSSL with -x509_strict verifies a leaf for its host and for no other", async () => {
  for (const hostname of ["localhost", LONG_NAME, "my_host.internal", "192.0.2.1", "2001:db8::7"]) {
    await using site = await startSite(hostname);
    failed(await openssl(site, site.strangerCa, hostname));
    failed(await openssl(site, site.ca, "other.example"));
    for (const roots of [site.ca, site.bundle]) {
      const result = await openssl(site, roots, hostname);
      succeeded({ ...result, stdout: result.stdout + result.stderr }, "Verification: OK");
    }
  }
});

Deno.test("curl reaches a host under its leaf by name and by address", async () => {
  for (const hostname of ["localhost", "127.0.0.1", "[2001:db8::7]", "api.example.com"]) {
    await using site = await startSite(hostname);
    const curl = (ca: string) =>
      run("curl", [
        "--silent",
        "--show-error",
        "--cacert",
        ca,
        "--connect-to",
        `::127.0.0.1:${site.port}`,
        `https://${hostname}/`,
      ]);
    failed(await curl(site.strangerCa));
    succeeded(await curl(site.ca), "brokered");
    succeeded(await curl(site.bundle), "brokered");
  }
});

Deno.test("git reads a repository's refs under a leaf", async () => {
  await using site = await startSite("localhost");
  const git = (ca: string) =>
    run("git", ["ls-remote", `https://localhost:${site.port}/repository`], {
      GIT_SSL_CAINFO: ca,
      GIT_TERMINAL_PROMPT: "0",
    });
  failed(await git(site.strangerCa));
  succeeded(await git(site.ca), REFS.trim());
  succeeded(await git(site.bundle), REFS.trim());
});

Deno.test("Node reaches a host with the root in NODE_EXTRA_CA_CERTS", async () => {
  const script = `require("https").get(process.argv[1], (answer) => answer.pipe(process.stdout))
    .on("error", (error) => { console.error(error.message); process.exitCode = 1; });`;
  for (const hostname of ["localhost", "127.0.0.1"]) {
    await using site = await startSite(hostname);
    const node = (ca: string) =>
      run("node", ["-e", script, `https://${hostname}:${site.port}/`], { NODE_EXTRA_CA_CERTS: ca });
    failed(await node(site.strangerCa));
    succeeded(await node(site.ca), "brokered");
  }
});

Deno.test("Deno reaches a host with the root in DENO_CERT", async () => {
  const script = `console.log(await (await fetch(Deno.args[0])).text());`;
  for (const hostname of ["localhost", "127.0.0.1"]) {
    await using site = await startSite(hostname);
    const file = site.files.join("client.ts");
    await Deno.writeTextFile(file, script);
    const deno = (ca: string) =>
      run(
        Deno.execPath(),
        ["run", "--no-config", "--allow-net", file, `https://${hostname}:${site.port}/`],
        { DENO_CERT: ca, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
      );
    failed(await deno(site.strangerCa));
    succeeded(await deno(site.ca), "brokered");
  }
});

Deno.test("Python with VERIFY_X509_STRICT reaches a host, the root alone and in the bundle", async () => {
  const script = `
import ssl, sys, urllib.request
context = ssl.create_default_context(cafile=sys.argv[1])
context.verify_flags |= ssl.VERIFY_X509_STRICT
print(urllib.request.urlopen(sys.argv[2], context=context).read().decode())
`;
  for (const hostname of ["localhost", "127.0.0.1"]) {
    await using site = await startSite(hostname);
    const python = (ca: string) =>
      run("python3", ["-c", script, ca, `https://${hostname}:${site.port}/`]);
    failed(await python(site.strangerCa));
    succeeded(await python(site.ca), "brokered");
    succeeded(await python(site.bundle), "brokered");
  }
});

Deno.test("openssl prints the extensions that were meant", async () => {
  const print = async (pem: string) => {
    await using files = await temporaryDirectory();
    await Deno.writeTextFile(files.join("certificate.pem"), pem);
    const { stdout } = await run("openssl", [
      "x509",
      "-in",
      files.join("certificate.pem"),
      "-noout",
      "-text",
    ]);
    return stdout.replaceAll(/\s+/g, " ");
  };
  const root = await print(authority.certificatePem);
  assert.match(root, /X509v3 Basic Constraints: critical CA:TRUE, pathlen:0/);
  assert.match(root, /X509v3 Key Usage: critical Certificate Sign, CRL Sign/);
  assert.match(root, /Signature Algorithm: ecdsa-with-SHA256/);
  assert.match(root, /ASN1 OID: prime256v1/);
  assert.match(root, /Subject: CN ?= ?Broker Local CA \(ann@laptop\)/);
  const rootId = /X509v3 Subject Key Identifier: ((?:[0-9A-F]{2}:){19}[0-9A-F]{2})/.exec(root)?.[1];
  assert.ok(rootId);

  const leaf = await print((await authority.issueLeaf("api.example.com")).certificatePem);
  assert.match(leaf, /Version: 3/);
  assert.match(leaf, /X509v3 Key Usage: critical Digital Signature X509v3/);
  assert.match(leaf, /X509v3 Extended Key Usage: TLS Web Server Authentication X509v3/);
  assert.match(leaf, /X509v3 Subject Alternative Name: critical DNS:api\.example\.com X509v3/);
  assert.ok(
    leaf.includes(`X509v3 Authority Key Identifier: ${rootId}`) ||
      leaf.includes(`X509v3 Authority Key Identifier: keyid:${rootId}`),
  );
  assert.doesNotMatch(leaf, /CA:TRUE/);
});

Deno.test("openssl verifies leaves whatever their random serials", async () => {
  await using files = await temporaryDirectory();
  await Deno.writeTextFile(files.join("ca.pem"), authority.certificatePem);
  const paths = await Promise.all(
    Array.from({ length: 300 }, async (_, index) => {
      const path = files.join(`leaf${index}.pem`);
      await Deno.writeTextFile(path, (await authority.issueLeaf("a.example")).certificatePem);
      return path;
    }),
  );
  const { code, stdout, stderr } = await run("openssl", [
    "verify",
    "-x509_strict",
    "-purpose",
    "sslserver",
    "-CAfile",
    files.join("ca.pem"),
    ...paths,
  ]);
  assert.equal(code, 0, stderr);
  assert.equal(stdout.match(/: OK$/gm)?.length, paths.length);
});
