import type { Secret } from "../model/secret.ts";
import { Store } from "../store/store.ts";
import type { Context } from "./context.ts";

/** Where a passphrase comes from when nobody can be asked. */
const INSTEAD = "set BROKER_PASSPHRASE";

/** A data directory that is open. */
export interface OpenedHome {
  readonly store: Store;
  /** Whether this call created it. */
  readonly created: boolean;
}

/**
 * Opens the data directory, and creates it with a CA and the vault "default" the first time. The
 * passphrase is what `BROKER_PASSPHRASE` held, else asked for. The caller closes the store.
 *
 * @throws {BrokerError} as {@link Store.open} and {@link Store.create}, or `not_a_terminal`.
 */
export async function openOrCreateHome(context: Context): Promise<OpenedHome> {
  const directory = context.home();
  if (Store.inspect(directory).kind === "present") {
    return { store: await openExisting(context, directory), created: false };
  }
  const passphrase = await choosePassphrase(context, directory);
  const store = await Store.create(directory, passphrase === undefined ? {} : { passphrase });
  warnOf(context, store);
  const { loadAuthority } = await import("./authority.ts");
  await loadAuthority(context, store);
  // Another process may have been faster.
  if (store.created) {
    context.output.note(
      store.protection === "key_file"
        ? `created ${directory} without a passphrase (to set one: broker passphrase set)`
        : `created ${directory}, protected by the passphrase`,
    );
  }
  return { store, created: store.created };
}

/** Opens or creates the data directory for a command that does not care which. */
export async function openHome(context: Context): Promise<Store> {
  return (await openOrCreateHome(context)).store;
}

/**
 * Name of the vault that a command works on: `--vault`, else `BROKER_VAULT`, else the one in use.
 *
 * @throws {BrokerError} `not_found` when there is no such vault.
 */
export function chooseVault(context: Context, store: Store): string {
  const name = context.vaultOption ?? (context.env["BROKER_VAULT"] || store.vaults.selected());
  store.vaults.get(name);
  return name;
}

/** The passphrase of a data directory that has one; asks for it when the environment held none. */
export async function askPassphrase(
  context: Context,
  directory: string,
): Promise<Secret> {
  if (context.passphrase !== undefined && context.passphrase.reveal() !== "") {
    return context.passphrase;
  }
  return await context.prompts.hidden(
    { message: `Passphrase of ${directory}`, instead: INSTEAD },
    { anyTerminal: true },
  );
}

async function openExisting(context: Context, directory: string): Promise<Store> {
  const store = await Store.open(directory, {
    passphrase: () => askPassphrase(context, directory),
  });
  warnOf(context, store);
  return store;
}

function warnOf(context: Context, store: Store): void {
  for (const warning of store.warnings) context.output.warn(warning);
}

async function choosePassphrase(
  context: Context,
  directory: string,
): Promise<Secret | undefined> {
  if (context.passphrase !== undefined) {
    return context.passphrase.reveal() === "" ? undefined : context.passphrase;
  }
  if (!context.prompts.interactive) return undefined;
  context.output.note(`first use: everything will be kept in ${directory}`);
  return await context.prompts.newSecret({
    message: "Passphrase for it (Return alone for none)",
    instead: INSTEAD,
  });
}
