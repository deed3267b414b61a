import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { buildSelfExtractingFile } from "../../scripts/self_extracting_file.ts";
import { runDeno, runProcess } from "../support/run_process.ts";
import { temporaryDirectory } from "../support/temporary_directory.ts";

/** A program that says how it was called, and needs a CommonJS package that asks for node:crypto. */
const PROGRAM = `
  const { default: forge } = await import("node-forge");
  console.log(JSON.stringify(Deno.args), forge.random.getBytesSync(8).length);
  if (Deno.args[0] === "fail") Deno.exit(7);
`;

/** Stands in for Deno where only the unpacking matters: it prints its arguments one a line. */
const RUNTIME = '#!/bin/sh\nfor each in "$@"; do printf "[%s]\\n" "$each"; done\n';

/** Without a bundler (it comes from npm) and a POSIX shell there is nothing to test. */
const ignore = Deno.build.os === "windows" || !await canBundle();

async function canBundle(): Promise<boolean> {
  await using directory = await temporaryDirectory();
  await Deno.writeTextFile(directory.join("x.ts"), "");
  return (await runDeno(["bundle", "-q", directory.join("x.ts")])).code === 0;
}

/** Builds a file in a fresh directory; `home` is where it will unpack itself. */
async function build(options: { runtime: "stand-in" | "deno" }) {
  const directory = await temporaryDirectory();
  const entry = directory.join("program.ts");
  const runtime = directory.join("runtime");
  const output = directory.join("broker");
  await Deno.writeTextFile(entry, PROGRAM);
  await Deno.writeTextFile(runtime, RUNTIME);
  await buildSelfExtractingFile({
    entry,
    output,
    version: "1.2.3",
    commit: "abc",
    permissions: ["--no-prompt", "--allow-env"],
    config: fileURLToPath(new URL("../../deno.json", import.meta.url)),
    ...(options.runtime === "stand-in" ? { runtime } : {}),
  });
  const home = directory.join("home");
  await Deno.mkdir(home);
  return {
    output,
    home,
    cache: `${home}/${Deno.build.os === "darwin" ? "Library/Caches" : ".cache"}/broker`,
    start: (args: string[] = [], env: Record<string, string> = {}) =>
      runProcess(output, args, {
        clearEnv: true,
        env: { PATH: "/usr/bin:/bin", HOME: home, ...env },
      }),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

async function names(directory: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name).sort();
}

/** Changes one byte, counted from the end when negative. */
async function damage(file: string, position: number): Promise<void> {
  const bytes = await Deno.readFile(file);
  const index = position < 0 ? bytes.length + position : position;
  bytes[index] = (bytes[index] ?? 0) ^ 0x01;
  await Deno.writeFile(file, bytes, { mode: 0o755 });
}

Deno.test({
  name: "a damaged file is refused, runs nothing and leaves nothing behind",
  ignore,
  fn: async () => {
    await using file = await build({ runtime: "stand-in" });
    const whole = await Deno.readFile(file.output);
    // The first byte behind the script is of the program, the ones before the last eight (length and
    // checksum of gzip) are of the runtime.
    for (const position of [8192 + 100, -12]) {
      await Deno.writeFile(file.output, whole, { mode: 0o755 });
      await damage(file.output, position);
      const cache = `${file.home}/${position}`;
      const result = await file.start([], { XDG_CACHE_HOME: cache });
      assert.equal(result.code, 1, `byte ${position}`);
      assert.match(
        result.stderr,
        /^broker: error: Unpack the program: its checksum is wrong\nbroker: hint: /,
      );
      assert.equal(result.stdout, "");
      // The runtime is checked first, and a good one may stay.
      const left = await names(`${cache}/broker`);
      assert.ok(left.every((name) => position > 0 && name.startsWith("deno-")), left.join());
    }
    await Deno.writeFile(file.output, whole.subarray(0, whole.length - 20), { mode: 0o755 });
    assert.equal((await file.start()).code, 1);
    assert.deepEqual(await names(file.cache), []);
  },
});

Deno.test({
  name: "a cache that belongs to somebody else is refused",
  // Only root can give a directory away.
  ignore: ignore || Deno.uid() !== 0,
  fn: async () => {
    await using file = await build({ runtime: "stand-in" });
    assert.equal((await file.start()).code, 0);
    await Deno.chown(file.cache, 65534, 65534);
    const result = await file.start();
    assert.equal(result.code, 1);
    assert.match(result.stderr, /belongs to somebody else\nbroker: hint: set XDG_CACHE_HOME/);
    await Deno.chown(file.cache, 0, 0);
    for (const name of await names(file.cache)) {
      const path = name.startsWith("deno-") ? name : `${name}/start.js`;
      await Deno.writeTextFile(`${file.cache}/${path}`, "planted");
      await Deno.chown(`${file.cache}/${path}`, 65534, 65534);
    }
    const replaced = await file.start(["x"]);
    assert.equal(replaced.code, 0, replaced.stderr);
    assert.match(replaced.stdout, /^\[x\]$/m);
  },
});

Deno.test({
  name: "without a home or a writable cache it says what to set",
  ignore,
  fn: async () => {
    await using file = await build({ runtime: "stand-in" });
    const homeless = await file.start([], { HOME: "" });
    assert.equal(homeless.code, 1);
    assert.match(homeless.stderr, /HOME is not set\nbroker: hint: set HOME, or XDG_CACHE_HOME/);
    await Deno.writeTextFile(`${file.home}/file`, "");
    const blocked = await file.start([], { XDG_CACHE_HOME: `${file.home}/file` });
    assert.equal(blocked.code, 1);
    assert.match(blocked.stderr, /cannot be created\nbroker: hint: set XDG_CACHE_HOME/);
  },
});

Deno.test({
  name: "what it unpacks is the owner's alone, and stays as it is at the next start",
  ignore,
  fn: async () => {
    await using file = await build({ runtime: "stand-in" });
    assert.equal((await file.start()).code, 0);
    const unpacked = await names(file.cache);
    assert.equal(unpacked.length, 2);
    assert.match(unpacked[0] ?? "", /^broker-1\.2\.3-[0-9a-f]{16}$/);
    assert.match(unpacked[1] ?? "", /^deno-[0-9.]+-[0-9a-f]{16}$/);
    const paths = [
      file.cache,
      ...unpacked.map((name) => `${file.cache}/${name}`),
      `${file.cache}/${unpacked[0]}/start.js`,
    ];
    const before = paths.map((path) => Deno.statSync(path));
    for (const { mode } of before) assert.equal((mode ?? 0) & 0o077, 0);
    assert.equal((await file.start()).code, 0);
    const after = paths.map((path) => Deno.statSync(path));
    assert.deepEqual(after.map(({ ino }) => ino), before.map(({ ino }) => ino));
  },
});

Deno.test({
  name: "eight first starts at once all work and unpack one copy",
  ignore,
  fn: async () => {
    await using file = await build({ runtime: "stand-in" });
    const results = await Promise.all(Array.from({ length: 8 }, () => file.start(["x"])));
    for (const { code, stdout, stderr } of results) {
      assert.equal(stderr, "");
      assert.equal(code, 0);
      assert.match(stdout, /^\[x\]$/m);
    }
    const unpacked = await names(file.cache);
    assert.equal(unpacked.length, 2, unpacked.join());
    assert.ok((await names(`${file.cache}/${unpacked[0]}`)).includes("program.js"));
  },
});

Deno.test({
  name: "a copy that somebody half deleted is unpacked again",
  ignore,
  fn: async () => {
    await using file = await build({ runtime: "stand-in" });
    await file.start();
    const [program = "", runtime = ""] = await names(file.cache);
    await Deno.remove(`${file.cache}/${program}/start.js`);
    assert.equal((await file.start()).code, 0);
    assert.ok(Deno.statSync(`${file.cache}/${program}/start.js`).isFile);
    await Deno.remove(`${file.cache}/${runtime}`);
    assert.equal((await file.start()).code, 0);
    assert.deepEqual(await names(file.cache), [program, runtime]);
  },
});

Deno.test({
  name: "the runtime gets the permissions, the program and every argument as it was typed",
  ignore,
  fn: async () => {
    await using file = await build({ runtime: "stand-in" });
    const args = ["run", "--", "a b", "", "$HOME", "'\"`", "*", "-x"];
    const lines = (await file.start(args)).stdout.trimEnd().split("\n");
    const [program] = await names(file.cache);
    assert.deepEqual(lines, [
      "[run]",
      "[--no-config]",
      "[--no-lock]",
      "[--no-remote]",
      "[--no-npm]",
      "[--no-prompt]",
      "[--allow-env]",
      `[${file.cache}/${program}/start.js]`,
      ...args.map((arg) => `[${arg}]`),
    ]);
  },
});

Deno.test({
  name:
    "with the real runtime the program runs, packages included, and its exit status comes through",
  ignore,
  fn: async () => {
    await using file = await build({ runtime: "deno" });
    const first = await file.start(["a b", ""]);
    assert.equal(first.stderr, "");
    assert.equal(first.stdout, '["a b",""] 8\n');
    assert.equal((await file.start(["fail"])).code, 7);
  },
});
