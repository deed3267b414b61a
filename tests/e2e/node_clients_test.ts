/**
 * Node's ways to make a request, and npm, as children of `vault run` with nothing set by hand. Node reads
 * the proxy variables itself from 22.21 and 24.5 on; axios does it in any version, undici with an agent.
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { installNpmPackage, npmPackageDirectory } from "../support/npm_package.ts";
import { runProcess } from "../support/run_process.ts";
import { temporaryDirectory } from "../support/temporary_directory.ts";
import { rawResponse, startUpstream } from "../support/upstream.ts";
import { TestHome } from "../cli/test_home.ts";
import { BrokeredHome, SECRET } from "./brokered_home.ts";

/** A Node of this machine; the variable names one that reads the proxy variables. */
const NODE = Deno.env.get("BROKER_TEST_NODE") ?? "node";
const VERSION = await nodeVersion();
const isThere = VERSION !== undefined && Deno.build.os !== "windows";
const readsProxyVariables = isThere && hasProxyVariables(VERSION);

async function nodeVersion(): Promise<string | undefined> {
  try {
    const { code, stdout } = await runProcess(NODE, ["--version"]);
    return code === 0 ? stdout.trim() : undefined;
  } catch {
    return undefined;
  }
}

function hasProxyVariables(version: string): boolean {
  const [, major = 0, minor = 0] = /^v(\d+)\.(\d+)/.exec(version)?.map(Number) ?? [];
  return (major === 22 && minor >= 21) || (major === 24 && minor >= 5) || major > 24;
}

const CASES: readonly (readonly [
  name: string,
  isPossible: boolean,
  script: (url: string) => string | Promise<string>,
])[] = [
  ["fetch", readsProxyVariables, (url) => `
    fetch("${url}/x").then((answer) => answer.text()).then(console.log);`],
  ["https.get", readsProxyVariables, (url) => `
    require("node:https").get("${url}/x", (answer) => answer.pipe(process.stdout));`],
  ["https.request with an agent of its own", readsProxyVariables, (url) => `
    const https = require("node:https");
    const agent = new https.Agent({ keepAlive: true, proxyEnv: process.env });
    https.request("${url}/x", { agent, method: "POST" }, (answer) => {
      answer.on("end", () => agent.destroy()).pipe(process.stdout);
    }).end("a=b");`],
  ["axios", isThere, (url) => `
    require("axios").get("${url}/x").then(({ data }) => console.log(data));`],
  ["axios with a body", isThere, (url) => `
    require("axios").post("${url}/x", { a: 1 }).then(({ data }) => console.log(data));`],
  ["undici", isThere, async (url) => `
    const { EnvHttpProxyAgent, request } = require("${await npmPackageDirectory("undici")}");
    request("${url}/x", { dispatcher: new EnvHttpProxyAgent() })
      .then(({ body }) => body.text()).then(console.log);`],
];

for (const [name, isPossible, script] of CASES) {
  Deno.test({
    name: `Node's ${name} calls the real URL and the credential is added on the way`,
    ignore: !isPossible,
    async fn() {
      await using scene = new BrokeredHome();
      await using directory = await temporaryDirectory();
      await scene.prepare();
      if (name.startsWith("axios")) await installNpmPackage("axios", directory.path);
      const file = directory.join("script.cjs");
      await Deno.writeTextFile(file, `console.log(process.env);${await script(scene.url)}`);
      const { status, stdout, stderr } = await scene.run([NODE, file]);
      assert.equal(status, 0, stderr);
      assert.match(stdout, /\bok\b/);
      const [request] = scene.upstream.requests;
      assert.deepEqual(request?.values("authorization"), [`Bearer ${SECRET}`], stderr);
      assert.deepEqual(request?.values("proxy-authorization"), []);
      assert.ok(!(stdout + stderr).includes(SECRET));
      assert.match(stdout, /__api_key__/);
    },
  });
}

