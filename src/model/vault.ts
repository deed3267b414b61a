/** What happens to a request that no service matches (spec: What the service does, 4). */
export type UnmatchedHostPolicy = "passthrough" | "deny";

/** Where a credential may go out over plain HTTP: only to local addresses, or anywhere. */
export type PlaintextCredentials = "local" | "always";

/** Whether a desktop notification tells of a new proposal. */
export type Notifications = "on" | "off";

/** A vault's settings with their defaults filled in. */
export interface VaultSettings {
  readonly unmatchedHostPolicy: UnmatchedHostPolicy;
  readonly plaintextCredentials: PlaintextCredentials;
  readonly notifications: Notifications;
}

/** The settings of a new vault. */
export const DEFAULT_SETTINGS: VaultSettings = {
  unmatchedHostPolicy: "passthrough",
  plaintextCredentials: "local",
  notifications: "on",
};
