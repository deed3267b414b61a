import { BrokerError } from "../../errors.ts";
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
  const token = context.env["BROKER_TOKEN"];
  const found = token ? await askBroker(context, token) : await readVault(context);
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

async function askBroker(context: Context, token: string): Promise<Discovery> {
  const address = context.env["BROKER_ADDR"];
  if (!address || !URL.canParse(address)) {
    throw new BrokerError("unavailable", "BROKER_TOKEN is set and BROKER_ADDR is no address", {
      hint: "unset BROKER_TOKEN, or start the program again with: broker vault run -- COMMAND",
    });
  }
  let response: Response;
  try {
    response = await fetch(new URL("/discover", address), {
      headers: {
        Authorization: `Bearer ${token}`,
        ...(context.vaultOption === undefined ? {} : { "X-Vault": context.vaultOption }),
      },
    });
  } catch (cause) {
    throw new BrokerError("unavailable", `Ask the broker at ${address}: no answer`, {
      hint:
        "the broker that started this program has ended; start it again with: broker vault run -- COMMAND",
      cause,
    });
  }
  if (response.ok) return await response.json() as Discovery;
  const body = await response.json().catch(() => ({})) as { message?: unknown };
  throw new BrokerError(
    response.status === 401 ? "unauthorized" : "forbidden",
    typeof body.message === "string"
      ? body.message
      : `Ask the broker at ${address}: status ${response.status}`,
    { hint: "start the program again with: broker vault run -- COMMAND" },
  );
}
