import assert from "node:assert/strict";
import { generateKeyPairSync, sign, X509Certificate } from "node:crypto";
import fc from "fast-check";
import { BrokerError } from "../../src/errors.ts";
import {
  createLeafCertificate,
  createRootCertificate,
  type IssueInput,
} from "../../src/x509/certificate.ts";
import { parseCertificateFields } from "../../src/x509/certificate_fields.ts";
import { readDer } from "../../src/x509/der.ts";
import { parseLeafName } from "../../src/x509/leaf_name.ts";
import { parseCertificatePem } from "../../src/x509/pem.ts";

const NOW = new Date("2026-03-04T05:06:07.890Z");
const ROOT_KEY = newKey();
const LEAF_KEY = newKey();
const ROOT_ID = new Uint8Array(20).fill(0xa1);
const LEAF_ID = new Uint8Array(20).fill(0xb2);
const SERIAL = new Uint8Array(16).fill(0x80);

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = new Uint8Array(publicKey.export({ type: "spki", format: "der" }));
  return { privateKey, publicKey, spki };
}

function rootInput(changes: Partial<IssueInput> = {}): IssueInput {
  return {
    now: NOW,
    serial: SERIAL,
    publicKey: ROOT_KEY.spki,
    keyIdentifier: ROOT_ID,
    sign: (tbs) => sign("sha256", tbs, ROOT_KEY.privateKey),
    ...changes,
  };
}

const ROOT = createRootCertificate("Broker Local CA (ann@laptop)", rootInput());

function leaf(hostname: string, changes: Partial<IssueInput> & { rootEnds?: Date } = {}): string {
  const root = parseCertificateFields(ROOT);
  return createLeafCertificate(parseLeafName(hostname), {
    ...rootInput({ publicKey: LEAF_KEY.spki, keyIdentifier: LEAF_ID, ...changes }),
    issuer: {
      subject: root.subject,
      keyIdentifier: ROOT_ID,
      notAfter: changes.rootEnds ?? root.notAfter,
    },
  });
}

/** The extensions in their order: OID, whether critical, content of the OCTET STRING, all as hex. */
function extensions(pem: string): [oid: string, critical: boolean, value: string][] {
  const [certificate] = readDer(parseCertificatePem(pem));
  const fields = readDer(readDer(certificate!.content)[0]!.content);
  const last = fields.at(-1)!;
  assert.equal(last.tag, 0xa3);
  return readDer(readDer(last.content)[0]!.content).map((extension) => {
    const parts = readDer(extension.content);
    const critical = parts.length === 3;
    if (critical) assert.equal(parts[1]!.bytes.toHex(), "0101ff");
    return [parts[0]!.content.toHex(), critical, parts.at(-1)!.content.toHex()];
  });
}

const OID = {
  subjectKeyIdentifier: "551d0e",
  keyUsage: "551d0f",
  subjectAltName: "551d11",
  basicConstraints: "551d13",
  authorityKeyIdentifier: "551d23",
  extendedKeyUsage: "551d25",
};

Deno.test("a serial that is short, long or zero is refused", () => {
  for (const length of [0, 8, 15, 17, 20]) {
    const serial = new Uint8Array(length).fill(1);
    assert.throws(() => createRootCertificate("x", rootInput({ serial })), BrokerError);
  }
  assert.throws(() => leaf("a.example", { serial: new Uint8Array(16) }), BrokerError);
});

Deno.test("the root may issue leaves and sign revocation lists, and nothing else", () => {
  assert.deepEqual(extensions(ROOT), [
    [OID.basicConstraints, true, "30060101ff020100"],
    [OID.keyUsage, true, "03020106"],
    [OID.subjectKeyIdentifier, false, `0414${ROOT_ID.toHex()}`],
  ]);
});

Deno.test("a leaf is a TLS server for one DNS name", () => {
  const name = new TextEncoder().encode("api.example.com").toHex();
  assert.deepEqual(extensions(leaf("API.example.com.")), [
    [OID.keyUsage, true, "03020780"],
    [OID.extendedKeyUsage, false, "300a06082b06010505070301"],
    [OID.subjectAltName, true, `3011820f${name}`],
    [OID.authorityKeyIdentifier, false, `30168014${ROOT_ID.toHex()}`],
    [OID.subjectKeyIdentifier, false, `0414${LEAF_ID.toHex()}`],
  ]);
});

