import { Store } from "../../store/store.ts";
import { printable } from "../table.ts";
import type { Candidate } from "./complete.ts";
import type { ValueSource } from "./value_source.ts";

/** Characters of a proposal's message that are shown beside its number. */
const DESCRIPTION_LENGTH = 60;

/** What the names are looked for with. */
export interface NamesOptions {
  /** Absolute path of the data directory. */
  readonly home: string;
  /** The vault that the command line or the environment names. */
  readonly vault: string | undefined;
}

/**
 * Names that the data directory knows. Never asks for anything: a home that is not there, is damaged or
 * wants a passphrase knows none.
 */
export async function knownNames(
  source: ValueSource & string,
  { home, vault: named }: NamesOptions,
): Promise<readonly Candidate[]> {
  if (source === "catalog") {
    const { CATALOG } = await import("../../catalog/catalog.ts");
    return CATALOG.map(({ id, title }) => ({ word: id, description: title }));
  }
  try {
    if (Store.inspect(home).kind !== "present") return [];
    using store = await Store.open(home, { passphrase: () => Promise.reject(new Error("Nobody")) });
    return namesIn(store, source, named ?? store.vaults.selected());
  } catch {
    return [];
  }
}

function namesIn(store: Store, source: ValueSource & string, vault: string): Candidate[] {
  const plain = (word: string): Candidate => ({ word, description: "" });
  switch (source) {
    case "vaults":
      return store.vaults.list().map(({ name }) => plain(name));
    case "services":
      return store.services.list(vault).map(({ name, host }) => ({
        word: name,
        description: host,
      }));
    case "credentials":
      return store.credentials.keys(vault).map(plain);
    case "proposals":
      return store.proposals.list(vault, { status: "pending" })
        .map(({ id, userMessage }) => ({ word: `${id}`, description: oneLine(userMessage) }));
    case "agents":
      return store.agents.list().map(({ name }) => plain(name));
    default:
      return [];
  }
}

/** Words of an agent, which must not steer the terminal. */
function oneLine(text: string): string {
  return printable(text.slice(0, DESCRIPTION_LENGTH)).replaceAll(/\s+/g, " ");
}
