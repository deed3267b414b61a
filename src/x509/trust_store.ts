/**
 * A PKCS#12 file that holds certificates to trust and no key (RFC 7292). Its contents are public, so they
 * are not encrypted; the MAC that readers check is made by a function that is passed in. Java takes an
 * entry for a root only with the attribute that names what it is trusted for.
 */
import {
  bmpString,
  type DerNode,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  serializeDer,
  setOf,
  setOfSorted,
  tagged,
} from "./der_writer.ts";

const OID = {
  data: "1.2.840.113549.1.7.1",
  certificateBag: "1.2.840.113549.1.12.10.1.3",
  x509Certificate: "1.2.840.113549.1.9.22.1",
  friendlyName: "1.2.840.113549.1.9.20",
  // Oracle's own: what a certificate without a key is trusted for.
  trustedKeyUsage: "2.16.840.1.113894.746875.1.1",
  anyExtendedKeyUsage: "2.5.29.37.0",
  sha256: "2.16.840.1.101.3.4.2.1",
} as const;

/** The MAC over the file's contents, and what it was made with. */
export interface TrustStoreMac {
  readonly digest: Uint8Array;
  readonly salt: Uint8Array;
  readonly iterations: number;
}

/**
 * Serializes the store.
 *
 * @param certificates DER, each with a name that is unique without regard to case.
 * @param mac HMAC-SHA-256 with the key of RFC 7292 appendix B.
 */
export function serializeTrustStore(
  certificates: readonly { readonly name: string; readonly der: Uint8Array }[],
  mac: (contents: Uint8Array) => TrustStoreMac,
): Uint8Array<ArrayBuffer> {
  const bags = serializeDer(sequence(...certificates.map(certificateBag)));
  const contents = serializeDer(sequence(contentInfo(bags)));
  const { digest, salt, iterations } = mac(contents);
  const macData = sequence(
    sequence(sequence(objectIdentifier(OID.sha256)), octetString(digest)),
    octetString(salt),
    integer(new Uint8Array([iterations >> 16, iterations >> 8, iterations])),
  );
  return serializeDer(sequence(integer(new Uint8Array([3])), contentInfo(contents), macData));
}

function contentInfo(octets: Uint8Array): DerNode {
  return sequence(objectIdentifier(OID.data), tagged(0, octetString(octets)));
}

function certificateBag({ name, der }: { readonly name: string; readonly der: Uint8Array }) {
  return sequence(
    objectIdentifier(OID.certificateBag),
    tagged(
      0,
      sequence(objectIdentifier(OID.x509Certificate), tagged(0, octetString(der))),
    ),
    setOfSorted(
      sequence(objectIdentifier(OID.friendlyName), setOf(bmpString(name))),
      sequence(
        objectIdentifier(OID.trustedKeyUsage),
        setOf(objectIdentifier(OID.anyExtendedKeyUsage)),
      ),
    ),
  );
}
