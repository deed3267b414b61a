import { BrokerError } from "../errors.ts";
import {
  bitString,
  type DerNode,
  encoded,
  integer,
  objectIdentifier,
  sequence,
  serializeDer,
  setOf,
  tagged,
  time,
  utf8String,
} from "./der_writer.ts";
import {
  authorityKeyIdentifier,
  caWithoutIntermediates,
  keyUsage,
  serverAuthOnly,
  subjectAltName,
  subjectKeyIdentifier,
} from "./extensions.ts";
import type { LeafName } from "./leaf_name.ts";
import { serializePem } from "./pem.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** How far certificates reach back, in milliseconds: the clock of a client may be behind. */
export const BACKDATE = HOUR;

/** How long a leaf is valid from the moment it is issued, in milliseconds. */
export const LEAF_LIFETIME = 7 * DAY;

/** How long a root is valid from the moment it is created, in years. */
export const ROOT_LIFETIME_YEARS = 10;

/** Longest common name in characters, RFC 5280 appendix A.1 (ub-common-name). */
const MAX_COMMON_NAME = 64;

const OID = { commonName: "2.5.4.3", ecdsaWithSha256: "1.2.840.10045.4.3.2" } as const;

/** What every certificate needs and a pure function cannot make itself. */
export interface IssueInput {
  /** The moment of issue. */
  readonly now: Date;
  /** 16 random octets; they become a positive number. */
  readonly serial: Uint8Array;
  /** SubjectPublicKeyInfo of the certificate's own key, as DER. */
  readonly publicKey: Uint8Array;
  /** Identifier of that key, 20 octets. */
  readonly keyIdentifier: Uint8Array;
  /** Signs with ECDSA and SHA-256 under the issuer's P-256 key; gives the DER form (RFC 3279). */
  readonly sign: (tbs: Uint8Array<ArrayBuffer>) => Uint8Array;
}

/** The issuing root, as far as a leaf repeats it. */
export interface Issuer {
  /** Its subject name as DER. */
  readonly subject: Uint8Array;
  readonly keyIdentifier: Uint8Array;
  readonly notAfter: Date;
}

/**
 * Makes a self-signed root certificate as PEM: `CA:TRUE, pathlen:0`, certificate and CRL signing only,
 * ten years. A common name beyond 64 characters is cut.
 * @throws BrokerError `validation_failed` when the serial is not 16 octets or zero.
 */
export function createRootCertificate(commonName: string, input: IssueInput): string {
  const name = distinguishedName(commonName);
  const notAfter = new Date(input.now);
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + ROOT_LIFETIME_YEARS);
  return issue(input, {
    issuer: name,
    subject: name,
    notAfter,
    extensions: [
      caWithoutIntermediates(),
      keyUsage("certificateAndCrlSigning"),
      subjectKeyIdentifier(input.keyIdentifier),
    ],
  });
}

/**
 * Makes the leaf certificate of one host as PEM: TLS server only, seven days but never past the root.
 * The subject is empty, because a common name holds 64 characters and a DNS name 253; the subject
 * alternative name is critical for that reason (RFC 5280 section 4.1.2.6).
 * @throws BrokerError `validation_failed` when the serial is not 16 octets or zero.
 */
export function createLeafCertificate(
  name: LeafName,
  options: IssueInput & { readonly issuer: Issuer },
): string {
  const { issuer, now } = options;
  return issue(options, {
    issuer: encoded(issuer.subject),
    subject: sequence(),
    notAfter: new Date(Math.min(now.getTime() + LEAF_LIFETIME, issuer.notAfter.getTime())),
    extensions: [
      keyUsage("digitalSignature"),
      serverAuthOnly(),
      subjectAltName(name),
      authorityKeyIdentifier(issuer.keyIdentifier),
      subjectKeyIdentifier(options.keyIdentifier),
    ],
  });
}

interface Template {
  readonly issuer: DerNode;
  readonly subject: DerNode;
  readonly notAfter: Date;
  readonly extensions: readonly DerNode[];
}

function issue(input: IssueInput, template: Template): string {
  const algorithm = sequence(objectIdentifier(OID.ecdsaWithSha256));
  const tbs = sequence(
    tagged(0, integer(new Uint8Array([2]))),
    integer(checkSerial(input.serial)),
    algorithm,
    template.issuer,
    sequence(time(new Date(input.now.getTime() - BACKDATE)), time(template.notAfter)),
    template.subject,
    encoded(input.publicKey),
    tagged(3, sequence(...template.extensions)),
  );
  const signature = input.sign(serializeDer(tbs));
  return serializePem("CERTIFICATE", serializeDer(sequence(tbs, algorithm, bitString(signature))));
}

function distinguishedName(commonName: string): DerNode {
  const text = Array.from(commonName).slice(0, MAX_COMMON_NAME).join("");
  return sequence(setOf(sequence(objectIdentifier(OID.commonName), utf8String(text))));
}

function checkSerial(serial: Uint8Array): Uint8Array {
  if (serial.length !== 16 || serial.every((octet) => octet === 0)) {
    throw new BrokerError(
      "validation_failed",
      "Issue certificate: serial must be 16 octets, not zero",
    );
  }
  return serial;
}
