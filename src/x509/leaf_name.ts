import { BrokerError } from "../errors.ts";
import { parseIpAddress } from "./ip_address.ts";

/** Longest DNS name in its text form, RFC 1035 section 2.3.4 less the root label. */
const MAX_NAME_LENGTH = 253;

/** Longest label of a DNS name in octets, RFC 1035 section 2.3.4. */
const MAX_LABEL_LENGTH = 63;

/** The one name that a leaf certificate stands for. */
export type LeafName =
  | { readonly kind: "dns"; readonly name: string }
  /** 4 octets for IPv4, 16 for IPv6 (RFC 5280 section 4.2.1.6). */
  | { readonly kind: "ip"; readonly address: Uint8Array<ArrayBuffer> };

/**
 * Turns the host of a CONNECT into the name a certificate can hold: an IP literal (IPv6 with or
 * without brackets), or a DNS name in lower case without its final dot. Underscores and single labels
 * pass, since real hosts have them; wildcards do not, since a leaf stands for one host.
 * @throws BrokerError `validation_failed` when no certificate can name the host.
 */
export function parseLeafName(hostname: string): LeafName {
  const address = parseIpAddress(hostname);
  if (address !== undefined) return { kind: "ip", address };
  const name = hostname.replace(/\.$/, "").toLowerCase();
  const issue = dnsNameIssue(name);
  if (issue !== undefined) {
    throw new BrokerError(
      "validation_failed",
      `Name certificate: ${issue} in host ${JSON.stringify(hostname)}`,
      {
        hint: "write the host as a DNS name in ASCII (punycode for other scripts) or an IP address",
      },
    );
  }
  return { kind: "dns", name };
}

function dnsNameIssue(name: string): string | undefined {
  if (name.length === 0 || name.length > MAX_NAME_LENGTH) {
    return `${name.length} characters instead of 1 to ${MAX_NAME_LENGTH}`;
  }
  if (!/^[a-z0-9._-]+$/.test(name)) return "a character that no DNS name has";
  const faulty = name.split(".").some((label) =>
    label.length === 0 || label.length > MAX_LABEL_LENGTH
  );
  return faulty ? `a label that is empty or longer than ${MAX_LABEL_LENGTH}` : undefined;
}
