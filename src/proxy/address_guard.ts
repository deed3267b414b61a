import { BrokerError, type Issue } from "../errors.ts";
import { classifyAddress, unmapAddress } from "./address_class.ts";
import { type Cidr, isInRange, parseCidr } from "./cidr.ts";
import { parseAddress } from "./ip_address.ts";

export { type AddressClass, classifyAddress, isLocalAddress } from "./address_class.ts";
export { parseAddress } from "./ip_address.ts";

/** What the operator opens beyond the public Internet. */
export interface AddressGuardOptions {
  /** Ranges such as `10.0.0.0/8`, or single addresses (`BROKER_NETWORK_ALLOW`). */
  readonly allow: readonly string[];
  /** Everything but metadata endpoints (`BROKER_ALLOW_PRIVATE=1`). */
  readonly allowPrivate: boolean;
}

/** Whether an address may be dialled. */
export type AddressVerdict =
  | { readonly allowed: true }
  | {
    readonly allowed: false;
    /** What the address is, in words that a client may read. */
    readonly reason: string;
  };

/** Decides which addresses may be dialled. */
export interface AddressGuard {
  /** @param options.exactHost an exact-host service names the host, so that the operator asked for it. */
  check(address: string, options: { exactHost: boolean }): AddressVerdict;
}

const ALLOWED: AddressVerdict = { allowed: true };

/**
 * Makes the guard of interfaces: Guarded addresses. Metadata endpoints and what is no address are always
 * refused; other guarded addresses unless the operator opened them.
 *
 * @throws BrokerError `validation_failed` naming every range that cannot be read.
 */
export function createAddressGuard({ allow, allowPrivate }: AddressGuardOptions): AddressGuard {
  const ranges = parseRanges(allow);
  return {
    check(text, { exactHost }) {
      const found = classifyAddress(text);
      if (found.kind === "public") return ALLOWED;
      if (found.kind === "metadata") {
        return { allowed: false, reason: `${text} is a cloud metadata endpoint` };
      }
      const address = parseAddress(text);
      if (address === undefined) {
        return { allowed: false, reason: `${JSON.stringify(text)} is no IP address` };
      }
      if (allowPrivate || exactHost) return ALLOWED;
      const plain = unmapAddress(address);
      if (ranges.some((range) => isInRange(plain, range) || isInRange(address, range))) {
        return ALLOWED;
      }
      return { allowed: false, reason: `${text} is ${found.range}` };
    },
  };
}

function parseRanges(allow: readonly string[]): Cidr[] {
  const ranges: Cidr[] = [];
  const issues: Issue[] = [];
  for (const [index, text] of allow.entries()) {
    const parsed = parseCidr(text.trim());
    if (typeof parsed === "string") {
      issues.push({ path: [index], message: `${JSON.stringify(text)}: ${parsed}` });
    } else ranges.push(parsed);
  }
  if (issues.length === 0) return ranges;
  const list = issues.map(({ message }) => message).join("; ");
  throw new BrokerError("validation_failed", `Read BROKER_NETWORK_ALLOW: ${list}`, {
    hint: "BROKER_NETWORK_ALLOW=10.0.0.0/8,fd00::/8",
    issues,
  });
}
