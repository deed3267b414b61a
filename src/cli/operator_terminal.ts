import { SignInCode } from "../operator/sign_in_code.ts";
import type { Store } from "../store/store.ts";
import type { Output } from "./output.ts";

/** How the operator of this process signs in to its pages. */
export interface OperatorTerminal {
  /** What a person types there, in a home without a passphrase. */
  readonly signInCode: SignInCode | undefined;
  /** Says where the pages are, once the address is known and before a child has the terminal. */
  readonly introduce: (apiUrl: string) => void;
}

/**
 * Finds the terminal that the operator sees and the child's pipes do not: standard error, else, for
 * somebody who types here, the terminal that controls the process. Without one there is no code, and the
 * pages name the command that decides instead.
 */
export function openOperatorTerminal(output: Output, store: Store): OperatorTerminal {
  const write = output.talksToTerminal
    ? (line: string) => output.talk(line)
    : Deno.stdin.isTerminal() && canWrite("/dev/tty")
    ? (line: string) => Deno.writeTextFileSync("/dev/tty", line, { create: false })
    : undefined;
  if (write === undefined) return { signInCode: undefined, introduce: () => {} };
  const signInCode = store.protection === "passphrase" ? undefined : new SignInCode();
  const how = signInCode === undefined
    ? "sign in with the passphrase"
    : `sign-in code ${signInCode.text.reveal()}`;
  return {
    signInCode,
    introduce: (apiUrl) => write(`broker: approvals and traffic: ${apiUrl}/ (${how})\n`),
  };
}

function canWrite(path: string): boolean {
  try {
    Deno.openSync(path, { write: true }).close();
    return true;
  } catch {
    return false;
  }
}
