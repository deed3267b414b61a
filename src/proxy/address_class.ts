/**
 * What an IP address is for, from the IANA special-purpose registries (RFC 6890 and later) and the
 * addresses at which clouds hand out credentials. A form that carries an IPv4 address counts as that
 * address too, because a gateway on the way may unwrap it. What is unknown is guarded.
 */
import { type Cidr, isInRange, parseCidr } from "./cidr.ts";
import { parseAddress } from "./ip_address.ts";

/** What an address is for. */
export type AddressClass =
  | { readonly kind: "public" }
  /** Hands out a cloud's credentials to whoever asks. */
  | { readonly kind: "metadata" }
  /** Not part of the public Internet; `range` says what it is, in words and as a range. */
  | { readonly kind: "guarded"; readonly range: string };

/** Never reachable through the broker (interfaces: Guarded addresses), plus the same service elsewhere. */
const METADATA = [
  "169.254.169.254", // AWS, Google Cloud, Azure, DigitalOcean, OpenStack and others
  "169.254.170.2", // AWS container credentials
  "169.254.170.23", // AWS EKS Pod Identity
  "100.100.100.200", // Alibaba Cloud
  "168.63.129.16", // Azure host agent, which a public range hides
  "192.0.0.192", // Oracle Cloud, older images
  "fd00:ec2::254", // AWS over IPv6
  "fd00:ec2::23", // AWS EKS Pod Identity over IPv6
  "fd20:ce::254", // Google Cloud over IPv6
].map(range);

const LOCAL: readonly NamedRange[] = named({
  "127.0.0.0/8": "loopback",
  "::1/128": "loopback",
  "10.0.0.0/8": "private",
  "172.16.0.0/12": "private",
  "192.168.0.0/16": "private",
  "fc00::/7": "unique-local",
});

const SPECIAL: readonly NamedRange[] = [
  ...LOCAL,
  ...named({
    "0.0.0.0/8": "unspecified",
    "100.64.0.0/10": "carrier-grade NAT",
    "169.254.0.0/16": "link-local",
    "192.0.0.0/24": "reserved",
    "192.0.2.0/24": "documentation",
    "192.88.99.0/24": "reserved",
    "198.18.0.0/15": "benchmark",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved",
    "::/128": "unspecified",
    "64:ff9b:1::/48": "local NAT64",
    "100::/64": "discard-only",
    "2001::/23": "reserved",
    "2001:db8::/32": "documentation",
    "3fff::/20": "documentation",
    "fe80::/10": "link-local",
    "fec0::/10": "site-local",
    "ff00::/8": "multicast",
  }),
];

/** All that is routed publicly in IPv6; the rest is unassigned. */
const IPV6_PUBLIC = range("2000::/3");

const IPV4_MAPPED = range("::ffff:0:0/96");
const NAT64 = range("64:ff9b::/96");
const SIX_TO_FOUR = range("2002::/16");

/** IPv6 forms with an IPv4 address inside, and the bytes that hold it. */
const EMBEDDED: readonly { range: Cidr; bytes: readonly number[] }[] = [
  { range: IPV4_MAPPED, bytes: [12, 13, 14, 15] }, // RFC 4291 section 2.5.5.2
  { range: range("::/96"), bytes: [12, 13, 14, 15] }, // IPv4-compatible, section 2.5.5.1
  { range: range("::ffff:0:0:0/96"), bytes: [12, 13, 14, 15] }, // IPv4-translated, RFC 2765
  { range: NAT64, bytes: [12, 13, 14, 15] }, // RFC 6052
  { range: range("64:ff9b:1::/48"), bytes: [12, 13, 14, 15] }, // RFC 8215 with a /96 inside
  { range: range("64:ff9b:1::/48"), bytes: [6, 7, 9, 10] }, // RFC 8215 as RFC 6052 lays out a /48
  { range: SIX_TO_FOUR, bytes: [2, 3, 4, 5] }, // RFC 3056
];

/** Forms that reach the IPv4 address itself, so that a public one inside is public. */
const TRANSPARENT = [IPV4_MAPPED, NAT64, SIX_TO_FOUR];

/** Says what an address is for; a text that is no address is guarded. */
export function classifyAddress(text: string): AddressClass {
  const address = parseAddress(text);
  if (address === undefined) return { kind: "guarded", range: "unreadable" };
  return classify(address);
}

/** True for loopback, private (RFC 1918) and unique-local addresses, also as IPv4-mapped ones. */
export function isLocalAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  const plain = unmapAddress(address);
  return LOCAL.some(({ range }) => isInRange(plain, range));
}

/** The IPv4 address of an IPv4-mapped one, which operating systems dial as IPv4; else the same address. */
export function unmapAddress(address: Uint8Array): Uint8Array {
  return isInRange(address, IPV4_MAPPED) ? address.subarray(12) : address;
}

function classify(address: Uint8Array): AddressClass {
  const inner = embeddedAddresses(address);
  if ([address, ...inner].some((one) => METADATA.some((range) => isInRange(one, range)))) {
    return { kind: "metadata" };
  }
  const own = SPECIAL.find(({ range }) => isInRange(address, range));
  if (own !== undefined) return { kind: "guarded", range: own.name };
  if (address.length === 4) return { kind: "public" };
  if (TRANSPARENT.some((range) => isInRange(address, range))) {
    return inner.map(classify).find(({ kind }) => kind !== "public") ?? { kind: "public" };
  }
  return inner.length === 0 && isInRange(address, IPV6_PUBLIC)
    ? { kind: "public" }
    : { kind: "guarded", range: "reserved" };
}

function embeddedAddresses(address: Uint8Array): Uint8Array[] {
  return EMBEDDED.filter(({ range }) => isInRange(address, range))
    .map(({ bytes }) => Uint8Array.from(bytes, (at) => address[at]!));
}

interface NamedRange {
  readonly range: Cidr;
  /** `private (10.0.0.0/8)`. */
  readonly name: string;
}

function named(ranges: Readonly<Record<string, string>>): NamedRange[] {
  return Object.entries(ranges).map(([text, name]) => ({
    range: range(text),
    name: `${name} (${text})`,
  }));
}

function range(text: string): Cidr {
  const parsed = parseCidr(text);
  if (typeof parsed === "string") throw new TypeError(`Read the range "${text}": ${parsed}`);
  return parsed;
}
