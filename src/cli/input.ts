import { BrokerError } from "../errors.ts";
import type { Output } from "./output.ts";

/** What stands for standard input where a file is asked for. */
export const STANDARD_INPUT = "-";

/**
 * Text of a file, or of standard input for `-`.
 *
 * @throws {BrokerError} `not_found`, `unavailable` or, when it is not UTF-8, `validation_failed`.
 */
export async function readInput(file: string, output: Output): Promise<string> {
  const name = inputName(file);
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    if (file === STANDARD_INPUT) {
      if (Deno.stdin.isTerminal()) output.note("reading from the terminal; end with Ctrl-D");
      bytes = await readStandardInput();
    } else {
      bytes = await Deno.readFile(file);
    }
  } catch (error) {
    throw readFault(name, error);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new BrokerError("validation_failed", `Read "${name}": it is not UTF-8 text`, {
      hint: "save the file as UTF-8",
      cause,
    });
  }
}

/** How messages name an input. */
export function inputName(file: string): string {
  return file === STANDARD_INPUT ? "standard input" : file;
}

async function readStandardInput(): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(Deno.stdin.readable).arrayBuffer());
}

function readFault(name: string, cause: unknown): BrokerError {
  if (cause instanceof Deno.errors.NotFound) {
    return new BrokerError("not_found", `Read "${name}": there is no such file`, {
      hint: "check the path, or use - to read standard input",
      cause,
    });
  }
  const reason = cause instanceof Deno.errors.PermissionDenied
    ? "permission denied"
    : cause instanceof Deno.errors.IsADirectory
    ? "it is a directory"
    : "reading failed";
  return new BrokerError("unavailable", `Read "${name}": ${reason}`, {
    hint: "name a file that you may read",
    cause,
  });
}
