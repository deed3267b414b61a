import { createHash, createHmac, randomBytes } from "node:crypto";
import { parseCertificatePem, splitCertificates } from "../x509/pem.ts";
import { serializeTrustStore } from "../x509/trust_store.ts";
import { writeAtomically } from "./write_atomically.ts";

/** Protects nothing, for certificates are public; it is what every JVM's own store has. */
export const TRUST_STORE_PASSWORD = "changeit";

/** As `keytool` writes them. */
const MAC_ITERATIONS = 10_000;
const SALT_BYTES = 20;

/** Length of a SHA-256 digest and of its block, in bytes: u and v of RFC 7292 appendix B.2. */
const DIGEST_BYTES = 32;
const BLOCK_BYTES = 64;

/** Makes a MAC key of the password (RFC 7292 appendix B.2, ID 3). */
const MAC_KEY_ID = 3;

const MODE = 0o644;

/**
 * Writes the roots of a PEM file as a PKCS#12 trust store beside it, and gives its path.
 *
 * @throws BrokerError `home_unusable` or `disk_full` when it cannot be written.
 */
export async function writeJavaTrustStore(bundle: string): Promise<string> {
  const path = `${bundle.replace(/\.pem$/, "")}.p12`;
  const certificates = splitCertificates(await Deno.readTextFile(bundle)).map((pem, index) => ({
    name: `root-${index + 1}`,
    der: parseCertificatePem(pem),
  }));
  const store = serializeTrustStore(certificates, (contents) => {
    const salt = randomBytes(SALT_BYTES);
    const key = macKey(TRUST_STORE_PASSWORD, salt);
    const digest = createHmac("sha256", key).update(contents).digest();
    return { digest, salt, iterations: MAC_ITERATIONS };
  });
  await writeAtomically(path, store, { mode: MODE });
  return path;
}

/** The key of one digest's length, so that the first round of appendix B.2 is the only one. */
function macKey(password: string, salt: Uint8Array): Uint8Array {
  const text = new Uint8Array(2 * password.length + 2);
  for (let at = 0; at < password.length; at++) {
    text[2 * at] = password.charCodeAt(at) >> 8;
    text[2 * at + 1] = password.charCodeAt(at) & 0xff;
  }
  const diversifier = new Uint8Array(BLOCK_BYTES).fill(MAC_KEY_ID);
  let key: Uint8Array = createHash("sha256")
    .update(diversifier).update(filled(salt)).update(filled(text)).digest();
  for (let round = 1; round < MAC_ITERATIONS; round++) {
    key = createHash("sha256").update(key).digest();
  }
  return key.subarray(0, DIGEST_BYTES);
}

/** The octets repeated up to a multiple of the block. */
function filled(octets: Uint8Array): Uint8Array {
  const length = BLOCK_BYTES * Math.ceil(octets.length / BLOCK_BYTES);
  return Uint8Array.from({ length }, (_, at) => octets[at % octets.length]!);
}
