import * as z from "zod";
import { BrokerError } from "../errors.ts";
import { type KnownFields, toIssues } from "./schema_issues.ts";
import type { VaultSettings } from "./vault.ts";

const FIELDS: KnownFields = {
  owner: "a vault's settings",
  fields: ["unmatched_host_policy", "plaintext_credentials", "notifications"],
};

/** A change of a vault's settings, with the field names that people and scripts see. */
const changeSchema = z.strictObject({
  unmatched_host_policy: z.enum(["passthrough", "deny"], 'Write "passthrough" or "deny"')
    .optional(),
  plaintext_credentials: z.enum(["local", "always"], 'Write "local" or "always"').optional(),
  notifications: z.enum(["on", "off"], 'Write "on" or "off"').optional(),
}, `It must be a map with some of ${FIELDS.fields.join(", ")}`);

/**
 * Reads a change of a vault's settings; what it leaves out stays as it is.
 *
 * @throws BrokerError `validation_failed` with every fault.
 */
export function parseSettingsChange(input: unknown): Partial<VaultSettings> {
  const result = changeSchema.safeParse(input);
  if (!result.success) {
    throw new BrokerError("validation_failed", "Check the settings of the vault", {
      hint: "broker vault settings set unmatched_host_policy deny",
      issues: toIssues(result.error, () => FIELDS),
    });
  }
  const { unmatched_host_policy, plaintext_credentials, notifications } = result.data;
  return {
    ...(unmatched_host_policy && { unmatchedHostPolicy: unmatched_host_policy }),
    ...(plaintext_credentials && { plaintextCredentials: plaintext_credentials }),
    ...(notifications && { notifications }),
  };
}

/** A vault's settings with the field names that people and scripts see. */
export function serializeSettings(settings: VaultSettings): Record<string, string> {
  return {
    unmatched_host_policy: settings.unmatchedHostPolicy,
    plaintext_credentials: settings.plaintextCredentials,
    notifications: settings.notifications,
  };
}
