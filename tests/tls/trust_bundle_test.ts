import assert from "node:assert/strict";
import { BrokerError } from "../../src/errors.ts";
import type { SystemRoots } from "../../src/tls/system_roots.ts";
import { ensureTrustFiles, upstreamRoots, type UserRootFiles } from "../../src/tls/trust_bundle.ts";
import { splitCertificates } from "../../src/x509/pem.ts";
import { temporaryDirectory } from "../support/temporary_directory.ts";
import { createAuthority, sharedAuthority } from "./memory_store.ts";

const { certificatePem: OWN } = await sharedAuthority();
const [SYSTEM_A, SYSTEM_B, COMPANY, EXTRA] = await Promise.all(
  [1, 2, 3, 4].map(async () => (await createAuthority()).certificatePem),
) as [string, string, string, string];

/** Roots of a machine that count how often they are read. */
class FakeRoots implements SystemRoots {
  readonly source = "/fake/roots.pem";
  fingerprint = "1";
  roots = [SYSTEM_A, SYSTEM_B];
  loads = 0;

  load(): Promise<string[]> {
    this.loads += 1;
    return Promise.resolve([...this.roots]);
  }
}

function only(changes: Partial<UserRootFiles>): UserRootFiles {
  return { adding: [], replacing: [], ...changes };
}

async function rootsIn(path: string): Promise<Set<string>> {
  return new Set(splitCertificates(await Deno.readTextFile(path)));
}

async function filesIn(directory: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name).sort();
}

Deno.test("upstreamRoots() names the variable whose file is missing or holds no certificate", async () => {
  await using files = await temporaryDirectory();
  await Deno.writeTextFile(files.join("empty.pem"), "");
  await Deno.writeTextFile(files.join("key.pem"), OWN.replaceAll("CERTIFICATE", "PRIVATE KEY"));
  await Deno.writeTextFile(
    files.join("broken.pem"),
    "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",
  );
  const cases = [
    ["missing.pem", /does not exist$/],
    ["", /cannot be read$/],
    ["empty.pem", /holds no certificate$/],
    ["key.pem", /holds no certificate$/],
    ["broken.pem", /holds no certificate$/],
  ] as const;
  for (const variable of ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "BROKER_UPSTREAM_CA"]) {
    for (const [name, reason] of cases) {
      const path = files.join(name);
      await assert.rejects(upstreamRoots({ [variable]: path }), (error) => {
        assert.ok(error instanceof BrokerError);
        assert.match(error.message, reason);
        assert.ok(error.message.includes(variable) && error.message.includes(path));
        assert.ok(error.hint?.includes(variable));
        return true;
      });
    }
  }
});

Deno.test("upstreamRoots() joins the certificates of all three files, each once", async () => {
  await using files = await temporaryDirectory();
  const broken = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
  await Deno.writeTextFile(files.join("one.pem"), `# a comment\n${COMPANY}${broken}${EXTRA}`);
  await Deno.writeTextFile(files.join("two.pem"), EXTRA.replaceAll("\n", "\r\n"));
  await Deno.writeTextFile(files.join("three.pem"), SYSTEM_A);
  assert.deepEqual(
    await upstreamRoots({
      SSL_CERT_FILE: files.join("one.pem"),
      NODE_EXTRA_CA_CERTS: files.join("two.pem"),
      BROKER_UPSTREAM_CA: files.join("three.pem"),
      REQUESTS_CA_BUNDLE: files.join("missing.pem"),
    }),
    [COMPANY, EXTRA, SYSTEM_A],
  );
  assert.deepEqual(await upstreamRoots({ SSL_CERT_FILE: "" }), []);
});

Deno.test({
  name: "a directory that takes no file is an error that says so",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await using files = await temporaryDirectory();
    for (const directory of [files.join("missing"), "/dev/null"]) {
      await assert.rejects(
        ensureTrustFiles(directory, {
          certificatePem: OWN,
          systemRoots: new FakeRoots(),
        }),
        (error) => error instanceof BrokerError && error.code === "home_unusable" && !!error.hint,
      );
    }
  },
});

Deno.test("the certificate stands alone in one file and with the machine's roots in the other", async () => {
  await using files = await temporaryDirectory();
  const { certificate, additions, bundle } = await ensureTrustFiles(files.path, {
    certificatePem: OWN,
    systemRoots: new FakeRoots(),
  });
  assert.equal(await Deno.readTextFile(certificate), OWN);
  assert.equal(additions, certificate);
  assert.deepEqual(await rootsIn(bundle), new Set([SYSTEM_A, SYSTEM_B, OWN]));
  assert.deepEqual(await filesIn(files.path), ["bundle.pem", "ca.pem"]);
  if (Deno.build.os !== "windows") {
    assert.equal((await Deno.stat(bundle)).mode! & 0o777, 0o644);
    assert.equal((await Deno.stat(certificate)).mode! & 0o777, 0o644);
  }
});

