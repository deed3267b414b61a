import type { Caller } from "../model/session.ts";
import type { VaultSnapshot } from "../model/vault_snapshot.ts";
import { type HeaderList, headerValues } from "../http1/headers.ts";
import type { VaultState } from "./ports.ts";
import { type Refusal, RefusalError } from "./refusal.ts";

/** What a client presented: a token, and the vaults it named: none, one, or several that disagree. */
export interface ProxyCredentials {
  readonly token: string;
  readonly vaults: readonly string[];
}

/** Who may do what: a caller and the vault that its requests are brokered by. */
export interface Access {
  readonly caller: Caller;
  readonly vault: VaultSnapshot;
}

/** Why a request is not let in. */
export type Denial = Refusal & { readonly code: "proxy_auth_required" | "vault_mismatch" };

/**
 * Reads `Proxy-Authorization` and `X-Vault` (interfaces: Proxy).
 *
 * @throws {RefusalError} `proxy_auth_required` where no usable token is presented.
 */
export function parseProxyCredentials(headers: HeaderList): ProxyCredentials {
  const values = headerValues(headers, "proxy-authorization");
  const selected = headerValues(headers, "x-vault");
  if (values.length === 0) throw unauthorized("The request carries no Proxy-Authorization");
  if (values.length > 1) {
    throw unauthorized("The request carries several Proxy-Authorization fields");
  }
  const presented = parseAuthorization(values[0]!);
  if (presented === undefined) {
    throw unauthorized("Proxy-Authorization is neither Basic base64(TOKEN:VAULT) nor Bearer TOKEN");
  }
  return { token: presented.token, vaults: [...new Set([...presented.vaults, ...selected])] };
}

function parseAuthorization(value: string): ProxyCredentials | undefined {
  const match = /^(basic|bearer) +(\S+)$/i.exec(value);
  if (match === null) return undefined;
  if (match[1]!.toLowerCase() === "bearer") return { token: match[2]!, vaults: [] };
  let text: string;
  try {
    text = atob(match[2]!);
  } catch {
    return undefined;
  }
  const colon = text.indexOf(":");
  if (colon === -1) return { token: text, vaults: [] };
  const vault = text.slice(colon + 1);
  return { token: text.slice(0, colon), vaults: vault === "" ? [] : [vault] };
}

/**
 * Checks credentials against the store, anew for each request of a connection: what was revoked or
 * granted in another terminal holds from the next request on. Between two changes of the store it costs
 * one comparison.
 */
export class AccessCheck {
  readonly #state: VaultState;
  readonly #credentials: ProxyCredentials;
  #revision: number | undefined;
  #access: Access | undefined;

  constructor(state: VaultState, credentials: ProxyCredentials) {
    this.#state = state;
    this.#credentials = credentials;
  }

  /** True when these are the credentials that the check was made for. */
  isFor(credentials: ProxyCredentials): boolean {
    return this.#credentials.token === credentials.token &&
      this.#credentials.vaults.join("\n") === credentials.vaults.join("\n");
  }

  /** @throws {RefusalError} when the token is unknown, revoked or expired, or may not use the vault. */
  check(): Access {
    const revision = this.#state.revision();
    const access = this.#access;
    if (access !== undefined && revision === this.#revision) {
      if (access.caller.expiresAt <= Date.now()) throw unauthorized("The session has expired");
      return access;
    }
    this.#access = undefined;
    this.#access = this.#look();
    this.#revision = revision;
    return this.#access;
  }

  #look(): Access {
    const caller = this.#state.findCaller(this.#credentials.token);
    if (caller === undefined || caller.expiresAt <= Date.now()) {
      throw unauthorized("The token is unknown, revoked or expired");
    }
    const vault = this.#state.snapshot(this.#vaultName(caller));
    if (vault === undefined) throw mismatch("The vault does not exist");
    return { caller, vault };
  }

  #vaultName(caller: Caller): string {
    const [requested, ...others] = this.#credentials.vaults;
    if (others.length > 0) throw mismatch("Proxy-Authorization and X-Vault name different vaults");
    if (caller.vaultName !== undefined) {
      if (requested === undefined || requested === caller.vaultName) return caller.vaultName;
      throw mismatch("The token belongs to another vault");
    }
    if (requested === undefined) {
      throw mismatch("An agent token needs the name of a vault: X-Vault");
    }
    const grant = caller.grants.find(({ vault }) => vault === requested);
    if (grant === undefined) throw mismatch("The agent has no grant for this vault");
    if (grant.role === "read") throw mismatch("The agent may read about this vault, not use it");
    return requested;
  }
}

function unauthorized(message: string): RefusalError {
  return new RefusalError({ code: "proxy_auth_required", message });
}

function mismatch(message: string): RefusalError {
  return new RefusalError({ code: "vault_mismatch", message });
}
