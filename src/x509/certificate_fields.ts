import { BrokerError } from "../errors.ts";
import { type DerElement, readDer } from "./der.ts";
import { parseCertificatePem } from "./pem.ts";

/** What issuing and checking need to know of a certificate that exists already. */
export interface CertificateFields {
  /** Subject name as DER; a leaf repeats it byte by byte as its issuer (RFC 5280 section 4.1.2.4). */
  readonly subject: Uint8Array<ArrayBuffer>;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** SubjectPublicKeyInfo as DER. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** Content of the subject key identifier extension, when the certificate has one. */
  readonly subjectKeyIdentifier: Uint8Array<ArrayBuffer> | undefined;
}

const TAG = { octetString: 0x04, utcTime: 0x17, version: 0xa0, extensions: 0xa3 } as const;

/** DER content of the OID 2.5.29.14, subjectKeyIdentifier. */
const SUBJECT_KEY_IDENTIFIER = "551d0e";

/**
 * Reads the fields of an X.509 certificate (RFC 5280 section 4.1) from PEM. It does not verify anything.
 * @throws BrokerError `validation_failed` when the text holds no readable certificate.
 */
export function parseCertificateFields(pem: string): CertificateFields {
  const [certificate] = readDer(parseCertificatePem(pem));
  const [tbs] = readDer(certificate?.content ?? new Uint8Array());
  const fields = readDer(tbs?.content ?? new Uint8Array());
  if (fields[0]?.tag === TAG.version) fields.shift();
  const [, , , validity, subject, publicKey] = fields;
  if (validity === undefined || subject === undefined || publicKey === undefined) {
    throw incomplete();
  }
  const [notBefore, notAfter] = readDer(validity.content);
  return {
    subject: subject.bytes,
    notBefore: parseTime(notBefore),
    notAfter: parseTime(notAfter),
    publicKey: publicKey.bytes,
    subjectKeyIdentifier: findKeyIdentifier(fields.find((field) => field.tag === TAG.extensions)),
  };
}

function findKeyIdentifier(
  extensions: DerElement | undefined,
): Uint8Array<ArrayBuffer> | undefined {
  const [list] = readDer(extensions?.content ?? new Uint8Array());
  for (const extension of readDer(list?.content ?? new Uint8Array())) {
    const parts = readDer(extension.content);
    if (parts[0]?.content.toHex() !== SUBJECT_KEY_IDENTIFIER) continue;
    const value = parts.find((part) => part.tag === TAG.octetString);
    return readDer(value?.content ?? new Uint8Array())[0]?.content;
  }
  return undefined;
}

/** UTCTime or GeneralizedTime in the only forms RFC 5280 section 4.1.2.5 allows. */
function parseTime(element: DerElement | undefined): Date {
  const text = element === undefined ? "" : String.fromCharCode(...element.content);
  const short = element?.tag === TAG.utcTime;
  const match = /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/.exec(text);
  if (match === null || (match[1]!.length === 2) !== short) throw incomplete();
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const fullYear = short ? (year < 50 ? 2000 + year : 1900 + year) : year;
  return new Date(Date.UTC(fullYear, month - 1, day, hour, minute, second));
}

function incomplete(): BrokerError {
  return new BrokerError("validation_failed", "Read certificate: a required field is missing");
}
