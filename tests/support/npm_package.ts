import { join } from "node:path";
import { runDeno } from "./run_process.ts";

/**
 * The directory of an npm package that Deno has in its cache, for programs that cannot import `npm:`
 * names: Node, above all. The package must need no other one.
 *
 * @throws {Error} when deno.json does not name it, so that it is not in the cache.
 */
export async function npmPackageDirectory(name: string): Promise<string> {
  const configuration = JSON.parse(
    await Deno.readTextFile(new URL("../../deno.json", import.meta.url)),
  );
  const specifier: unknown = configuration.imports[name];
  const version = typeof specifier === "string" ? specifier.split("@").at(-1)! : "";
  const { stdout } = await runDeno(["info", "--json"]);
  const { npmCache } = JSON.parse(stdout);
  // One directory for each registry that packages came from.
  for await (const registry of Deno.readDir(npmCache)) {
    const directory = join(npmCache, registry.name, name, version);
    if (await isDirectory(directory)) return directory;
  }
  throw new Error(`npm package "${name}" ${version} is not in the cache: deno install`);
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
