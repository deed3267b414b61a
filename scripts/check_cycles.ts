/**
 * Finds import cycles: `deno run -A scripts/check_cycles.ts [FOLDER]`, src/ unless told. Static,
 * dynamic and type-only imports count. Exit status 1, and the cycle on standard error, when there is
 * one.
 */
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Which file imports which, by file URL. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** One of the shortest cycles, as the files on it in order; `undefined` when there is none. */
export function findCycle(graph: ImportGraph): string[] | undefined {
  let shortest: string[] | undefined;
  for (const start of [...graph.keys()].sort()) {
    const path = findPathBack(graph, start);
    if (path !== undefined && (shortest === undefined || path.length < shortest.length)) {
      shortest = path;
    }
  }
  return shortest;
}

/** The shortest way from a file back to itself, breadth first. */
function findPathBack(graph: ImportGraph, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const file of queue) {
    for (const target of graph.get(file) ?? []) {
      if (target === start) {
        const path = [file];
        for (let at = cameFrom.get(file); at !== undefined; at = cameFrom.get(at)) path.unshift(at);
        return path;
      }
      if (cameFrom.has(target)) continue;
      cameFrom.set(target, file);
      queue.push(target);
    }
  }
  return undefined;
}

/** The part of `deno info --json` that is read here. */
interface ModuleInfo {
  readonly specifier: string;
  readonly error?: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier?: string };
    readonly type?: { readonly specifier?: string };
  }[];
}

/**
 * Reads the imports of every TypeScript file below a folder, as Deno itself resolves them.
 * @throws Error when a file cannot be read, parsed or resolved.
 */
export async function readImportGraph(folder: URL): Promise<ImportGraph> {
  const roots = await listSources(folder);
  const entry = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    const lines = roots.map((root) => `import ${JSON.stringify(root)};\n`);
    await Deno.writeTextFile(entry, lines.join(""));
    const graph = new Map<string, string[]>();
    for (const module of await describeModules(entry)) {
      if (!module.specifier.startsWith(folder.href)) continue;
      if (module.error !== undefined) throw new Error(`Read ${module.specifier}: ${module.error}`);
      const targets = (module.dependencies ?? []).flatMap(({ code, type }) =>
        [code?.specifier, type?.specifier].filter((target) => target !== undefined)
      );
      graph.set(module.specifier, targets.filter((target) => target.startsWith(folder.href)));
    }
    return graph;
  } finally {
    await Deno.remove(entry);
  }
}

async function describeModules(entry: string): Promise<readonly ModuleInfo[]> {
  const config = fileURLToPath(new URL("../deno.json", import.meta.url));
  const output = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--config", config, entry],
    stderr: "inherit",
  }).output();
  if (!output.success) throw new Error(`Run deno info: exit status ${output.code}`);
  return JSON.parse(new TextDecoder().decode(output.stdout)).modules;
}

async function listSources(folder: URL): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = new URL(encodeURIComponent(entry.name), folder).href;
    if (entry.isDirectory) found.push(...await listSources(new URL(`${path}/`)));
    else if (/\.tsx?$/.test(entry.name)) found.push(path);
  }
  return found.sort();
}

/** Checks the folder that the arguments name and gives the exit status. */
async function checkCycles(args: readonly string[]): Promise<number> {
  const [path] = args;
  const folder = path === undefined
    ? new URL("../src/", import.meta.url)
    : pathToFileURL(`${resolve(path)}/`);
  const graph = await readImportGraph(folder);
  if (graph.size === 0) throw new Error(`No source files in ${folder.pathname}`);
  const cycle = findCycle(graph);
  if (cycle === undefined) {
    console.log(`No import cycle in ${graph.size} files`);
    return 0;
  }
  const names = cycle.map((file) => decodeURIComponent(file.slice(folder.href.length)));
  console.error(`Import cycle: ${[...names, names[0]].join(" -> ")}`);
  return 1;
}

if (import.meta.main) Deno.exit(await checkCycles(Deno.args));
