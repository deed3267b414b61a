import { entryKeys, fillEntry, searchCatalog } from "../../catalog/catalog.ts";
import type { CatalogEntry } from "../../catalog/catalog_entry.ts";
import { BrokerError } from "../../errors.ts";
import type { Invocation } from "../command_spec.ts";
import type { Output } from "../output.ts";

/** Lists what the catalog knows, or shows the one entry that the search finds. */
export async function showCatalog({ context, positionals }: Invocation): Promise<void> {
  const { output } = context;
  const search = positionals[0] ?? "";
  const found = searchCatalog(search);
  if (found.length === 0) {
    throw new BrokerError("not_found", `Search the catalog for "${search}": nothing was found`, {
      hint: "to see all of it: broker catalog; by hand: broker vault service add --help",
    });
  }
  const only = found.length === 1 ? found[0] : undefined;
  const yaml = only && await exampleYaml(only);
  output.print({ entries: found.map(entryDocument) }, () => {
    if (only !== undefined && yaml !== undefined) return printEntry(output, only, yaml);
    output.table(
      [{ title: "ID" }, { title: "TITLE" }, { title: "HOST" }, { title: "AUTH" }, {
        title: "KEYS",
      }],
      found.map((entry) => [
        entry.id,
        entry.title,
        entry.services.map(({ host }) => host).join(" "),
        [...new Set(entry.services.map(({ auth }) => auth.type))].join(" "),
        entryKeys(entry).join(" "),
      ]),
    );
  });
}

/** Parameters show their examples, since a host with a hole in it is not YAML that can be used. */
async function exampleYaml(entry: CatalogEntry): Promise<string> {
  const { serializeServices } = await import("../services_yaml.ts");
  const examples = (entry.parameters ?? []).map(({ name, example }) => [name, example] as const);
  return serializeServices(fillEntry(entry, new Map(examples)));
}

function printEntry(output: Output, entry: CatalogEntry, yaml: string): void {
  const parameters = entry.parameters ?? [];
  const constants = entry.constants ?? {};
  output.line(output.mark("bold", entry.title));
  output.line(`${entry.obtain.text} ${entry.obtain.url}`);
  for (const { name, summary, example } of parameters) {
    output.line(`${name}: ${summary}, such as ${example}`);
  }
  output.line(`\n${yaml}`);
  const set = parameters.map(({ name, example }) => ` --set ${name}=${example}`).join("");
  output.line(`broker vault service add --from ${entry.id}${set}`);
  for (const [key, value] of Object.entries(constants)) {
    output.line(`printf ${value} | broker vault credential set ${key}`);
  }
  const secret = entryKeys(entry).filter((key) => !Object.hasOwn(constants, key));
  output.line(`broker vault credential set ${secret.join(" ")}`);
  const names = entry.environment.flatMap((variables) => variables.names).join(" ");
  output.line(`\nprograms get a placeholder in: ${names}`);
}

/** An entry as the JSON document shows it; hosts keep the names of their parameters. */
function entryDocument(entry: CatalogEntry) {
  const { id, title, services, environment, obtain, parameters = [], constants = {} } = entry;
  const credential_keys = entryKeys(entry);
  return { id, title, services, credential_keys, environment, obtain, parameters, constants };
}
