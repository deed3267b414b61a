import { BrokerError } from "../errors.ts";
import type { Caller } from "../model/session.ts";
import type { ApiPorts } from "./ports.ts";

/** Who sent a request: a program with an agent's token, or a person who signed in. */
export type Identity =
  | { readonly kind: "agent"; readonly caller: Caller }
  | { readonly kind: "operator" };

/** `Bearer` and a token68 (RFC 6750, 2.1); the scheme in any case (RFC 9110, 11.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** Longest token that is looked up, in characters; the broker's own have about 52. */
const TOKEN_LIMIT = 256;

/**
 * Tells who sent a request from its `Authorization` field.
 *
 * @throws BrokerError `unauthorized`, with the same words for a wrong, a revoked and an expired token.
 */
export function authenticate(
  headers: Headers,
  { callers, operators, now }: Pick<ApiPorts, "callers" | "operators" | "now">,
): Identity {
  if (!headers.has("Authorization")) {
    throw new BrokerError("unauthorized", "Authenticate the request: it has no bearer token", {
      hint: "Send Authorization: Bearer $BROKER_TOKEN",
    });
  }
  const token = bearerToken(headers);
  if (token !== undefined) {
    const caller = callers.find(token);
    if (caller !== undefined && caller.expiresAt > now()) return { kind: "agent", caller };
    if (caller === undefined && operators.has(token)) return { kind: "operator" };
  }
  throw new BrokerError("unauthorized", "Authenticate the request: the token is not valid now", {
    hint: 'Start the program again with "broker vault run", or ask for a new agent token',
  });
}

/** The bearer token of a request that has one of a plausible length. */
export function bearerToken(headers: Headers): string | undefined {
  // Two Authorization fields arrive joined by a comma, which no token holds: they are refused.
  const token = BEARER.exec(headers.get("Authorization") ?? "")?.[1];
  return token !== undefined && token.length <= TOKEN_LIMIT ? token : undefined;
}

/**
 * Lets an operator pass.
 *
 * @param command What a person types to do the same, such as `broker vault service clear`.
 * @throws BrokerError `forbidden` for an agent, whatever its grants.
 */
export function requireOperator(identity: Identity, command: string): void {
  switch (identity.kind) {
    case "operator":
      return;
    case "agent":
      throw new BrokerError("forbidden", "Allow the request: only a person may do this", {
        hint: `Ask the person who runs the broker to type "${command}" in another terminal`,
      });
  }
}
