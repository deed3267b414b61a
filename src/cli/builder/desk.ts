import { serviceKeys } from "../../model/credential_refs.ts";
import type { Secret } from "../../model/secret.ts";
import type { Service } from "../../model/service.ts";
import type { Prompts } from "../prompt.ts";

/** The vault as it was when the builder looked at it. */
export interface VaultView {
  readonly vault: string;
  /** In declaration order. */
  readonly services: readonly Service[];
  /** Keys of the stored credentials. */
  readonly keys: readonly string[];
}

/**
 * What every question of the builder is asked at. Values that are typed wait in `values` and reach the
 * vault together with the services, when the person saves, or never.
 */
export interface Desk {
  readonly prompts: Prompts;
  /** Shows lines between two questions. */
  readonly show: (text: string) => void;
  readonly view: VaultView;
  /** New values by their credential key. */
  readonly values: Map<string, Secret>;
}

/** What the builder was asked for, ready to be stored. */
export interface Build {
  readonly services: readonly Service[];
  readonly values: ReadonlyMap<string, Secret>;
}

/** Names that a new or a changed service meets. */
export interface NamesInUse {
  /** Services that stand beside it, whose names it must not take. */
  readonly beside: readonly Service[];
  /** Services of the vault that it replaces when it takes their name. */
  readonly replaceable: readonly Service[];
}

/** What to type where there is no terminal to ask on. */
export const INSTEAD = "broker vault service add --help";

/** Whether the vault holds the credential or will when the person saves. */
export function hasCredential({ view, values }: Desk, key: string): boolean {
  return values.has(key) || view.keys.includes(key);
}

/** The typed values that the services refer to; what was typed for a discarded draft is left out. */
export function usedValues(
  { values }: Desk,
  services: readonly Service[],
): ReadonlyMap<string, Secret> {
  const keys = new Set(services.flatMap((service) => serviceKeys(service)));
  return new Map([...values].filter(([key]) => keys.has(key)));
}
