/** Names that resolve to this machine or its network by their own rules (RFC 6761, 6762, 8375, 9476). */
const LOCAL_SUFFIX =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|home\.arpa|corp)$/;

/**
 * True for a host that is on this machine or in its network as far as its name tells: an address, a
 * single label, or a name below a domain that never is public. A public-looking name may still resolve
 * to such an address.
 */
export function isLocalHost(hostname: string): boolean {
  if (/^[0-9.]+$/.test(hostname) || hostname.includes(":")) return !isPublicAddress(hostname);
  return !hostname.includes(".") || LOCAL_SUFFIX.test(hostname);
}

/** IPv4 outside the private, shared, link-local, loopback and multicast blocks (RFC 6890); IPv6 global unicast. */
function isPublicAddress(address: string): boolean {
  if (address.includes(":")) return /^[23]/.test(address);
  const [a = 0, b = 0] = address.split(".").map(Number);
  return !(a === 0 || a === 10 || a === 127 || a >= 224 || (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168) ||
    (a === 198 && (b === 18 || b === 19)));
}
