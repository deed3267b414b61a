/** scripts/install.sh with the shells that people pipe it into, against a server of the test. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { TARGETS } from "../../scripts/compile.ts";
import { runProcess } from "../support/run_process.ts";
import { temporaryDirectory } from "../support/temporary_directory.ts";

const SCRIPT = fileURLToPath(new URL("../../scripts/install.sh", import.meta.url));
const ignore = Deno.build.os === "windows";
const FILE = `broker-${Deno.build.target}`;
const PROGRAM = '#!/bin/sh\nif [ "$1" = --version ]; then echo 9.8.7; fi\n';

type Files = Record<string, string>;

/** A release: the program of this machine with its checksum, as the workflow uploads it. */
function release(program = PROGRAM, released = program): Files {
  const sum = createHash("sha256").update(released).digest("hex");
  const other = "0".repeat(64);
  return {
    [FILE]: program,
    "checksums.txt": `${other}  ${FILE}.exe\n${sum}  ${FILE}\n${other}  other-${FILE}\n`,
  };
}

/** Serves releases as GitHub does, and runs the script in a directory of its own. */
class Scene implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #home: Awaited<ReturnType<typeof temporaryDirectory>>;
  readonly asked: string[] = [];
  readonly dir: string;

  private constructor(home: Awaited<ReturnType<typeof temporaryDirectory>>, files: Files) {
    this.#home = home;
    this.dir = home.join("bin");
    this.#server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
      const path = new URL(request.url).pathname;
      this.asked.push(path);
      const name = /^\/releases\/(?:latest\/download|download\/v9\.8\.7)\/([^/]+)$/.exec(path)?.[1];
      const text = files[name ?? ""];
      return text === undefined ? new Response("", { status: 404 }) : new Response(text);
    });
  }

  static async start(files: Files = release()): Promise<Scene> {
    return new Scene(await temporaryDirectory(), files);
  }

  get program(): string {
    return `${this.dir}/broker`;
  }

  /** Writes a program that stands before those of the system. */
  async shadow(name: string, text: string): Promise<void> {
    const directory = this.#home.join("shadow");
    await Deno.mkdir(directory, { recursive: true });
    await Deno.writeTextFile(`${directory}/${name}`, text, { mode: 0o755 });
  }

  async run(shell: string, args: readonly string[] = [], env: Record<string, string> = {}) {
    const { code, stdout, stderr } = await runProcess(shell, [SCRIPT, ...args], {
      clearEnv: true,
      env: {
        PATH: `${this.#home.join("shadow")}:${Deno.env.get("PATH")}`,
        HOME: this.#home.join("home"),
        BROKER_INSTALL_DIR: this.dir,
        BROKER_INSTALL_BASE_URL: `http://127.0.0.1:${this.#server.addr.port}/releases`,
        ...env,
      },
    });
    return { code, stdout, stderr };
  }

  /** What lies where the program goes. */
  entries(): string[] {
    try {
      return [...Deno.readDirSync(this.dir)].map(({ name }) => name).sort();
    } catch {
      return [];
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
    await this.#home[Symbol.asyncDispose]();
  }
}

function test(name: string, fn: (shell: string) => Promise<void>): void {
  for (const shell of ["dash", "bash"]) {
    Deno.test({
      name: `install.sh in ${shell} ${name}`,
      ignore: ignore || !has(shell),
      fn: () => fn(shell),
    });
  }
}

function has(program: string): boolean {
  try {
    return new Deno.Command(program, { args: ["-c", "true"] }).outputSync().success;
  } catch {
    return false;
  }
}

const REFUSED: readonly (readonly [what: string, files: Files, text: RegExp])[] = [
  ["a program that is not what was released", release(`${PROGRAM}# evil\n`, PROGRAM), /SHA-256 is/],
  ["a download that broke off", release(PROGRAM.slice(0, 20), PROGRAM), /SHA-256 is/],
  ["a release without this machine's program", { "checksums.txt": "" }, /could not be downloaded/],
  ["a release without checksums", { [FILE]: PROGRAM }, /checksums\.txt could not be downloaded/],
  ["checksums that do not name the program", { ...release(), "checksums.txt": "" }, /has no line/],
  [
    "a program that does not run here",
    release("#!/no/such/shell\n"),
    /does not run on this machine/,
  ],
];

for (const [what, files, text] of REFUSED) {
  test(`refuses ${what}, and leaves what was installed`, async (shell) => {
    await using scene = await Scene.start(files);
    await Deno.mkdir(scene.dir);
    await Deno.writeTextFile(scene.program, "the old one");
    const { code, stderr } = await scene.run(shell);
    assert.equal(code, 1);
    assert.match(stderr, text);
    assert.equal(await Deno.readTextFile(scene.program), "the old one");
    assert.deepEqual(scene.entries(), ["broker"]);
  });
}

