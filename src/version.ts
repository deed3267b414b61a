import settings from "../deno.json" with { type: "json" };

/** The program's version (semver), as deno.json states it. */
export const VERSION: string = settings.version;
