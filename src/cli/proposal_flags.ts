import { BrokerError } from "../errors.ts";
import { hasServiceFlags, type ServiceFlags, serviceFromFlags } from "./service_flags.ts";

type Flags = Readonly<Record<string, unknown>>;

const OWN_FLAGS = ["serviceName", "slot", "message", "userMessage"];

const COMMAND = "broker vault proposal create";

/** Whether any flag says what to ask for. */
export function hasProposalFlags(flags: Flags): boolean {
  return OWN_FLAGS.some((name) => flags[name] !== undefined) || hasServiceFlags(flags);
}

/**
 * The body of the proposal that the flags describe; not validated yet.
 *
 * @throws {BrokerError} `usage` when the flags of the service do not fit together.
 */
export function proposalFromFlags(flags: Flags): Record<string, unknown> {
  const { serviceName, slot, message, userMessage, ...rest } = flags;
  const service: ServiceFlags = {
    ...rest,
    ...(typeof serviceName === "string" && { name: serviceName }),
  };
  const slots = Array.isArray(slot) ? slot.map((text) => parseSlot(String(text))) : [];
  return {
    ...(hasServiceFlags(service) &&
      { services: [{ action: "set", ...serviceFromFlags(service, COMMAND) }] }),
    ...(slots.length > 0 && { credentials: slots }),
    ...(message !== undefined && { message }),
    ...(userMessage !== undefined && { user_message: userMessage }),
  };
}

function parseSlot(text: string): Record<string, string> {
  const at = text.indexOf("=");
  const key = at === -1 ? text : text.slice(0, at);
  if (key === "") {
    throw new BrokerError("usage", "A --slot has no key", {
      hint: '--slot STRIPE_KEY, or --slot STRIPE_KEY="a restricted key"',
    });
  }
  return at === -1 ? { key } : { key, description: text.slice(at + 1) };
}
