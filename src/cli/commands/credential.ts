import { parseCredentialKey } from "../../model/credential_key.ts";
import { serviceKeys } from "../../model/credential_refs.ts";
import type { Invocation } from "../command_spec.ts";
import { chooseVault, openHome } from "../home.ts";

/** Lists the keys of the vault's credentials; with `--reveal` their values too. */
export async function listCredentials({ context, options }: Invocation): Promise<void> {
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  const keys = store.credentials.keys(vault);
  const { output } = context;
  if (options["reveal"] === true) {
    const rows = keys.map((key) => [key, store.credentials.get(vault, key).reveal()] as const);
    output.print({ vault, credentials: Object.fromEntries(rows) }, () => {
      output.table([{ title: "KEY" }, { title: "VALUE" }], rows);
    });
    return;
  }
  output.print({ vault, keys }, () => {
    output.data(keys.map((key) => `${key}\n`).join(""));
    if (keys.length === 0) {
      output.note(
        `vault "${vault}" holds no credentials (to store one: broker vault credential set KEY)`,
      );
    }
  });
}

/** Prints the value of a credential. */
export async function getCredential({ context, positionals }: Invocation): Promise<void> {
  const key = parseCredentialKey(positionals[0]);
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  const value = store.credentials.get(vault, key).reveal();
  context.output.print({ vault, key, value }, () => context.output.line(value));
}

/** Deletes credentials and says which services now miss one. */
export async function deleteCredentials({ context, positionals }: Invocation): Promise<void> {
  const keys = [...new Set(positionals.map((text) => parseCredentialKey(text)))];
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  store.credentials.delete(vault, keys);
  const { output } = context;
  output.print({ vault, deleted: keys }, () => {
    output.note(`deleted ${keys.join(", ")} from vault "${vault}"`);
  });
  for (const service of store.services.list(vault)) {
    const missing = serviceKeys(service).filter((key) => keys.includes(key));
    if (missing.length > 0) output.warn(`service "${service.name}" needs ${missing.join(", ")}`);
  }
}
