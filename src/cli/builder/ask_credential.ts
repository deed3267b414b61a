import { BrokerError } from "../../errors.ts";
import { credentialKeyIssue, isCredentialKey } from "../../model/credential_key.ts";
import { checkCredentialValue } from "../../model/credential_value.ts";
import type { Secret } from "../../model/secret.ts";
import type { Choice } from "../prompt.ts";
import { type Desk, hasCredential, INSTEAD } from "./desk.ts";

/** What {@link askCredential} asks for. */
export interface CredentialQuestion {
  /** What the credential is to the service, such as "Token". */
  readonly message: string;
  /** The key that comes first, whether or not the vault has it. */
  readonly suggestion: string;
}

/** A key, or nothing yet: another one is to be named. */
type Picked = string | undefined;

/**
 * A credential key: one of the vault, picked by typing part of it, or a new one whose value is asked for
 * on the spot.
 */
export async function askCredential(
  desk: Desk,
  { message, suggestion }: CredentialQuestion,
): Promise<string> {
  const picked = await desk.prompts.search<Picked>(
    { message: `${message}: which credential?`, instead: INSTEAD },
    (typed) => choices(desk, suggestion, typed.trim()),
  );
  const key = picked ?? await desk.prompts.text({
    message: "Key of the new credential",
    instead: INSTEAD,
    suggestion,
    check: credentialKeyIssue,
  });
  await askMissingValue(desk, key);
  return key;
}

/** Asks for the value of a credential that nobody has given one yet; Return alone leaves it out. */
export async function askMissingValue(desk: Desk, key: string): Promise<void> {
  if (hasCredential(desk, key)) return;
  const value = await askValue(desk, key);
  if (value !== undefined) desk.values.set(key, value);
}

async function askValue(desk: Desk, key: string): Promise<Secret | undefined> {
  while (true) {
    const value = await desk.prompts.hidden({
      message: `Value of ${key} (Return alone: store it later)`,
      instead: INSTEAD,
    });
    if (value.reveal() === "") return undefined;
    try {
      checkCredentialValue(key, value.reveal());
      return value;
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
      desk.show(error.message);
    }
  }
}

function choices(
  desk: Desk,
  suggestion: string,
  typed: string,
): Choice<Picked>[] {
  const wanted = typed.toUpperCase();
  const known = [...new Set([...desk.values.keys(), ...desk.view.keys])].sort();
  // The suggestion stands where Return alone takes it.
  const ordered = known.includes(suggestion)
    ? [suggestion, ...known.filter((key) => key !== suggestion)]
    : known;
  const found = ordered.filter((key) => key.includes(wanted)).map((key): Choice<Picked> => ({
    name: key,
    value: key,
    description: desk.values.has(key) ? "typed a moment ago" : "in the vault",
  }));
  const fresh = wanted === "" ? suggestion : wanted;
  const isNew = isCredentialKey(fresh) && !known.includes(fresh);
  const offered: Choice<Picked>[] = isNew
    ? [{ name: `${fresh} (new)`, value: fresh, description: "its value is asked for next" }]
    : [];
  const other: Choice<Picked> = {
    name: "another key",
    value: undefined,
    description: "name a new credential",
  };
  return wanted === "" ? [...offered, ...found, other] : [...found, ...offered, other];
}