Deno.test("a leaf for an address holds its octets", () => {
  const nameOf = (hostname: string) =>
    extensions(leaf(hostname)).find(([oid]) => oid === OID.subjectAltName);
  assert.deepEqual(nameOf("192.0.2.7"), [OID.subjectAltName, true, "30068704c0000207"]);
  const ipv6 = "20010db8000000000000000000000001";
  assert.deepEqual(nameOf("2001:db8::1"), [OID.subjectAltName, true, `30128710${ipv6}`]);
  assert.deepEqual(nameOf("[2001:db8::1]"), [OID.subjectAltName, true, `30128710${ipv6}`]);
});

Deno.test("a leaf has no subject and its issuer is the root's subject octet by octet", () => {
  const [certificate] = readDer(parseCertificatePem(leaf("a.example")));
  const [, , , issuer, , subject] = readDer(readDer(certificate!.content)[0]!.content);
  assert.equal(subject!.bytes.toHex(), "3000");
  assert.equal(issuer!.bytes.toHex(), parseCertificateFields(ROOT).subject.toHex());
});

Deno.test("both signatures verify under the root's key", () => {
  assert.ok(new X509Certificate(ROOT).verify(ROOT_KEY.publicKey));
  assert.ok(new X509Certificate(leaf("a.example")).verify(ROOT_KEY.publicKey));
  assert.equal(new X509Certificate(leaf("a.example")).verify(LEAF_KEY.publicKey), false);
});

Deno.test("a root lasts ten years from its creation and begins an hour before it", () => {
  const { notBefore, notAfter } = parseCertificateFields(ROOT);
  assert.equal(notBefore.toISOString(), "2026-03-04T04:06:07.000Z");
  assert.equal(notAfter.toISOString(), "2036-03-04T05:06:07.000Z");
});

Deno.test("a leaf lasts seven days and begins an hour before its issue", () => {
  const { notBefore, notAfter } = parseCertificateFields(leaf("a.example"));
  assert.equal(notBefore.toISOString(), "2026-03-04T04:06:07.000Z");
  assert.equal(notAfter.toISOString(), "2026-03-11T05:06:07.000Z");
});

Deno.test("a leaf never outlives its root", () => {
  const rootEnds = new Date("2026-03-05T00:00:00Z");
  const { notAfter } = parseCertificateFields(leaf("a.example", { rootEnds }));
  assert.equal(notAfter.toISOString(), rootEnds.toISOString());
});

Deno.test("times from 2050 on are GeneralizedTime", () => {
  const late = createRootCertificate("x", rootInput({ now: new Date("2045-01-01T00:00:00Z") }));
  const { notBefore, notAfter } = parseCertificateFields(late);
  assert.equal(notBefore.toISOString(), "2044-12-31T23:00:00.000Z");
  assert.equal(notAfter.toISOString(), "2055-01-01T00:00:00.000Z");
  const text = String.fromCharCode(...parseCertificatePem(late));
  assert.ok(text.includes("\x17\x0d441231230000Z\x18\x0f20550101000000Z"));
});

Deno.test("the serial is the 16 octets as a positive number, in as few octets as DER allows", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (serial) => {
      fc.pre(serial.some((octet) => octet !== 0));
      const pem = createRootCertificate("x", rootInput({ serial }));
      const shown = BigInt(`0x${new X509Certificate(pem).serialNumber}`);
      assert.equal(shown, BigInt(`0x${serial.toHex()}`));
      const [certificate] = readDer(parseCertificatePem(pem));
      const { content } = readDer(readDer(certificate!.content)[0]!.content)[1]!;
      assert.ok(content[0]! < 0x80, "negative");
      assert.ok(content[0] !== 0 || content[1]! >= 0x80, "redundant zero");
    }),
    { numRuns: 50, examples: [[new Uint8Array(16).fill(0xff)], [new Uint8Array(16).fill(1)]] },
  );
});

Deno.test("a common name is cut to 64 characters and keeps its letters of any script", () => {
  const pem = createRootCertificate(`Broker Local CA (ünï@${"ж".repeat(80)})`, rootInput());
  const subject = new X509Certificate(pem).subject.replace(/^CN=/, "");
  assert.equal(subject, `Broker Local CA (ünï@${"ж".repeat(43)}`);
});

Deno.test("any DNS name that is accepted comes back from its leaf", () => {
  const label = fc.stringMatching(/^[a-z0-9_]([a-z0-9_-]{0,60}[a-z0-9_])?$/);
  const hostname = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."))
    .filter((name) => name.length <= 253 && !/^[\d.]+$/.test(name));
  fc.assert(
    fc.property(hostname, (name) => {
      const certificate = new X509Certificate(leaf(name));
      assert.equal(certificate.subjectAltName, `DNS:${name}`);
      assert.ok(certificate.verify(ROOT_KEY.publicKey));
    }),
    { numRuns: 50 },
  );
});
