import assert from "node:assert/strict";
import { LAYERS } from "../../scripts/layers.ts";
import plugin from "../../scripts/lint_plugin.ts";

/** The faults that the plugin finds in a source, as `rule: message`. */
function faults(file: string, source: string): string[] {
  return Deno.lint.runPlugin(plugin, file, source).map(({ id, message }) => `${id}: ${message}`);
}

const FORBIDDEN = '"http1" may not import "store" (only errors)';

Deno.test("an import against the table is found in every form that TypeScript has", () => {
  const forms = [
    'import { Store } from "../store/store.ts";',
    'import type { Store } from "../store/store.ts";',
    'import { type Store } from "../store/store.ts";',
    'import "../store/store.ts";',
    'export { Store } from "../store/store.ts";',
    'export type { Store } from "../store/store.ts";',
    'export * from "../store/store.ts";',
    'export * as store from "../store/store.ts";',
    'const store = await import("../store/store.ts");',
    "const store = await import(`../store/store.ts`);",
    'type Store = import("../store/store.ts").Store;',
    'let store: typeof import("../store/store.ts");',
  ];
  for (const form of forms) {
    assert.deepEqual(faults("src/http1/x.ts", form), [`broker/imports: ${FORBIDDEN}`], form);
  }
});

Deno.test("an import is judged by where it leads, not by how it is written", () => {
  const detours = [
    "./../store/store.ts",
    "../../src/store/store.ts",
    "../http1/../store/store.ts",
    "../%73tore/store.ts",
  ];
  for (const specifier of detours) {
    assert.deepEqual(
      faults("src/http1/x.ts", `import ${JSON.stringify(specifier)};`),
      [`broker/imports: ${FORBIDDEN}`],
      specifier,
    );
  }
});

Deno.test("a program file imports neither tests, scripts, unknown folders nor anything outside", () => {
  const table: readonly (readonly [specifier: string, message: string])[] = [
    ["../../tests/support/upstream.ts", "which is not part of src/"],
    ["../../scripts/layers.ts", "which is not part of src/"],
    ["../../main.ts", "which is not part of src/"],
    ["../../../elsewhere.ts", "lies outside the repository"],
    ["../unheard/of.ts", '"api" may not import "unheard"'],
    ["npm:hono", "is not a name of the import map"],
    ["https://example.test/x.ts", "is not a name of the import map"],
    ["yaml", '"api" may not import the package "yaml"'],
    ["@inquirer/prompts", '"api" may not import the package "@inquirer/prompts"'],
    ["honolulu", '"api" may not import the package "honolulu"'],
  ];
  for (const [specifier, message] of table) {
    const found = faults("src/api/x.ts", `import ${JSON.stringify(specifier)};`);
    assert.equal(found.length, 1, specifier);
    assert.ok(found[0]?.includes(message), `${found[0]}`);
  }
});

Deno.test("an import whose name is computed is refused, because nobody can check it", () => {
  const [found] = faults("src/cli/x.ts", "await import(`./commands/${name}.ts`);");
  assert.match(found ?? "", /^broker\/imports: .*cannot be checked/);
});

Deno.test("a new folder needs a row in the table", () => {
  const [found] = faults("src/unheard/of.ts", 'import "./x.ts";');
  assert.match(found ?? "", /"unheard" is not in the import table/);
});

Deno.test("a pure folder may not use I/O, clocks, randomness or node modules", () => {
  const table: readonly (readonly [source: string, name: string])[] = [
    ["const now = Date.now();", "Date.now"],
    ["const now = new Date();", "the clock"],
    ["const now = Date();", "the clock"],
    ["const chance = Math.random();", "Math.random"],
    ["const { random } = Math; const d = Deno;", "Deno"],
    ["Deno.readTextFileSync(path);", "Deno"],
    ["let socket: Deno.Conn;", "Deno"],
    ["console.log(1);", "console"],
    ["const log = console;", "console"],
    ["setTimeout(run, 1);", "setTimeout"],
    ["await fetch(url);", "fetch"],
    ["crypto.getRandomValues(bytes);", "crypto"],
    ["globalThis.fetch(url);", "globalThis"],
  ];
  for (const [source, name] of table) {
    const found = faults("src/inject/x.ts", source).filter((each) => /^broker\/pure/.test(each));
    assert.equal(found.length, 1, source);
    assert.ok(found[0]?.includes(`may not use ${name};`), `${source}: ${found[0]}`);
  }
  assert.match(
    faults("src/inject/x.ts", 'import { Buffer } from "node:buffer";')[0] ?? "",
    /broker\/imports: "inject" is pure and may not import "node:buffer"/,
  );
});

