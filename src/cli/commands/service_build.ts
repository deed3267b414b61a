import { parseServices } from "../../model/service_schema.ts";
import type { Service } from "../../model/service.ts";
import type { Secret } from "../../model/secret.ts";
import type { Store } from "../../store/store.ts";
import { buildAddition, reviewAddition } from "../builder/build_addition.ts";
import { buildList, editList } from "../builder/build_list.ts";
import { type Build, type Desk, INSTEAD, type VaultView } from "../builder/desk.ts";
import type { Context } from "../context.ts";

/** What the builder's outcome does to the vault: adds services by name, or replaces all. */
export type BuildMode = "add" | "set";

/** What was stored. */
export interface Stored {
  readonly services: readonly Service[];
  readonly keys: readonly string[];
}

const FLOWS = {
  add: { start: buildAddition, again: reviewAddition },
  set: { start: buildList, again: editList },
} as const;

/**
 * Runs the interactive builder and stores its outcome, services and credentials in one transaction.
 * Nothing is stored before the person saves.
 *
 * @returns `undefined` when the person discards it.
 * @throws {BrokerError} `not_a_terminal`, or `cancelled` at Ctrl-C.
 */
export async function buildServices(
  context: Context,
  { store, vault, mode }: {
    readonly store: Store;
    readonly vault: string;
    readonly mode: BuildMode;
  },
): Promise<Stored | undefined> {
  let view = viewOf(store, vault);
  const values = new Map<string, Secret>();
  const desk = (): Desk => ({
    prompts: context.prompts,
    show: (text) => context.output.talk(`${text}\n`),
    view,
    values,
  });
  let build = await FLOWS[mode].start(desk());
  while (build !== undefined) {
    // The last word on a service is the schema's, whoever wrote it.
    parseServices({ services: build.services });
    const stored = commit(store, { vault, mode, build, view });
    if (stored !== undefined) return stored;
    view = viewOf(store, vault);
    const agreed = await context.prompts.confirm({
      message: mode === "set"
        ? "Another terminal changed the vault meanwhile. Replace its services all the same?"
        : "Another terminal changed the vault meanwhile. Add this all the same?",
      instead: INSTEAD,
    });
    if (!agreed) build = await FLOWS[mode].again(desk(), build.services);
  }
  return undefined;
}

/** Stores the build unless the vault is not what the person saw. */
function commit(
  store: Store,
  { vault, mode, build, view }: {
    readonly vault: string;
    readonly mode: BuildMode;
    readonly build: Build;
    readonly view: VaultView;
  },
): Stored | undefined {
  const { services } = build;
  const credentials = [...build.values].map(([key, value]) => ({ key, value }));
  return store.transaction(() => {
    if (JSON.stringify(viewOf(store, vault)) !== JSON.stringify(view)) return undefined;
    if (credentials.length > 0) store.credentials.set(vault, credentials);
    if (mode === "add") store.services.upsert(vault, services);
    else if (services.length > 0) store.services.replaceAll(vault, services);
    else if (view.services.length > 0) store.services.clear(vault);
    return { services, keys: credentials.map(({ key }) => key) };
  });
}

function viewOf(store: Store, vault: string): VaultView {
  return { vault, services: store.services.list(vault), keys: store.credentials.keys(vault) };
}
