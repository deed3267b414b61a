import { BrokerError } from "../../errors.ts";
import { parseCredentialKey } from "../../model/credential_key.ts";
import { checkCredentialValue } from "../../model/credential_value.ts";
import { Secret } from "../../model/secret.ts";
import type { Invocation } from "../command_spec.ts";
import type { Context } from "../context.ts";
import { parseDotenv } from "../dotenv.ts";
import { chooseVault, openHome } from "../home.ts";
import { inputName, readInput, STANDARD_INPUT } from "../input.ts";

/** A credential on its way into the vault; the value is still to be asked for when it is absent. */
interface Entry {
  readonly key: string;
  readonly value: Secret | undefined;
}

const USAGE = "broker vault credential set KEY, or set -f .env";

/** Stores credentials: all of them, or none when one is refused. */
export async function setCredentials(
  { context, positionals, options }: Invocation,
): Promise<void> {
  const file = options["file"];
  const wanted = typeof file === "string"
    ? await readFileEntries(context, file, positionals)
    : parseArguments(context, positionals);
  const given = await readPiped(context, wanted);
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  const entries: { key: string; value: Secret }[] = [];
  for (const { key, value } of given) {
    entries.push({ key, value: value ?? await askValue(context, key) });
  }
  store.credentials.set(vault, entries);
  const keys = entries.map((entry) => entry.key);
  context.output.print({ vault, set: keys }, () => {
    context.output.note(`stored ${keys.join(", ")} in vault "${vault}"`);
  });
}

function parseArguments(context: Context, positionals: readonly string[]): Entry[] {
  if (positionals.length === 0) {
    throw new BrokerError("usage", "Neither a key nor a file is given", { hint: USAGE });
  }
  const entries = positionals.map((text): Entry => {
    const at = text.indexOf("=");
    if (at === -1) return { key: parseCredentialKey(text), value: undefined };
    const key = parseCredentialKey(text.slice(0, at));
    return { key, value: checked(key, text.slice(at + 1)) };
  });
  const twice = entries.find((one, index) => entries.findIndex((e) => e.key === one.key) !== index);
  if (twice !== undefined) {
    throw new BrokerError("usage", `"${twice.key}" is given twice`, { hint: "give each key once" });
  }
  if (entries.some((entry) => entry.value !== undefined)) {
    context.output.warn(
      "a value on the command line stays in the shell's history; next time give the key alone",
    );
  }
  return entries;
}

async function readFileEntries(
  context: Context,
  file: string,
  positionals: readonly string[],
): Promise<Entry[]> {
  if (positionals.length > 0) {
    throw new BrokerError("usage", "Both keys and a file are given", { hint: USAGE });
  }
  const name = inputName(file);
  const entries = parseDotenv(await readInput(file, context.output), name);
  if (entries.length === 0) {
    throw new BrokerError("validation_failed", `Read "${name}": it holds no KEY=VALUE line`, {
      hint: "write one KEY=VALUE a line",
    });
  }
  return entries.map(({ key, value }) => ({ key, value: checked(key, value.reveal()) }));
}

/** Takes the one value that a pipe can carry. */
async function readPiped(context: Context, entries: readonly Entry[]): Promise<readonly Entry[]> {
  const open = entries.filter((entry) => entry.value === undefined);
  if (open.length === 0 || Deno.stdin.isTerminal()) return entries;
  if (open.length > 1) {
    throw new BrokerError(
      "usage",
      `Standard input holds one value, and ${open.length} keys want one`,
      {
        hint: "pipe KEY=VALUE lines into: broker vault credential set -f -",
      },
    );
  }
  const text = await readInput(STANDARD_INPUT, context.output);
  if (text === "") {
    throw new BrokerError("validation_failed", "Read the value from standard input: it is empty", {
      hint: "pipe the value in, or type the command on a terminal to be asked for it",
    });
  }
  // The line end that `echo` and most programs add is not part of the value.
  const value = text.replace(/\r?\n$/, "");
  return entries.map(({ key, value: own }) => ({ key, value: own ?? checked(key, value) }));
}

async function askValue(context: Context, key: string): Promise<Secret> {
  const answer = await context.prompts.hidden({ message: `Value of ${key}`, instead: USAGE });
  return checked(key, answer.reveal());
}

function checked(key: string, text: string): Secret {
  checkCredentialValue(key, text);
  return new Secret(text);
}
