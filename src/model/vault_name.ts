import { BrokerError } from "../errors.ts";
import { isSlug, slugFault, slugify } from "./slug.ts";

/** Longest name of a vault, in characters: it travels in proxy URLs and the `X-Vault` header. */
export const VAULT_NAME_MAX = 64;

/** True for a vault's name: 1 to 64 lower-case letters, digits and single inner hyphens. */
export function isVaultName(text: string): boolean {
  return text.length <= VAULT_NAME_MAX && isSlug(text);
}

/** What is wrong with a vault's name and a name that would do, or `undefined` when nothing is. */
export function vaultNameIssue(text: string): string | undefined {
  if (isVaultName(text)) return undefined;
  const fault = text === ""
    ? "is empty"
    : slugFault(text) ?? `is too long: ${text.length} characters`;
  const near = slugify(text).slice(0, VAULT_NAME_MAX).replace(/-$/, "");
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return `The vault name ${JSON.stringify(shown)} ${fault}: write 1 to ${VAULT_NAME_MAX} ` +
    `lower-case letters, digits and single hyphens inside, such as "${near || "default"}"`;
}

/**
 * Reads a vault's name.
 *
 * @throws BrokerError `validation_failed` when it is no such name.
 */
export function parseVaultName(input: unknown): string {
  const issue = typeof input === "string" ? vaultNameIssue(input) : "The vault name must be text";
  if (issue === undefined) return input as string;
  throw new BrokerError("validation_failed", issue, { issues: [{ path: [], message: issue }] });
}
