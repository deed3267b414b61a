import type { HeaderList } from "../http1/headers.ts";
import { type BodyEncoding, bodyPlan } from "./body_plan.ts";
import { ByteReplacer } from "./byte_replacer.ts";
import { percentEncode } from "./percent_encode.ts";
import type { Replacement } from "./replacement.ts";

/**
 * Chooses by a request's headers how its body is to be replaced; `undefined` when the body passes as it
 * is and need not be read at all. `replace` gives the same object when it found nothing; for a body in
 * pieces put a `StreamReplacer` around what this gives.
 */
export type BodySubstitution = (headers: HeaderList) => ByteReplacer | undefined;

/** Compiles the `body` surface (spec: Substitutions, 4). */
export function compileBody(replacements: readonly Replacement[]): BodySubstitution {
  const replacers: Partial<Record<BodyEncoding, ByteReplacer>> = {};
  return (headers) => {
    const plan = bodyPlan(headers);
    if (plan.kind === "skip") return undefined;
    return replacers[plan.encode] ??= new ByteReplacer(
      replacements.map((entry) => ({ ...entry, value: encodeValue(entry.value, plan.encode) })),
    );
  };
}

function encodeValue(value: string, encoding: BodyEncoding): string {
  switch (encoding) {
    case "form":
      return percentEncode(value);
    case "json":
      // The string that JSON would write, without its quotes (RFC 8259 section 7).
      return JSON.stringify(value).slice(1, -1);
    case "raw":
      return value;
  }
}
