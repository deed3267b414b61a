import { BrokerError } from "../../errors.ts";
import type { Invocation } from "../command_spec.ts";
import { SHELL_SCRIPTS } from "../completion/shell_scripts.ts";
import { SHELLS } from "../completion/value_source.ts";

/** Prints what a shell loads in order to complete the program's command lines. */
export function printCompletions({ context, positionals }: Invocation): Promise<void> {
  const shell = SHELLS.find((one) => one === positionals[0]);
  if (shell === undefined) {
    throw new BrokerError("usage", `There is no completion for "${positionals[0]}"`, {
      hint: `broker completions ${SHELLS.join(" | ")}`,
    });
  }
  context.output.data(SHELL_SCRIPTS[shell]);
  return Promise.resolve();
}