test("installs the latest release, says where, and what to add to PATH", async (shell) => {
  await using scene = await Scene.start();
  const { code, stdout, stderr } = await scene.run(shell);
  assert.equal(code, 0, stderr);
  assert.deepEqual(scene.asked, [
    "/releases/latest/download/checksums.txt",
    `/releases/latest/download/${FILE}`,
  ]);
  assert.match(stdout, new RegExp(`installed broker 9\\.8\\.7 as ${scene.program}\n`));
  assert.ok(stdout.includes(`export PATH="${scene.dir}:$PATH"`), stdout);
  assert.deepEqual(scene.entries(), ["broker"]);
  assert.equal((await Deno.stat(scene.program)).mode! & 0o777, 0o755);
  assert.equal(await Deno.readTextFile(scene.program), PROGRAM);
});

test("goes to ~/.local/bin unless told otherwise", async (shell) => {
  await using scene = await Scene.start();
  const { code, stdout } = await scene.run(shell, [], { BROKER_INSTALL_DIR: "" });
  assert.equal(code, 0);
  assert.match(stdout, /installed broker 9\.8\.7 as \/.*\/home\/\.local\/bin\/broker\n/);
});

test("installs a version into a directory, over another one, with a blank in its name", async (shell) => {
  await using scene = await Scene.start();
  const dir = `${scene.dir}/with a blank`;
  for (const version of ["9.8.7", "v9.8.7"]) {
    const { code, stderr } = await scene.run(shell, ["--version", version, "--dir", dir]);
    assert.equal(code, 0, stderr);
  }
  assert.equal(await Deno.readTextFile(`${dir}/broker`), PROGRAM);
  assert.ok(scene.asked.every((path) => path.startsWith("/releases/download/v9.8.7/")));
});

test("says nothing of PATH when the directory is on it, and warns of another broker", async (shell) => {
  await using scene = await Scene.start();
  const path = Deno.env.get("PATH") ?? "";
  const on = await scene.run(shell, [], { PATH: `${scene.dir}:${path}` });
  assert.doesNotMatch(on.stdout, /PATH/);
  await scene.shadow("broker", PROGRAM);
  const behind = await scene.run(shell, [], {
    PATH: `${scene.dir}/../shadow:${path}:${scene.dir}`,
  });
  assert.match(behind.stdout, /but "broker" is .*shadow\/broker: put/);
});

test("uninstalls the program and says where the vaults are", async (shell) => {
  await using scene = await Scene.start();
  await scene.run(shell);
  const { code, stdout } = await scene.run(shell, ["--uninstall"]);
  assert.equal(code, 0);
  assert.match(stdout, /removed .*\/bin\/broker\n[^]*vaults and credentials stay/);
  assert.deepEqual(scene.entries(), []);
  const again = await scene.run(shell, ["--uninstall"]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /is not there/);
});

const WRONG:
  readonly (readonly [args: readonly string[], env: Record<string, string>, text: RegExp])[] = [
    [["--nonsense"], {}, /"--nonsense" is not understood/],
    [["--version"], {}, /--version needs a value/],
    [[], { BROKER_INSTALL_BASE_URL: "" }, /nothing says where the releases are/],
    [[], { BROKER_INSTALL_BASE_URL: "http://example.test/releases" }, /is not https/],
    [[], { BROKER_INSTALL_DIR: "/proc/no/such" }, /\/proc\/no\/such cannot be created/],
  ];

for (const [args, env, text] of WRONG) {
  test(`names the fault of ${JSON.stringify([args, env])} and asks for nothing`, async (shell) => {
    await using scene = await Scene.start();
    const { code, stderr } = await scene.run(shell, args, env);
    assert.equal(code, 1);
    assert.match(stderr, text);
    assert.deepEqual(scene.asked, []);
  });
}

test("names a system and a machine for which there is no release", async (shell) => {
  await using scene = await Scene.start();
  await scene.shadow("uname", '#!/bin/sh\nif [ "$1" = -s ]; then echo Plan9; else echo vax; fi\n');
  assert.match((await scene.run(shell)).stderr, /there is no broker for Plan9/);
  await scene.shadow("uname", '#!/bin/sh\nif [ "$1" = -s ]; then echo Linux; else echo vax; fi\n');
  assert.match((await scene.run(shell)).stderr, /there is no broker for vax/);
  assert.deepEqual(scene.asked, []);
});

Deno.test("installer, workflow and compiler agree on the names of the programs", async () => {
  const script = await Deno.readTextFile(SCRIPT);
  const workflow = await Deno.readTextFile(
    new URL("../../.github/workflows/release.yml", import.meta.url),
  );
  const systems = [...script.matchAll(/system=(\S+) ;;/g)].map((match) => match[1]);
  const machines = [...script.matchAll(/machine=(\S+) ;;/g)].map((match) => match[1]);
  const targets = machines.flatMap((machine) => systems.map((system) => `${machine}-${system}`));
  const [windows] = TARGETS.filter((target) => target.includes("windows"));
  assert.deepEqual([...targets, windows].sort(), [...TARGETS].sort());
  assert.ok(script.includes(`broker-${windows}.exe`));
  assert.match(workflow, /deno task compile --target all/);
  assert.match(workflow, /sed "s\|@BASE_URL@\|/);
  assert.match(workflow, /sha256sum broker-\* install\.sh > checksums\.txt/);
});
