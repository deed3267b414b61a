import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { BrokerError } from "../errors.ts";
import { createLeafCertificate, createRootCertificate } from "../x509/certificate.ts";
import { type CertificateFields, parseCertificateFields } from "../x509/certificate_fields.ts";
import { readDer } from "../x509/der.ts";
import type { LeafName } from "../x509/leaf_name.ts";

/** A private key as PEM that does not print itself. */
export interface PrivateKeyText {
  reveal(): string;
}

/** A certificate for one host with its key. */
export interface Leaf {
  /** The leaf alone; clients have the root. */
  readonly certificatePem: string;
  /** PKCS #8; it lives in memory only and for seven days at most. */
  readonly privateKeyPem: string;
  /** When the certificate ends, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Octets of a serial number; CAs must use at least 64 random bits and at most 20 octets. */
const SERIAL_LENGTH = 16;

/** Octets of a key identifier, RFC 7093 section 2 method 1: the first 160 bits of SHA-256. */
const KEY_IDENTIFIER_LENGTH = 20;

const MASK = "[secret]";

/** The root's private key on its way to the store. */
class RootPrivateKey implements PrivateKeyText {
  readonly #pem: string;

  constructor(pem: string) {
    this.#pem = pem;
  }

  reveal(): string {
    return this.#pem;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.for("Deno.customInspect")](): string {
    return MASK;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return MASK;
  }
}

/** Makes a root certificate under a new P-256 key. */
export function createRoot(
  { commonName, now }: { readonly commonName: string; readonly now: Date },
): { readonly certificatePem: string; readonly privateKeyPkcs8Pem: PrivateKeyText } {
  const key = createKey();
  return {
    certificatePem: createRootCertificate(commonName, {
      now,
      serial: randomBytes(SERIAL_LENGTH),
      publicKey: key.publicKey,
      keyIdentifier: keyIdentifier(key.publicKey),
      sign: (tbs) => sign("sha256", tbs, key.privateKey),
    }),
    privateKeyPkcs8Pem: new RootPrivateKey(key.privateKeyPem),
  };
}

/** A root that is ready to sign. */
export class Issuer {
  readonly #root: CertificateFields;
  readonly #keyIdentifier: Uint8Array;
  readonly #privateKey: KeyObject;

  /** @throws BrokerError `home_unusable` when the key is not the certificate's. */
  constructor(privateKey: PrivateKeyText, root: CertificateFields) {
    this.#root = root;
    this.#keyIdentifier = root.subjectKeyIdentifier ?? keyIdentifier(root.publicKey);
    this.#privateKey = readPrivateKey(privateKey);
    const own = createPublicKey(this.#privateKey).export({ type: "spki", format: "der" });
    if (!own.equals(root.publicKey)) throw unusableKey(undefined);
  }

  issueLeaf(name: LeafName, now: Date): Leaf {
    const key = createKey();
    const certificatePem = createLeafCertificate(name, {
      now,
      serial: randomBytes(SERIAL_LENGTH),
      publicKey: key.publicKey,
      keyIdentifier: keyIdentifier(key.publicKey),
      sign: (tbs) => sign("sha256", tbs, this.#privateKey),
      issuer: {
        subject: this.#root.subject,
        keyIdentifier: this.#keyIdentifier,
        notAfter: this.#root.notAfter,
      },
    });
    const { notAfter } = parseCertificateFields(certificatePem);
    return { certificatePem, privateKeyPem: key.privateKeyPem, expiresAt: notAfter.getTime() };
  }
}

interface NewKey {
  readonly privateKey: KeyObject;
  readonly privateKeyPem: string;
  readonly publicKey: Uint8Array<ArrayBuffer>;
}

function createKey(): NewKey {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    privateKey,
    privateKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    publicKey: new Uint8Array(publicKey.export({ type: "spki", format: "der" })),
  };
}

function keyIdentifier(publicKey: Uint8Array<ArrayBuffer>): Uint8Array {
  const [spki] = readDer(publicKey);
  const bits = readDer(spki?.content ?? new Uint8Array())[1]?.content ?? new Uint8Array();
  // The first octet of a bit string counts unused bits; the key begins after it.
  const digest = createHash("sha256").update(bits.subarray(1)).digest();
  return new Uint8Array(digest.subarray(0, KEY_IDENTIFIER_LENGTH));
}

function readPrivateKey(privateKey: PrivateKeyText): KeyObject {
  try {
    return createPrivateKey(privateKey.reveal());
  } catch (cause) {
    throw unusableKey(cause);
  }
}

function unusableKey(cause: unknown): BrokerError {
  return new BrokerError("home_unusable", "Load CA: the stored key does not fit the certificate", {
    hint: "restore the home from a backup, or start a new one with BROKER_HOME=DIRECTORY",
    cause,
  });
}
