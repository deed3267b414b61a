import {
  bitString,
  booleanTrue,
  type DerNode,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  serializeDer,
  taggedOctets,
} from "./der_writer.ts";
import type { LeafName } from "./leaf_name.ts";

const OID = {
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
} as const;

/** Bits of keyUsage, most significant first, and how many of the octet's last bits do not count. */
const KEY_USAGE = {
  digitalSignature: { octet: 0b1000_0000, unused: 7 },
  certificateAndCrlSigning: { octet: 0b0000_0110, unused: 1 },
} as const;

/** Basic constraints of a CA that may issue leaves only: `CA:TRUE, pathlen:0`, critical. */
export function caWithoutIntermediates(): DerNode {
  const value = sequence(booleanTrue(), integer(new Uint8Array([0])));
  return extension(OID.basicConstraints, value, { critical: true });
}

/** Key usage, critical (RFC 5280 section 4.2.1.3). */
export function keyUsage(purpose: keyof typeof KEY_USAGE): DerNode {
  const { octet, unused } = KEY_USAGE[purpose];
  return extension(OID.keyUsage, bitString(new Uint8Array([octet]), unused), { critical: true });
}

/** Extended key usage of a TLS server and nothing else. */
export function serverAuthOnly(): DerNode {
  return extension(OID.extendedKeyUsage, sequence(objectIdentifier(OID.serverAuth)));
}

/** Subject key identifier. */
export function subjectKeyIdentifier(identifier: Uint8Array): DerNode {
  return extension(OID.subjectKeyIdentifier, octetString(identifier));
}

/** Authority key identifier in its key form. */
export function authorityKeyIdentifier(identifier: Uint8Array): DerNode {
  return extension(OID.authorityKeyIdentifier, sequence(taggedOctets(0, identifier)));
}

/** Subject alternative name of one host; critical, as it must be when the subject is empty. */
export function subjectAltName(name: LeafName): DerNode {
  const value = name.kind === "dns"
    ? taggedOctets(2, new TextEncoder().encode(name.name))
    : taggedOctets(7, name.address);
  return extension(OID.subjectAltName, sequence(value), { critical: true });
}

function extension(oid: string, value: DerNode, options: { critical?: boolean } = {}): DerNode {
  const content = octetString(serializeDer(value));
  return options.critical === true
    ? sequence(objectIdentifier(oid), booleanTrue(), content)
    : sequence(objectIdentifier(oid), content);
}
