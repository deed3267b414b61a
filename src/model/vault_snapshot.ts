import type { Secret } from "./secret.ts";
import type { Service } from "./service.ts";
import type { VaultSettings } from "./vault.ts";

/**
 * All that the data plane needs of one vault, as it stood at one revision. Immutable: whoever compiled
 * something from a snapshot may keep it for as long as the same object is handed out.
 */
export interface VaultSnapshot {
  readonly id: string;
  readonly name: string;
  readonly settings: VaultSettings;
  /** In declaration order, disabled ones included. */
  readonly services: readonly Service[];
  /** True when all services were cleared and none was configured since (spec: Errors). */
  readonly cleared: boolean;
  /** The value stored under a key; opened at the first call and kept for the snapshot's life. */
  credential(key: string): Secret | undefined;
}
