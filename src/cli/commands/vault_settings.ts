import { BrokerError } from "../../errors.ts";
import type { VaultSettings } from "../../model/vault.ts";
import type { Invocation } from "../command_spec.ts";
import { chooseVault, openHome } from "../home.ts";

/** A setting as people name it. */
interface Setting {
  readonly key: string;
  readonly values: readonly string[];
  read(settings: VaultSettings): string;
  change(value: string): Partial<VaultSettings>;
}

const SETTINGS: readonly Setting[] = [
  {
    key: "unmatched_host_policy",
    values: ["passthrough", "deny"],
    read: (settings) => settings.unmatchedHostPolicy,
    change: (value) => ({ unmatchedHostPolicy: value as VaultSettings["unmatchedHostPolicy"] }),
  },
  {
    key: "plaintext_credentials",
    values: ["local", "always"],
    read: (settings) => settings.plaintextCredentials,
    change: (value) => ({ plaintextCredentials: value as VaultSettings["plaintextCredentials"] }),
  },
  {
    key: "notifications",
    values: ["on", "off"],
    read: (settings) => settings.notifications,
    change: (value) => ({ notifications: value as VaultSettings["notifications"] }),
  },
];

/** Shows every setting of the vault. */
export async function listSettings({ context }: Invocation): Promise<void> {
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  const settings = store.vaults.settings(vault);
  const rows = SETTINGS.map((setting) => [setting.key, setting.read(settings)] as const);
  context.output.print({ vault, ...Object.fromEntries(rows) }, () => {
    context.output.table([{ title: "SETTING" }, { title: "VALUE" }], rows);
  });
}

/** Prints one setting. */
export async function getSetting({ context, positionals }: Invocation): Promise<void> {
  const setting = getByKey(positionals[0] ?? "");
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  const value = setting.read(store.vaults.settings(vault));
  context.output.print({ vault, [setting.key]: value }, () => context.output.line(value));
}

/** Changes one setting. */
export async function setSetting({ context, positionals }: Invocation): Promise<void> {
  const setting = getByKey(positionals[0] ?? "");
  const value = positionals[1] ?? "";
  if (!setting.values.includes(value)) {
    throw new BrokerError(
      "validation_failed",
      `Set "${setting.key}": there is no value "${value}"`,
      { hint: setting.values.map((one) => `${setting.key} ${one}`).join(", or ") },
    );
  }
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  store.vaults.updateSettings(vault, setting.change(value));
  context.output.print({ vault, [setting.key]: value }, () => {
    context.output.note(`${setting.key} of vault "${vault}" is now ${value}`);
  });
}

function getByKey(key: string): Setting {
  const setting = SETTINGS.find((one) => one.key === key);
  if (setting !== undefined) return setting;
  throw new BrokerError("not_found", `There is no setting "${key}"`, {
    hint: `the settings are ${SETTINGS.map((one) => one.key).join(", ")}`,
  });
}
