import { dirname, join } from "node:path";
import { runDeno, runProcess } from "./run_process.ts";

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
  return await cachedDirectory(name, version);
}

/**
 * Copies an npm package and all that it needs, by deno.lock, into `node_modules` of a directory, where
 * Node looks for them.
 */
export async function installNpmPackage(name: string, directory: string): Promise<void> {
  const lock = JSON.parse(await Deno.readTextFile(new URL("../../deno.lock", import.meta.url)));
  const packages: Record<string, { dependencies?: string[] }> = lock.npm;
  const keyOf = (wanted: string): string =>
    Object.keys(packages).find((key) => key === wanted || key.startsWith(`${wanted}@`)) ?? wanted;
  const waiting = [keyOf(name)];
  const done = new Set<string>();
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (done.has(key)) continue;
    done.add(key);
    const at = key.lastIndexOf("@");
    const [own, version] = [key.slice(0, at), key.slice(at + 1)];
    const target = join(directory, "node_modules", own);
    await Deno.mkdir(dirname(target), { recursive: true });
    const { code, stderr } = await runProcess("cp", [
      "-R",
      await cachedDirectory(own, version),
      target,
    ]);
    if (code !== 0) throw new Error(`Copy npm package "${own}": ${stderr}`);
    waiting.push(...(packages[key]?.dependencies ?? []).map(keyOf));
  }
}

async function cachedDirectory(name: string, version: string): Promise<string> {
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
