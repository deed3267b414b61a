import { BrokerError } from "../errors.ts";
import { nearestWord } from "./nearest_word.ts";
import { parseVaultName } from "./vault_name.ts";

/**
 * What an agent may do in a vault. `proxy`: send requests through it, discover, raise proposals, mint
 * sessions. `read`: discover, list services and read the log, and nothing that uses a credential.
 */
export type GrantRole = "proxy" | "read";

/** Every role, the usual one first. */
export const GRANT_ROLES: readonly GrantRole[] = ["proxy", "read"];

/** A vault that an agent token may select, and what for. */
export interface VaultGrant {
  readonly vault: string;
  readonly role: GrantRole;
}

/**
 * Reads `VAULT` or `VAULT:ROLE` (interfaces: CLI, `agent create`).
 *
 * @throws BrokerError `validation_failed` for what is no vault's name or no role.
 */
export function parseGrant(text: string): VaultGrant {
  const colon = text.indexOf(":");
  const vault = parseVaultName(colon === -1 ? text : text.slice(0, colon));
  if (colon === -1) return { vault, role: "proxy" };
  const role = text.slice(colon + 1);
  if (isRole(role)) return { vault, role };
  const near = nearestWord(role, GRANT_ROLES);
  throw new BrokerError(
    "validation_failed",
    `${JSON.stringify(role)} is no role: write ${GRANT_ROLES.join(" or ")}`,
    { hint: `${vault}:${near ?? "proxy"}` },
  );
}

/** Writes a grant as {@link parseGrant} reads it. */
export function serializeGrant({ vault, role }: VaultGrant): string {
  return `${vault}:${role}`;
}

function isRole(text: string): text is GrantRole {
  return (GRANT_ROLES as readonly string[]).includes(text);
}
