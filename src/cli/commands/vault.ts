import type { Invocation } from "../command_spec.ts";
import { counted } from "../counted.ts";
import { openHome } from "../home.ts";

/** Lists the vaults; the one in use carries a star. */
export async function listVaults({ context }: Invocation): Promise<void> {
  using store = await openHome(context);
  const { output } = context;
  const vaults = store.vaults.list();
  const document = {
    vaults: vaults.map(({ name, createdAt, services, credentials, selected }) => ({
      name,
      selected,
      services,
      credentials,
      created_at: new Date(createdAt).toISOString(),
    })),
  };
  output.print(document, () => {
    output.table(
      [
        { title: "" },
        { title: "NAME" },
        { title: "SERVICES", align: "right" },
        { title: "CREDENTIALS", align: "right" },
        { title: "CREATED" },
      ],
      document.vaults.map((vault) => [
        vault.selected ? "*" : " ",
        vault.name,
        String(vault.services),
        String(vault.credentials),
        vault.created_at.slice(0, 10),
      ]),
    );
  });
}

/** Creates a vault. */
export async function createVault({ context, positionals }: Invocation): Promise<void> {
  const [name = ""] = positionals;
  using store = await openHome(context);
  store.vaults.create(name);
  context.output.print({ vault: name, created: true }, () => {
    context.output.note(`created vault "${name}" (to use it: broker vault use ${name})`);
  });
}

/** Gives a vault another name. */
export async function renameVault({ context, positionals }: Invocation): Promise<void> {
  const [before = "", after = ""] = positionals;
  using store = await openHome(context);
  store.vaults.rename(before, after);
  context.output.print({ vault: after, renamed_from: before }, () => {
    context.output.note(`renamed vault "${before}" to "${after}"`);
  });
}

/** Deletes a vault with all that it holds. */
export async function deleteVault(
  { context, positionals, options }: Invocation,
): Promise<number | void> {
  const [name = ""] = positionals;
  using store = await openHome(context);
  store.vaults.get(name);
  if (options["yes"] !== true) {
    const services = store.services.list(name).length;
    const credentials = store.credentials.keys(name).length;
    const agreed = await context.prompts.confirm({
      message: `Delete vault "${name}" with ${counted(services, "service")} and ${
        counted(credentials, "credential")
      }?`,
      instead: `broker vault delete ${name} --yes`,
    });
    if (!agreed) {
      context.output.note("nothing was changed");
      return 1;
    }
  }
  store.vaults.delete(name);
  context.output.print({ vault: name, deleted: true }, () => {
    context.output.note(`deleted vault "${name}"`);
  });
}

/** Chooses the vault of commands that name none. */
export async function useVault({ context, positionals }: Invocation): Promise<void> {
  const [name = ""] = positionals;
  using store = await openHome(context);
  store.vaults.select(name);
  context.output.print({ vault: name, selected: true }, () => {
    context.output.note(`using vault "${name}"`);
    if (context.env["BROKER_VAULT"] && context.env["BROKER_VAULT"] !== name) {
      context.output.warn(
        `BROKER_VAULT is set to "${context.env["BROKER_VAULT"]}" and comes first`,
      );
    }
  });
}