Deno.test("files are written anew when their inputs change or they were damaged, and only then", async () => {
  await using files = await temporaryDirectory();
  const systemRoots = new FakeRoots();
  const write = (certificatePem = OWN) =>
    ensureTrustFiles(files.path, { certificatePem, systemRoots });
  const { bundle, certificate } = await write();
  const first = await Deno.stat(bundle);
  await write();
  assert.equal(systemRoots.loads, 1);
  assert.equal((await Deno.stat(bundle)).ino, first.ino);

  systemRoots.fingerprint = "2";
  systemRoots.roots = [SYSTEM_A];
  await write();
  assert.deepEqual(await rootsIn(bundle), new Set([SYSTEM_A, OWN]));

  await write(EXTRA);
  assert.equal(await Deno.readTextFile(certificate), EXTRA);
  assert.deepEqual(await rootsIn(bundle), new Set([SYSTEM_A, EXTRA]));

  await Deno.writeTextFile(bundle, "damaged");
  await Deno.writeTextFile(certificate, `${EXTRA}more`);
  await write(EXTRA);
  assert.deepEqual(await rootsIn(bundle), new Set([SYSTEM_A, EXTRA]));
  assert.equal(await Deno.readTextFile(certificate), EXTRA);
});

Deno.test("roots that the user's variables name are in the bundle, under a name of its own", async () => {
  await using files = await temporaryDirectory();
  await using home = await temporaryDirectory();
  await Deno.writeTextFile(files.join("company.pem"), COMPANY + SYSTEM_A);
  await Deno.writeTextFile(files.join("extra.pem"), EXTRA);
  const systemRoots = new FakeRoots();
  const write = (changes: Partial<UserRootFiles>) =>
    ensureTrustFiles(home.path, { certificatePem: OWN, userFiles: only(changes), systemRoots });
  const plain = await write({});
  const company = await write({ replacing: [files.join("company.pem")] });
  const both = await write({
    replacing: [files.join("company.pem"), files.join("missing.pem")],
    adding: [files.join("extra.pem")],
  });
  assert.equal(new Set([plain.bundle, company.bundle, both.bundle]).size, 3);
  assert.deepEqual(await rootsIn(plain.bundle), new Set([SYSTEM_A, SYSTEM_B, OWN]));
  assert.deepEqual(await rootsIn(company.bundle), new Set([SYSTEM_A, SYSTEM_B, COMPANY, OWN]));
  assert.deepEqual(await rootsIn(both.bundle), new Set([SYSTEM_A, SYSTEM_B, COMPANY, EXTRA, OWN]));
});

Deno.test("what the user adds to the stores of programs is added still, the machine's roots too", async () => {
  await using files = await temporaryDirectory();
  await using home = await temporaryDirectory();
  await Deno.writeTextFile(files.join("company.pem"), COMPANY + SYSTEM_A);
  await Deno.writeTextFile(files.join("extra.pem"), EXTRA);
  const systemRoots = new FakeRoots();
  const write = (changes: Partial<UserRootFiles>) =>
    ensureTrustFiles(home.path, { certificatePem: OWN, userFiles: only(changes), systemRoots });
  const node = await write({ adding: [files.join("company.pem")] });
  assert.deepEqual(await rootsIn(node.additions), new Set([OWN, COMPANY, SYSTEM_A]));
  assert.equal(await Deno.readTextFile(node.certificate), OWN);
  const both = await write({
    adding: [files.join("company.pem"), files.join("extra.pem")],
  });
  assert.deepEqual(await rootsIn(both.additions), new Set([OWN, COMPANY, SYSTEM_A, EXTRA]));
  assert.deepEqual(await rootsIn(node.additions), new Set([OWN, COMPANY, SYSTEM_A]));
  for (
    const changes of [
      { replacing: [files.join("company.pem")] },
      { adding: [files.join("missing.pem")] },
      { adding: [node.certificate] },
    ]
  ) {
    assert.equal((await write(changes)).additions, node.certificate);
  }
});

Deno.test("a run inside a run uses the bundle of the outer one", async () => {
  await using files = await temporaryDirectory();
  await using home = await temporaryDirectory();
  await Deno.writeTextFile(files.join("company.pem"), COMPANY);
  const systemRoots = new FakeRoots();
  const path = files.join("company.pem");
  for (const changes of [{}, { replacing: [path] }, { adding: [path] }]) {
    const input = { certificatePem: OWN, systemRoots };
    const outer = await ensureTrustFiles(home.path, { ...input, userFiles: only(changes) });
    const inner = await ensureTrustFiles(home.path, {
      ...input,
      userFiles: { replacing: [outer.bundle], adding: [outer.additions] },
    });
    assert.deepEqual(inner, outer);
  }
});

Deno.test("writers at once leave whole files and nothing else", async () => {
  await using files = await temporaryDirectory();
  const systemRoots = new FakeRoots();
  const written = await Promise.all(
    Array.from(
      { length: 8 },
      () => ensureTrustFiles(files.path, { certificatePem: OWN, systemRoots }),
    ),
  );
  assert.deepEqual(await rootsIn(written[0]!.bundle), new Set([SYSTEM_A, SYSTEM_B, OWN]));
  assert.deepEqual(await filesIn(files.path), ["bundle.pem", "ca.pem"]);
});
