/** Groups of an IPv6 address, RFC 4291 section 2.2. */
const GROUPS = 8;

/**
 * Reads an IPv4 address in dotted decimal or an IPv6 address in any form of RFC 4291 section 2.2, with
 * or without brackets, as its 4 or 16 octets. Undefined for anything else: short forms such as `127.1`,
 * octal, zone identifiers.
 */
export function parseIpAddress(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bracketed = text.startsWith("[") && text.endsWith("]");
  const address = bracketed ? text.slice(1, -1) : text;
  if (address.includes(":")) return parseIpv6(address);
  return bracketed ? undefined : parseIpv4(address);
}

function parseIpv4(text: string): Uint8Array<ArrayBuffer> | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  const octets = new Uint8Array(4);
  for (const [index, part] of parts.entries()) {
    // A leading zero means octal to some readers and decimal to others.
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    octets[index] = Number(part);
  }
  return octets;
}

function parseIpv6(text: string): Uint8Array<ArrayBuffer> | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0]!, halves.length === 1);
  const tail = halves.length === 2 ? parseGroups(halves[1]!, true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = GROUPS - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...new Array<number>(missing).fill(0), ...tail];
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

/** The 16-bit groups of one side of `::`; only the last side may end in an IPv4 address. */
function parseGroups(text: string, last: boolean): number[] | undefined {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (part.includes(".") && last && index === parts.length - 1) {
      const ipv4 = parseIpv4(part);
      if (ipv4 === undefined) return undefined;
      groups.push((ipv4[0]! << 8) | ipv4[1]!, (ipv4[2]! << 8) | ipv4[3]!);
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(parseInt(part, 16));
    } else {
      return undefined;
    }
  }
  return groups;
}
