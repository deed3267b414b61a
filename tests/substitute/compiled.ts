import { Secret } from "../../src/model/secret.ts";
import type { Substitution, Surface } from "../../src/model/service.ts";
import { type CompiledSubstitutions, compileSubstitutions } from "../../src/substitute/compile.ts";

export const SURFACES: readonly Surface[] = ["path", "query", "header", "body", "websocket"];

/** One entry `__token__` -> TOKEN on the named surfaces, compiled with the value. */
export function compiled(value: string, surfaces: readonly Surface[]) {
  return ready(compileSubstitutions(
    [{ key: "TOKEN", placeholder: "__token__", in: surfaces }],
    () => new Secret(value),
  ));
}

/** Compiles entries whose values stand under their keys. */
export function compiledWith(
  entries: readonly Substitution[],
  values: Readonly<Record<string, string>>,
) {
  return ready(compileSubstitutions(entries, (key) => new Secret(values[key]!)));
}

function ready(substitutions: CompiledSubstitutions) {
  if (substitutions.kind !== "ready") throw new Error(`Substitutions are ${substitutions.kind}`);
  return substitutions;
}
