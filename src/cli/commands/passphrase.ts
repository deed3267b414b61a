import { BrokerError } from "../../errors.ts";
import { Secret } from "../../model/secret.ts";
import { Store } from "../../store/store.ts";
import type { Invocation } from "../command_spec.ts";
import type { Context } from "../context.ts";
import { askPassphrase, openOrCreateHome } from "../home.ts";
import { readInput, STANDARD_INPUT } from "../input.ts";

/** Protects a data directory that has no passphrase yet. */
export async function setPassphrase({ context }: Invocation): Promise<void> {
  const directory = context.home();
  const state = Store.inspect(directory);
  if (state.kind === "present" && state.protection === "passphrase") {
    throw new BrokerError("conflict", `"${directory}" has a passphrase already`, {
      hint: "broker passphrase change",
    });
  }
  const given = context.passphrase?.reveal() === "" ? undefined : context.passphrase;
  // Where there is none yet, the variable can only mean the new one.
  const passphrase = given ?? await readNewPassphrase(context, "broker passphrase set");
  const { store, created } = await openOrCreateHome({ ...context, passphrase });
  using _ = store;
  if (!created) await store.setPassphrase(passphrase);
  report(context, store, "the passphrase is set; every command will ask for it");
}

/** Replaces the passphrase. */
export async function changePassphrase({ context }: Invocation): Promise<void> {
  const current = await readCurrentPassphrase(context);
  using store = await Store.open(context.home(), { passphrase: current });
  const next = await readNewPassphrase(context, "broker passphrase change");
  await store.changePassphrase(current, next);
  report(context, store, "the passphrase is changed");
}

/** Moves the key back into a file beside the database. */
export async function removePassphrase({ context, options }: Invocation): Promise<number | void> {
  const current = await readCurrentPassphrase(context);
  using store = await Store.open(context.home(), { passphrase: current });
  if (options["yes"] !== true) {
    const agreed = await context.prompts.confirm({
      message: "Remove the passphrase? Who can read your files can then read the credentials",
      instead: "broker passphrase remove --yes",
    });
    if (!agreed) {
      context.output.note("nothing was changed");
      return 1;
    }
  }
  await store.removePassphrase(current);
  report(context, store, "the passphrase is removed; the key lies in a file beside the database");
}

async function readCurrentPassphrase(context: Context): Promise<Secret> {
  const directory = context.home();
  const state = Store.inspect(directory);
  if (state.kind === "absent" || state.protection === "key_file") {
    throw new BrokerError("conflict", `"${directory}" has no passphrase`, {
      hint: "broker passphrase set",
    });
  }
  return await askPassphrase(context, directory);
}

async function readNewPassphrase(context: Context, command: string): Promise<Secret> {
  const passphrase = Deno.stdin.isTerminal()
    ? await context.prompts.newSecret({ message: "New passphrase", instead: command })
    : firstLine(await readInput(STANDARD_INPUT, context.output));
  if (passphrase !== undefined) return passphrase;
  throw new BrokerError("validation_failed", "Read the new passphrase: it is empty", {
    hint: `${command} on a terminal, or with the passphrase on standard input`,
  });
}

function firstLine(text: string): Secret | undefined {
  const line = text.split(/\r?\n/, 1)[0] ?? "";
  return line === "" ? undefined : new Secret(line);
}

function report(context: Context, store: Store, text: string): void {
  context.output.print(
    { home: store.directory, protection: store.protection },
    () => context.output.note(text),
  );
}
