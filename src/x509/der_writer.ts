// @ts-types="@types/node-forge"
import type { asn1 as Asn1 } from "node-forge";
// The whole of node-forge takes twice as long to load, and only its ASN.1 tables are needed.
import asn1Module from "node-forge/lib/asn1.js";

const asn1: typeof Asn1 = asn1Module;
const { Class, Type } = asn1;

/** A DER element under construction. */
export type DerNode = Asn1.Asn1;

/** SEQUENCE of the given elements, in order. */
export function sequence(...elements: DerNode[]): DerNode {
  return asn1.create(Class.UNIVERSAL, Type.SEQUENCE, true, elements);
}

/** SET OF several elements, which DER sorts by their octets (X.690 section 11.6). */
export function setOfSorted(...elements: DerNode[]): DerNode {
  const sorted = elements
    .map((element) => ({ element, binary: asn1.toDer(element).getBytes() }))
    .sort((a, b) => a.binary < b.binary ? -1 : 1)
    .map(({ element }) => element);
  return asn1.create(Class.UNIVERSAL, Type.SET, true, sorted);
}

/** SET of one element. */
export function setOf(element: DerNode): DerNode {
  return asn1.create(Class.UNIVERSAL, Type.SET, true, [element]);
}

/** Context-specific `[number]` around elements. */
export function tagged(number: number, ...elements: DerNode[]): DerNode {
  return asn1.create(Class.CONTEXT_SPECIFIC, number as Asn1.Type, true, elements);
}

/** Context-specific `[number]` in place of a primitive type's own tag. */
export function taggedOctets(number: number, octets: Uint8Array): DerNode {
  return asn1.create(Class.CONTEXT_SPECIFIC, number as Asn1.Type, false, toBinary(octets));
}

/** OBJECT IDENTIFIER from its dotted form. */
export function objectIdentifier(dotted: string): DerNode {
  return primitive(Type.OID, asn1.oidToDer(dotted).getBytes());
}

/** Non-negative INTEGER from its big-endian octets, in as few octets as hold it. */
export function integer(octets: Uint8Array): DerNode {
  // The encoder drops one leading zero at most, and clients refuse a number with one too many.
  const significant = toBinary(octets).replace(/^\0+/, "");
  return primitive(Type.INTEGER, `\0${significant}`);
}

/** BOOLEAN TRUE; DER leaves FALSE out wherever it is the default. */
export function booleanTrue(): DerNode {
  return primitive(Type.BOOLEAN, "\xff");
}

/** UTF8String. */
export function utf8String(text: string): DerNode {
  return primitive(Type.UTF8, toBinary(new TextEncoder().encode(text)));
}

/** BMPString, which node-forge writes as UTF-16 itself. */
export function bmpString(text: string): DerNode {
  return primitive(Type.BMPSTRING, text);
}

/** OCTET STRING. */
export function octetString(octets: Uint8Array): DerNode {
  return primitive(Type.OCTETSTRING, toBinary(octets));
}

/** BIT STRING whose last octet has `unused` bits that do not count. */
export function bitString(octets: Uint8Array, unused = 0): DerNode {
  return primitive(Type.BITSTRING, String.fromCharCode(unused) + toBinary(octets));
}

/** Time in whole seconds: UTCTime through 2049, GeneralizedTime from 2050 (RFC 5280 section 4.1.2.5). */
export function time(date: Date): DerNode {
  return date.getUTCFullYear() < 2050
    ? primitive(Type.UTCTIME, asn1.dateToUtcTime(date) as string)
    : primitive(Type.GENERALIZEDTIME, asn1.dateToGeneralizedTime(date) as string);
}

/** An element that exists as DER already, to be repeated as it is. */
export function encoded(der: Uint8Array): DerNode {
  // Looking inside bit strings would let key material that resembles ASN.1 be encoded anew.
  return asn1.fromDer(toBinary(der), { strict: true, decodeBitStrings: false } as never);
}

/** The octets of an element. */
export function serializeDer(node: DerNode): Uint8Array<ArrayBuffer> {
  const binary = asn1.toDer(node).getBytes();
  const octets = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) octets[at] = binary.charCodeAt(at);
  return octets;
}

function primitive(type: Asn1.Type, value: string): DerNode {
  return asn1.create(Class.UNIVERSAL, type, false, value);
}

/** node-forge keeps octets as a string of one character each. */
function toBinary(octets: Uint8Array): string {
  let binary = "";
  for (const octet of octets) binary += String.fromCharCode(octet);
  return binary;
}
