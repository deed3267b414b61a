import type { Secret } from "../model/secret.ts";
import type { Output } from "./output.ts";
import type { Prompts } from "./prompt.ts";

/** What every command is given of the world it runs in. */
export interface Context {
  readonly output: Output;
  readonly prompts: Prompts;
  /** The environment without `BROKER_PASSPHRASE`. */
  readonly env: Readonly<Record<string, string>>;
  /** What `BROKER_PASSPHRASE` held; an empty variable means "no passphrase". */
  readonly passphrase: Secret | undefined;
  /** Absolute path of the data directory; a function, because it throws where none can be named. */
  readonly home: () => string;
  /** `--vault`, when given. */
  readonly vaultOption: string | undefined;
}
