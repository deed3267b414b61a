import { askBroker, hasBroker } from "../broker_client.ts";
import type { Invocation } from "../command_spec.ts";
import type { Context } from "../context.ts";

/** What `/discover` answers (spec: Discovery result). */
interface Discovery {
  readonly vault: string;
  readonly services: readonly { readonly name: string; readonly host: string }[];
  readonly available_credentials: readonly string[];
}

/** Shows what an agent reaches: from the broker inside `vault run`, else from the data directory. */
export async function discover({ context }: Invocation): Promise<void> {
  const found = hasBroker(context)
    ? await askBroker<Discovery>(context, "/discover")
    : await readVault(context);
  const { output } = context;
  output.print(found, () => {
    if (found.services.length === 0) output.note(`vault "${found.vault}" has no services`);
    else {
      output.table(
        [{ title: "SERVICE" }, { title: "HOST" }],
        found.services.map(({ name, host }) => [name, host]),
      );
    }
    if (found.available_credentials.length > 0) {
      output.line(`\nCredentials: ${found.available_credentials.join(" ")}`);
    }
  });
}

async function readVault(context: Context): Promise<Discovery> {
  const { chooseVault, openHome } = await import("../home.ts");
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  return {
    vault,
    services: store.services.list(vault).filter((service) => service.enabled)
      .map(({ name, host }) => ({ name, host })),
    available_credentials: store.credentials.keys(vault),
  };
}
