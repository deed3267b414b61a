import type { Context } from "hono";
import { BrokerError } from "../errors.ts";
import type { Caller } from "../model/session.ts";
import { HttpFault } from "./http_fault.ts";
import type { Identity } from "./identity.ts";

/**
 * The vault that a request acts on (spec: Authentication, 2). A vault-scoped session has its own; an
 * agent token and an operator have to name one, and an agent token only one that it was granted.
 *
 * @param named What each place of the request names: path, `X-Vault`, query, body.
 * @throws BrokerError `vault_mismatch` | `forbidden`; HttpFault `vault_required`.
 */
export function chooseVault(
  identity: Identity,
  named: readonly (string | undefined)[],
): string {
  const names = [...new Set(named.filter((name) => name !== undefined && name !== ""))] as string[];
  if (identity.kind === "agent" && identity.caller.vaultName !== undefined) {
    return ownVault(identity.caller.vaultName, names);
  }
  const [name, other] = names;
  if (other !== undefined) {
    throw new BrokerError(
      "vault_mismatch",
      `Choose a vault: the request names "${name}" and "${other}"`,
      {
        hint: "Name the same vault in the path, in X-Vault and in the body, or only in one of them",
      },
    );
  }
  if (name === undefined) throw vaultRequired(identity);
  if (identity.kind === "agent" && !identity.caller.grants.some(({ vault }) => vault === name)) {
    throw new BrokerError("forbidden", `Use vault "${name}": this token has no grant for it`, {
      hint: grantsHint(identity.caller),
    });
  }
  return name;
}

/** {@link chooseVault} for a route whose path holds `:vault`; `X-Vault` may only agree with it. */
export function vaultOfPath(c: Context, identity: Identity): string {
  return chooseVault(identity, [c.req.param("vault"), c.req.header("X-Vault")]);
}

function ownVault(own: string, names: readonly string[]): string {
  const other = names.find((name) => name !== own);
  if (other !== undefined) {
    throw new BrokerError(
      "vault_mismatch",
      `Use vault "${other}": this token is for vault "${own}"`,
      {
        hint: `Leave X-Vault out, or send X-Vault: ${own}`,
      },
    );
  }
  return own;
}

function vaultRequired(identity: Identity): HttpFault {
  return new HttpFault("vault_required", "Choose a vault: the request names none", {
    hint: identity.kind === "agent" ? grantsHint(identity.caller) : "Send X-Vault: NAME",
  });
}

function grantsHint({ grants }: Caller): string {
  return grants.length === 0
    ? 'Ask the person who runs the broker for a grant: "broker agent grant NAME VAULT"'
    : `Send X-Vault: NAME with one of: ${grants.map(({ vault }) => vault).join(", ")}`;
}

/**
 * Lets pass who may use the vault's credentials, and not only read about them.
 *
 * @throws BrokerError `forbidden` for an agent token whose grant for the vault is `read`.
 */
export function requireProxyRole(identity: Identity, vault: string): void {
  if (identity.kind !== "agent" || identity.caller.vaultName !== undefined) return;
  const grant = identity.caller.grants.find((one) => one.vault === vault);
  if (grant?.role === "proxy") return;
  throw new BrokerError("forbidden", `Use vault "${vault}": this token may only read about it`, {
    hint:
      `Ask the person who runs the broker to type "broker agent grant ${identity.caller.actorName} ${vault}:proxy"`,
  });
}
