import assert from "node:assert/strict";
import { BrokerError, type ErrorCode } from "../../src/errors.ts";
import { Secret } from "../../src/model/secret.ts";
import type { Service } from "../../src/model/service.ts";
import type { ScryptCost } from "../../src/store/key_wrap.ts";

/** Cheap enough for a test that derives many keys. */
export const LOW_COST: ScryptCost = { cost: 16, blockSize: 1, parallelization: 1 };

/** A path for a home that is removed when the test ends; the home itself is not there yet. */
export function temporaryHome(): { path: string } & Disposable {
  const parent = Deno.makeTempDirSync({ prefix: "broker_store_" });
  return {
    path: `${parent}/home`,
    [Symbol.dispose]: () => Deno.removeSync(parent, { recursive: true }),
  };
}

export function secret(text: string): Secret {
  return new Secret(text);
}

/** A service with what a test does not care about filled in. */
export function service(name: string, changes: Partial<Service> = {}): Service {
  return {
    name,
    host: `${name}.example.com`,
    enabled: true,
    auth: { type: "bearer", token: "API_KEY" },
    substitutions: [],
    ...changes,
  };
}

/** Asserts a BrokerError of that code with a hint, and returns it. */
export function assertBrokerError(error: unknown, code: ErrorCode): BrokerError {
  assert.ok(error instanceof BrokerError, `not a BrokerError: ${error}`);
  assert.equal(error.code, code, error.message);
  assert.ok(error.hint !== undefined && error.hint !== "", `no hint: ${error.message}`);
  return error;
}

export function assertThrowsCode(action: () => unknown, code: ErrorCode): BrokerError {
  let caught: unknown;
  try {
    action();
  } catch (error) {
    caught = error;
  }
  return assertBrokerError(caught, code);
}

export async function assertRejectsCode(
  action: () => Promise<unknown>,
  code: ErrorCode,
): Promise<BrokerError> {
  let caught: unknown;
  try {
    await action();
  } catch (error) {
    caught = error;
  }
  return assertBrokerError(caught, code);
}

/** Name, bytes and modification time of every file of a directory. Close the store first. */
export function listBytes(directory: string): Record<string, { hex: string; mtime: number }> {
  const files: Record<string, { hex: string; mtime: number }> = {};
  for (const { name } of [...Deno.readDirSync(directory)].sort(byName)) {
    const path = `${directory}/${name}`;
    files[name] = {
      hex: Deno.readFileSync(path).toHex(),
      mtime: Deno.statSync(path).mtime!.getTime(),
    };
  }
  return files;
}

/** Names of the files that hold those bytes. */
export function filesHolding(directory: string, needle: Uint8Array | string): string[] {
  const hex = (typeof needle === "string" ? new TextEncoder().encode(needle) : needle).toHex();
  return Object.entries(listBytes(directory))
    .filter(([, file]) => file.hex.includes(hex))
    .map(([name]) => name);
}

/** Starts one of the programs in `children/` with a piped stdout. */
export function startChild(
  name: string,
  args: readonly string[],
): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", childPath(name), ...args],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

export function childPath(name: string): string {
  return new URL(`./children/${name}.ts`, import.meta.url).pathname;
}

/** Lines of a child's output, as they come. */
export function readLines(child: Deno.ChildProcess): AsyncIterable<string> {
  return linesOf(child.stdout);
}

async function* linesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}

function byName(a: Deno.DirEntry, b: Deno.DirEntry): number {
  return a.name < b.name ? -1 : 1;
}
