/** Zones, brackets and ports are no part of an address here: who has them takes them off first. */
const IPV4 = /^(?:0|[1-9][0-9]{0,2})(?:\.(?:0|[1-9][0-9]{0,2})){3}$/;

/**
 * The bytes of an IP address: 4, or 16 for IPv6, whose last 32 bits may be written as IPv4 (RFC 4291
 * section 2.2). `undefined` for anything else, zone ids, leading zeros and other bases included: what
 * two resolvers may read differently is no address.
 */
export function parseAddress(text: string): Uint8Array | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): Uint8Array | undefined {
  if (!IPV4.test(text)) return undefined;
  const numbers = text.split(".").map(Number);
  return numbers.every((number) => number <= 255) ? Uint8Array.from(numbers) : undefined;
}

function parseIpv6(text: string): Uint8Array | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0]!, { mayEndInIpv4: halves.length === 1 });
  const tail = halves.length === 1 ? [] : parseGroups(halves[1]!, { mayEndInIpv4: true });
  if (head === undefined || tail === undefined) return undefined;
  const absent = 16 - head.length - tail.length;
  // "::" stands for at least one group.
  if (halves.length === 1 ? absent !== 0 : absent < 2) return undefined;
  return Uint8Array.from([...head, ...new Array<number>(absent).fill(0), ...tail]);
}

function parseGroups(text: string, options: { mayEndInIpv4: boolean }): number[] | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const groups = text.split(":");
  for (const [index, group] of groups.entries()) {
    if (options.mayEndInIpv4 && index === groups.length - 1 && group.includes(".")) {
      const ipv4 = parseIpv4(group);
      return ipv4 && [...bytes, ...ipv4];
    }
    if (!/^[0-9A-Fa-f]{1,4}$/.test(group)) return undefined;
    const value = parseInt(group, 16);
    bytes.push(value >> 8, value & 0xff);
  }
  return bytes;
}