Deno.test({
  // A company's proxy opens TLS: without its root in Node's store every unmatched host was lost.
  name:
    "Node still trusts the roots of the user's NODE_EXTRA_CA_CERTS where nothing is intercepted",
  ignore: !isThere,
  async fn() {
    await using scene = new BrokeredHome();
    const script = `
      const { EnvHttpProxyAgent, request } = require("${await npmPackageDirectory("undici")}");
      request("${scene.url}/x", { dispatcher: new EnvHttpProxyAgent() })
        .then(({ body }) => body.text()).then(console.log);`;
    const { BROKER_UPSTREAM_CA: roots, ...rest } = scene.env;
    const { status, stdout, stderr } = await scene.home.broker(
      ["vault", "run", "--quiet", "--", NODE, "-e", script],
      { env: { ...rest, NODE_EXTRA_CA_CERTS: roots! } },
    );
    assert.equal(status, 0, stderr);
    assert.equal(stdout, "ok\n");
    assert.equal(scene.upstream.requests.length, 1);
  },
});

Deno.test({
  name:
    "Node's http.get sends plain http through the proxy, and the credential is added on the way",
  ignore: !readsProxyVariables,
  async fn() {
    using home = new TestHome();
    await using upstream = startUpstream();
    const host = `plain.test:${upstream.port}`;
    await home.done(["vault", "credential", "set", "API_KEY"], { stdin: SECRET });
    const service = ["--name", "plain", "--host", host, "--token-key", "API_KEY"];
    await home.done(["vault", "service", "add", ...service]);
    const script = `console.log(process.env);
      require("node:http").get("http://${host}/x", (answer) => answer.pipe(process.stdout));`;
    const { status, stdout, stderr } = await home.broker(
      ["vault", "run", "--quiet", "--", NODE, "-e", script],
      { env: { BROKER_RESOLVE: "plain.test=127.0.0.1", BROKER_NETWORK_ALLOW: "127.0.0.0/8" } },
    );
    assert.equal(status, 0, stderr);
    assert.match(stdout, /\bok\b/);
    assert.deepEqual(upstream.requests[0]?.values("authorization"), [`Bearer ${SECRET}`]);
    assert.ok(!(stdout + stderr).includes(SECRET));
  },
});

/** A registry with one package that writes what it was asked for. */
async function registry(directory: string) {
  await Deno.mkdir(`${directory}/package`);
  await Deno.writeTextFile(
    `${directory}/package/package.json`,
    '{"name": "private-thing", "version": "1.0.0", "main": "main.js"}',
  );
  await Deno.writeTextFile(`${directory}/package/main.js`, "module.exports = 'installed';\n");
  const tar = await runProcess("tar", ["-czf", "thing.tgz", "package"], { cwd: directory });
  assert.equal(tar.code, 0, tar.stderr);
  const tarball = await Deno.readFile(`${directory}/thing.tgz`);
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  return (base: string, path: string): string | Uint8Array => {
    if (path.endsWith(".tgz")) return tarball;
    const dist = { tarball: `${base}/private-thing/-/private-thing-1.0.0.tgz`, integrity };
    return JSON.stringify({
      name: "private-thing",
      "dist-tags": { latest: "1.0.0" },
      versions: { "1.0.0": { name: "private-thing", version: "1.0.0", main: "main.js", dist } },
    });
  };
}

Deno.test({
  name: "npm installs from a registry that wants a token which npm does not have",
  ignore: !isThere,
  async fn() {
    await using directory = await temporaryDirectory();
    const answer = await registry(directory.path);
    await using scene = new BrokeredHome((request) => {
      const isKnown = request.values("authorization").join() === `Bearer ${SECRET}`;
      const path = request.startLine.split(" ")[1] ?? "";
      return isKnown
        ? rawResponse(answer(`https://${request.values("host")[0]}`, path))
        : rawResponse("{}", { status: "401 Unauthorized" });
    });
    await scene.prepare();
    const project = directory.join("project");
    await Deno.mkdir(project);
    await Deno.writeTextFile(`${project}/package.json`, "{}");
    const { status, stdout, stderr } = await scene.run([
      "sh",
      "-c",
      `cd '${project}' && env && npm install --registry ${scene.url}/ --cache '${project}/cache' \\
         --no-audit --no-fund private-thing && node -p 'require("private-thing")'`,
    ]);
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /^installed$/m);
    const wanted = scene.upstream.requests.filter(({ startLine }) =>
      /private-thing/.test(startLine)
    );
    assert.equal(wanted.length, 2);
    assert.ok(!(stdout + stderr).includes(SECRET));
    assert.ok(!(await Deno.readTextFile(`${project}/package-lock.json`)).includes(SECRET));
  },
});
