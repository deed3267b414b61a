import settings from "../deno.json" with { type: "json" };

/** The program's version (semver), as deno.json states it. */
export const VERSION: string = settings.version;

/** Under this symbol an executable carries the commit that it was built from. */
const COMMIT = Symbol.for("broker.commit");

/** The abbreviated commit of a built executable; `undefined` when run from source. */
export function builtFrom(): string | undefined {
  const commit: unknown = Reflect.get(globalThis, COMMIT);
  return typeof commit === "string" ? commit : undefined;
}
