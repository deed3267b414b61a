/** The bits of an IPv4 and of an IPv6 address. */
const IPV4_BITS = 32;
const IPV6_BITS = 128;

/** One IP address as a number, so that two of them compare under a prefix length. */
interface Address {
  readonly bits: typeof IPV4_BITS | typeof IPV6_BITS;
  readonly value: bigint;
}

/**
 * The entries of a `NO_PROXY` value. Some programs write commas between them, others blanks; both
 * are taken, empty entries are left out.
 */
export function splitNoProxy(text: string): string[] {
  return text.split(/[\s,]+/).filter((entry) => entry !== "");
}

/**
 * One `NO_PROXY` value out of several: order kept, an entry that differs only in case from an
 * earlier one left out, commas between.
 */
export function mergeNoProxy(texts: readonly string[]): string {
  const entries = new Map<string, string>();
  for (const entry of texts.flatMap(splitNoProxy)) {
    const name = entry.toLowerCase();
    if (!entries.has(name)) entries.set(name, entry);
  }
  return [...entries.values()].join(",");
}

/**
 * Whether a host is reached without the proxy, by curl's reading of `NO_PROXY`: a lone `*` covers
 * every host; a name covers itself and its subdomains, with or without a leading or trailing dot; an
 * IP literal covers itself, with `/BITS` its network. An entry that holds a port or another `*`
 * covers nothing (curl's `lib/noproxy.c`). Where curl's versions differ, the wider reading holds:
 * blanks separate entries, and IPv6 networks count, in brackets too.
 *
 * @param hostname lower case, no brackets around IPv6
 */
export function bypassesProxy(noProxy: string, hostname: string): boolean {
  if (hostname === "") return false;
  if (noProxy === "*") return true;
  const address = parseAddress(hostname);
  const name = withoutTrailingDot(hostname.toLowerCase());
  for (const entry of splitNoProxy(noProxy)) {
    if (address === undefined ? coversName(entry, name) : coversAddress(entry, address)) {
      return true;
    }
  }
  return false;
}

function coversName(entry: string, name: string): boolean {
  const suffix = withoutTrailingDot(entry.toLowerCase()).replace(/^\./, "");
  return suffix !== "" && (name === suffix || name.endsWith(`.${suffix}`));
}

function coversAddress(entry: string, address: Address): boolean {
  const [text = "", prefix] = entry.split("/", 2);
  const network = parseAddress(text.replace(/^\[(.*)\]$/, "$1"));
  if (network === undefined || network.bits !== address.bits) return false;
  const bits = prefixLength(prefix, address.bits);
  if (bits === undefined) return false;
  const hostBits = BigInt(address.bits - bits);
  return network.value >> hostBits === address.value >> hostBits;
}

/** As curl reads it: leading digits count, and none or zero means the whole address. */
function prefixLength(text: string | undefined, whole: number): number | undefined {
  if (text?.startsWith("-")) return undefined;
  const bits = Number.parseInt(text ?? "", 10) || whole;
  return bits <= whole ? bits : undefined;
}

function parseAddress(text: string): Address | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): Address | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return undefined;
  let value = 0n;
  for (const part of text.split(".")) {
    // A leading zero would be octal to some readers: inet_pton refuses it, and so does this.
    if (Number(part) > 255 || (part.length > 1 && part.startsWith("0"))) return undefined;
    value = value << 8n | BigInt(part);
  }
  return { bits: IPV4_BITS, value };
}

function parseIpv6(text: string): Address | undefined {
  if (!/^[0-9a-f:.]+$/i.test(text)) return undefined;
  let literal: string;
  try {
    literal = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  } catch {
    return undefined;
  }
  // The URL parser has already resolved a dotted tail and checked the number of groups.
  const [head = "", tail] = literal.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(8 - left.length - right.length).fill("0");
  let value = 0n;
  for (const group of [...left, ...zeros, ...right]) value = value << 16n | BigInt(`0x${group}`);
  return { bits: IPV6_BITS, value };
}

function withoutTrailingDot(name: string): string {
  return name.endsWith(".") ? name.slice(0, -1) : name;
}
