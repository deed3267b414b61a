import { parseAddress } from "./ip_address.ts";

/** A range of addresses. */
export interface Cidr {
  readonly address: Uint8Array;
  /** How many leading bits count. */
  readonly bits: number;
}

/** Reads `10.0.0.0/8`, `fd00::/8`, or one address; a text says what is wrong with it. */
export function parseCidr(text: string): Cidr | string {
  const [written, length, ...rest] = text.split("/");
  const address = parseAddress(written!);
  if (address === undefined || rest.length > 0) {
    return 'it is no address range: write one such as "10.0.0.0/8" or "fd00::/8"';
  }
  const all = address.length * 8;
  if (length === undefined) return { address, bits: all };
  if (!/^(?:0|[1-9][0-9]{0,2})$/.test(length) || Number(length) > all) {
    return `the length after "/" must be 0 to ${all}`;
  }
  const bits = Number(length);
  if (bits === 0) {
    return "it takes in every address: set BROKER_ALLOW_PRIVATE=1 if that is what you mean";
  }
  const masked = address.map((byte, index) => byte & maskByte(bits, index));
  if (masked.some((byte, index) => byte !== address[index])) {
    return `its address has bits beyond /${bits}: write "${showBytes(masked)}/${bits}"`;
  }
  return { address, bits };
}

/** True when an address lies in a range of its own family. */
export function isInRange(address: Uint8Array, { address: start, bits }: Cidr): boolean {
  if (address.length !== start.length) return false;
  for (let index = 0; index * 8 < bits; index++) {
    if ((address[index]! & maskByte(bits, index)) !== start[index]) return false;
  }
  return true;
}

function maskByte(bits: number, index: number): number {
  const kept = Math.min(Math.max(bits - index * 8, 0), 8);
  return 0xff & ~(0xff >> kept);
}

function showBytes(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups: string[] = [];
  for (let at = 0; at < 16; at += 2) groups.push((bytes[at]! << 8 | bytes[at + 1]!).toString(16));
  return URL.parse(`http://[${groups.join(":")}]/`)!.hostname.slice(1, -1);
}
