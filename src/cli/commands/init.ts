import type { Invocation } from "../command_spec.ts";
import { openOrCreateHome } from "../home.ts";

/** Creates the data directory, or says what stands there already. */
export async function init({ context }: Invocation): Promise<void> {
  const { store, created } = await openOrCreateHome(context);
  using _ = store;
  const vault = store.vaults.selected();
  const { output } = context;
  output.print(
    { home: store.directory, created, protection: store.protection, vault },
    () => {
      if (!created) output.note(`${store.directory} is there already, nothing was changed`);
      output.note("next: broker vault credential set KEY");
    },
  );
}
