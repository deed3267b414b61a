import assert from "node:assert/strict";
import fc from "fast-check";
import { BrokerError } from "../../src/errors.ts";
import { parseCertificateFields } from "../../src/x509/certificate_fields.ts";
import { readDer } from "../../src/x509/der.ts";
import { parseCertificatePem, serializePem, splitCertificates } from "../../src/x509/pem.ts";

const A = serializePem("CERTIFICATE", new Uint8Array(100).fill(1));
const B = serializePem("CERTIFICATE", new Uint8Array(48).fill(2));

Deno.test("text without a certificate is refused as one and splits into none", () => {
  const none = [
    "",
    "not a certificate",
    "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
    "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n",
    "-----BEGIN CERTIFICATE-----\nAAAA\n",
    A.replaceAll("CERTIFICATE", "PRIVATE KEY"),
  ];
  for (const text of none) {
    assert.deepEqual(splitCertificates(text), [], text);
    assert.throws(() => parseCertificatePem(text), BrokerError, text);
  }
});

Deno.test("splitCertificates() gives one form for every way to write a certificate", () => {
  const unwrapped = A.replaceAll(/(?<=[^-])\n(?=[^-])/g, "");
  const variants = [
    A,
    A.replaceAll("\n", "\r\n"),
    `# comment\nsubject=/CN=x\n${A}trailing`,
    unwrapped,
    A.trimEnd(),
    `\uFEFF${A}`,
  ];
  for (const text of variants) assert.deepEqual(splitCertificates(text), [A], text);
});

Deno.test("splitCertificates() skips keys and broken blocks between certificates", () => {
  const key = serializePem("PRIVATE KEY", new Uint8Array(40));
  const broken = "-----BEGIN CERTIFICATE-----\n@@@\n-----END CERTIFICATE-----\n";
  const unfinished = A.replace(/-----END.*\n/, "");
  assert.deepEqual(splitCertificates(A + key + broken + B), [A, B]);
  assert.deepEqual(splitCertificates(unfinished + B), [B]);
  assert.deepEqual(splitCertificates(A + B + unfinished), [A, B]);
});

Deno.test("parseCertificatePem() gives back what serializePem() wrote", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (der) => {
      const pem = serializePem("CERTIFICATE", der);
      assert.deepEqual([...parseCertificatePem(pem)], [...der]);
      assert.ok(pem.split("\n").every((line) => line.length <= 64));
    }),
  );
});

Deno.test("no octets make the reader hang or fail in a way that is not its own", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (octets) => {
      const bytes = new Uint8Array(octets);
      let total = 0;
      try {
        for (const element of readDer(bytes)) total += element.bytes.length;
        assert.equal(total, bytes.length);
      } catch (error) {
        assert.ok(error instanceof BrokerError);
      }
      assert.throws(
        () => parseCertificateFields(serializePem("CERTIFICATE", bytes)),
        BrokerError,
      );
    }),
  );
});

Deno.test("readDer() refuses lengths that are indefinite or beyond the end", () => {
  for (const hex of ["30", "3080", "300500", "30820005", "3085010000000000", "30ffffffff"]) {
    assert.throws(() => readDer(Uint8Array.fromHex(hex)), BrokerError, hex);
  }
});
