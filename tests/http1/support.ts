import { HttpFault } from "../../src/http1/fault.ts";
import { findHeadEnd } from "../../src/http1/head_end.ts";
import { encodeLatin1 } from "../../src/http1/latin1.ts";

/** One byte a character. */
export const bytesOf = encodeLatin1;

/** What a parser said: a value, or the reason of its refusal. Any other error is a defect and escapes. */
export function attempt<T>(parse: () => T): { value: T } | { fault: string; kind: string } {
  try {
    return { value: parse() };
  } catch (error) {
    if (error instanceof HttpFault) return { fault: error.message, kind: error.kind };
    throw error;
  }
}

/** Finds a head's end the way a connection does: the bytes arrive in pieces cut at `cuts`. */
export function headEndInPieces(bytes: Uint8Array, cuts: readonly number[]): number {
  let from = 0;
  for (const end of [...cuts, bytes.length]) {
    const found = findHeadEnd(bytes, { start: 0, from, end });
    if (found.end !== -1) return found.end;
    from = found.resumeAt;
  }
  return -1;
}
