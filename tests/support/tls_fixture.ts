/**
 * A certificate authority for the upstreams of tests. It shares no code with src/x509, so that a fault
 * there cannot hide on both sides of a handshake, and it runs no program: a machine that has only Deno
 * runs the tests.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import forge from "node-forge";
import { latin1Bytes, latin1Text } from "./bytes.ts";

const { asn1 } = forge;
// The package's type declarations leave this function out.
const { bytesFromIP: bytesFromIp } = forge.util as unknown as {
  bytesFromIP(address: string): string | null;
};
const DAY_MS = 86_400_000;

/** Object identifiers used below (RFC 5280, RFC 5758). */
const OID = {
  commonName: "2.5.4.3",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  subjectKeyIdentifier: "2.5.29.14",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
} as const;

/** What `Deno.listenTls` takes. */
export interface ServerCertificate {
  /** The leaf, PEM. */
  readonly cert: string;
  /** Its private key, PKCS #8 PEM. */
  readonly key: string;
}

/** What may be wrong with a leaf on purpose. */
export interface LeafOptions {
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** A throw-away authority. */
export interface TestAuthority {
  readonly certificatePem: string;
  /** A leaf for these DNS names and IP addresses. */
  issue(names: readonly string[], options?: LeafOptions): ServerCertificate;
}

let shared: TestAuthority | undefined;
const leaves = new Map<string, ServerCertificate>();

/** The one authority of this test process. */
export function testAuthority(): TestAuthority {
  return shared ??= createTestAuthority("Test upstream authority");
}

/** A leaf of {@link testAuthority}, the same one for the same names. */
export function testCertificate(
  ...names: readonly [string, ...string[]]
): ServerCertificate {
  const id = names.join(" ");
  const known = leaves.get(id);
  if (known !== undefined) return known;
  const issued = testAuthority().issue(names);
  leaves.set(id, issued);
  return issued;
}

/** A further authority, for tests that need one which nobody trusts. */
export function createTestAuthority(commonName: string): TestAuthority {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  // Strict verifiers (`openssl verify -x509_strict`, Python 3.13) ask for the two key identifiers.
  const keyId = randomBytes(20).toString("latin1");
  const certificatePem = certificate({
    subject: commonName,
    issuer: commonName,
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    extensions: [
      extension(OID.basicConstraints, true, sequence(boolean(true), integer("\x00"))),
      extension(OID.keyUsage, true, bitString("\x01\x06")),
      extension(OID.subjectKeyIdentifier, false, element(asn1.Type.OCTETSTRING, false, keyId)),
    ],
  });
  return {
    certificatePem,
    issue: (names, options = {}) => {
      const leaf = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const cert = certificate({
        subject: names[0] ?? "",
        issuer: commonName,
        publicKey: leaf.publicKey,
        signingKey: keys.privateKey,
        extensions: [
          extension(OID.keyUsage, true, bitString("\x07\x80")),
          extension(OID.extendedKeyUsage, false, sequence(identifier(OID.serverAuth))),
          extension(OID.subjectAltName, false, sequence(...names.map(alternativeName))),
          extension(OID.authorityKeyIdentifier, false, sequence(contextValue(0, keyId))),
        ],
        ...options,
      });
      return { cert, key: leaf.privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
    },
  };
}

interface CertificateParts extends LeafOptions {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly extensions: forge.asn1.Asn1[];
}

function certificate(parts: CertificateParts): string {
  const now = Date.now();
  const algorithm = () => sequence(identifier(OID.ecdsaWithSha256));
  const body = sequence(
    context(0, integer("\x02")),
    // A leading byte below 0x80 keeps the number positive, one that is not zero keeps it minimal.
    integer("\x4c" + randomBytes(15).toString("latin1")),
    algorithm(),
    name(parts.issuer),
    sequence(
      utcTime(parts.notBefore ?? new Date(now - DAY_MS)),
      utcTime(parts.notAfter ?? new Date(now + DAY_MS)),
    ),
    name(parts.subject),
    asn1.fromDer(latin1Text(parts.publicKey.export({ type: "spki", format: "der" }))),
    context(3, sequence(...parts.extensions)),
  );
  const signature = sign("sha256", latin1Bytes(asn1.toDer(body).getBytes()), parts.signingKey);
  const whole = sequence(body, algorithm(), bitString("\x00" + latin1Text(signature)));
  const base64 = btoa(asn1.toDer(whole).getBytes()).replace(/.{64}/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${base64.trimEnd()}\n-----END CERTIFICATE-----\n`;
}

function element(type: forge.asn1.Type, constructed: boolean, value: string | forge.asn1.Asn1[]) {
  return asn1.create(asn1.Class.UNIVERSAL, type, constructed, value);
}

function sequence(...items: forge.asn1.Asn1[]) {
  return element(asn1.Type.SEQUENCE, true, items);
}

function context(tag: number, item: forge.asn1.Asn1) {
  return asn1.create(asn1.Class.CONTEXT_SPECIFIC, tag as forge.asn1.Type, true, [item]);
}

function contextValue(tag: number, bytes: string) {
  return asn1.create(asn1.Class.CONTEXT_SPECIFIC, tag as forge.asn1.Type, false, bytes);
}

function integer(bytes: string) {
  return element(asn1.Type.INTEGER, false, bytes);
}

function boolean(value: boolean) {
  return element(asn1.Type.BOOLEAN, false, value ? "\xff" : "\x00");
}

function identifier(oid: string) {
  return element(asn1.Type.OID, false, asn1.oidToDer(oid).getBytes());
}

function bitString(bytes: string) {
  return element(asn1.Type.BITSTRING, false, bytes);
}

function utcTime(date: Date) {
  return element(asn1.Type.UTCTIME, false, asn1.dateToUtcTime(date));
}

function name(commonName: string) {
  const value = element(asn1.Type.UTF8, false, forge.util.encodeUtf8(commonName));
  const pair = sequence(identifier(OID.commonName), value);
  return sequence(element(asn1.Type.SET, true, [pair]));
}

function extension(oid: string, critical: boolean, value: forge.asn1.Asn1) {
  const content = element(asn1.Type.OCTETSTRING, false, asn1.toDer(value).getBytes());
  return critical
    ? sequence(identifier(oid), boolean(true), content)
    : sequence(identifier(oid), content);
}

function alternativeName(host: string) {
  const address = bytesFromIp(host);
  // GeneralName: dNSName is [2], iPAddress is [7] (RFC 5280, section 4.2.1.6).
  return address === null ? contextValue(2, host) : contextValue(7, address);
}