Deno.test("a pure folder may name its own things as it likes and read dates that it is given", () => {
  const source = `
    interface Options { fetch: number; crypto(): void }
    const record = { performance: 1, console: 2 };
    const process = (confirm: string) => confirm;
    process(options.prompt);
    new Date(text).getTime();
    Date.parse(text);
    Math.max(1, 2);
  `;
  assert.deepEqual(faults("src/match/x.ts", source), []);
});

Deno.test("only main.ts ends the process", () => {
  for (const source of ["Deno.exit(1);", "process.exit(1);"]) {
    for (const file of ["src/cli/main.ts", "src/cli/output.ts", "src/app.ts"]) {
      assert.match(faults(file, source)[0] ?? "", /broker\/exit: Only main.ts may end/, file);
    }
    assert.deepEqual(faults("main.ts", source), []);
    assert.deepEqual(faults("scripts/demo.ts", source), []);
  }
});

Deno.test("only the terminal output of the CLI prints, scripts and tests aside", () => {
  const source = 'console.error("x");';
  for (const file of ["main.ts", "src/cli/main.ts", "src/store/x.ts", "src/log.ts"]) {
    assert.match(
      faults(file, source).join(),
      /broker\/console: Only src\/cli\/output.ts may/,
      file,
    );
  }
  for (const file of ["src/cli/output.ts", "scripts/demo.ts", "tests/bench/main.ts"]) {
    assert.deepEqual(faults(file, source), [], file);
  }
});

Deno.test("file and folder names are snake_case and say what is inside", () => {
  const refused = [
    "src/http1/index.ts",
    "src/http1/utils.ts",
    "src/store/types.ts",
    "src/helpers/text.ts",
    "tests/common/x.ts",
    "scripts/util.ts",
    "src/http1/requestHead.ts",
    "src/http1/request-head.ts",
    "src/http1/RequestHead.ts",
  ];
  for (const file of refused) {
    assert.match(faults(file, "").join(), /broker\/file-name: /, file);
  }
  for (const file of ["src/http1/request_head.ts", "tests/http1/request_head_test.ts", "main.ts"]) {
    assert.deepEqual(faults(file, ""), [], file);
  }
});

Deno.test("imports along the table pass", () => {
  const table: readonly (readonly [file: string, specifier: string])[] = [
    ["src/http1/headers.ts", "./chars.ts"],
    ["src/http1/headers.ts", "../errors.ts"],
    ["src/match/select.ts", "../http1/chars.ts"],
    ["src/model/service_schema.ts", "zod"],
    ["src/x509/certificate.ts", "node-forge"],
    ["src/web/pages/approval.tsx", "hono/jsx"],
    ["src/tls/accept.ts", "node:tls"],
    ["src/app.ts", "./store/store.ts"],
    ["src/cli/commands/run.ts", "../../app.ts"],
    ["src/cli/commands/service_explain.ts", "../../match/select.ts"],
    ["src/cli/prompt.ts", "@inquirer/prompts"],
    ["src/version.ts", "../deno.json"],
    ["main.ts", "./src/cli/main.ts"],
    ["tests/proxy/exchange_test.ts", "../../src/store/store.ts"],
  ];
  for (const [file, specifier] of table) {
    assert.deepEqual(
      faults(file, `import ${JSON.stringify(specifier)};`),
      [],
      `${file} ${specifier}`,
    );
  }
});

Deno.test("a file is placed by its absolute path too, as deno lint gives it", () => {
  const file = new URL("../../src/http1/x.ts", import.meta.url).pathname;
  assert.deepEqual(faults(file, 'import "../store/store.ts";'), [`broker/imports: ${FORBIDDEN}`]);
  assert.deepEqual(faults("/elsewhere/src/http1/x.ts", 'import "../store/store.ts";'), []);
});

Deno.test("the table names only units that it has, keeps the pure ones pure and has no cycle", () => {
  const done = new Set<string>();
  for (const [unit, layer] of Object.entries(LAYERS)) {
    for (const target of layer.imports) {
      assert.ok(done.has(target), `"${unit}" imports "${target}", which does not stand above it`);
      if (layer.pure) assert.ok(LAYERS[target]?.pure, `pure "${unit}" imports "${target}"`);
    }
    done.add(unit);
  }
});
