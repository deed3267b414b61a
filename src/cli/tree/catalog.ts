import type { CommandSpec } from "../command_spec.ts";

/** The command for the catalog. */
export const CATALOG_COMMANDS: readonly CommandSpec[] = [
  {
    path: "catalog",
    arguments: "[SEARCH]",
    summary: "list services that are known, or show one with the commands to type",
    details:
      "SEARCH is an id, or a part of a name, a host or a credential key. One hit is shown whole.\n" +
      "No vault is opened.",
    examples: ["broker catalog", "broker catalog search", "broker catalog github"],
    json: true,
    load: async () => (await import("../commands/catalog.ts")).showCatalog,
  },
];
