import { BrokerError } from "../errors.ts";

const BEGIN = "-----BEGIN CERTIFICATE-----";
const END = "-----END CERTIFICATE-----";

/** Characters of base64 a line, RFC 7468 section 2. */
const LINE_LENGTH = 64;

/** Writes DER as PEM with the given label, 64 characters a line and a final newline (RFC 7468). */
export function serializePem(label: string, der: Uint8Array): string {
  const base64 = der.toBase64();
  const lines: string[] = [];
  for (let at = 0; at < base64.length; at += LINE_LENGTH) {
    lines.push(base64.slice(at, at + LINE_LENGTH));
  }
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

/**
 * Cuts a text into its certificates, each in the one form that {@link serializePem} writes, so that
 * equal certificates are equal strings. Comments, keys and other blocks between them are left out, and
 * so is a block whose content is not base64.
 */
export function splitCertificates(text: string): string[] {
  const certificates: string[] = [];
  let at = 0;
  while (true) {
    const begin = text.indexOf(BEGIN, at);
    if (begin < 0) return certificates;
    const from = begin + BEGIN.length;
    const end = text.indexOf(END, from);
    if (end < 0) return certificates;
    // A block that lost its END line must not swallow the certificate after it.
    const nested = text.lastIndexOf(BEGIN, end);
    const der = decodeBase64(text.slice(Math.max(from, nested + BEGIN.length), end));
    if (der !== undefined) certificates.push(serializePem("CERTIFICATE", der));
    at = end + END.length;
  }
}

/**
 * Reads the first certificate of a PEM text as DER.
 * @throws BrokerError `validation_failed` when there is none.
 */
export function parseCertificatePem(pem: string): Uint8Array<ArrayBuffer> {
  const from = pem.indexOf(BEGIN);
  const end = pem.indexOf(END, from);
  const der = from < 0 || end < 0 ? undefined : decodeBase64(pem.slice(from + BEGIN.length, end));
  if (der === undefined) {
    throw new BrokerError("validation_failed", "Read certificate: no PEM block with a certificate");
  }
  return der;
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const der = Uint8Array.fromBase64(text);
    return der.length === 0 ? undefined : der;
  } catch {
    return undefined;
  }
}
