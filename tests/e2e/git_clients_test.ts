/**
 * git over HTTPS against its own server program, as a child of `vault run`: the server wants a user and
 * a password, which git does not have.
 */

import assert from "node:assert/strict";
import { runProcess } from "../support/run_process.ts";
import { temporaryDirectory } from "../support/temporary_directory.ts";
import type { RawMessage } from "../support/raw_message.ts";
import { rawResponse } from "../support/upstream.ts";
import { BrokeredHome, SECRET } from "./brokered_home.ts";

const WANTED = `Basic ${btoa(`x-access-token:${SECRET}`)}`;
const ignore = !await hasGitServer();

async function hasGitServer(): Promise<boolean> {
  if (Deno.build.os === "windows") return false;
  try {
    const { stdout } = await runProcess("git", ["--exec-path"]);
    return (await Deno.stat(`${stdout.trim()}/git-http-backend`)).isFile;
  } catch {
    return false;
  }
}

/** Answers as a CGI server does that has `git http-backend` below a repository's directory. */
async function serveGit(root: string, request: RawMessage): Promise<Uint8Array> {
  if (request.values("authorization").join() !== WANTED) {
    return rawResponse("", {
      status: "401 Unauthorized",
      fields: ['WWW-Authenticate: Basic realm="git"'],
    });
  }
  const [method = "", target = ""] = request.startLine.split(" ");
  const [path = "", query = ""] = target.split("?");
  const child = new Deno.Command("git", {
    args: ["http-backend"],
    env: {
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      REMOTE_USER: "x-access-token",
      REQUEST_METHOD: method,
      PATH_INFO: path,
      QUERY_STRING: query,
      CONTENT_TYPE: request.values("content-type").join(),
      CONTENT_LENGTH: `${request.body.length}`,
      HTTP_CONTENT_ENCODING: request.values("content-encoding").join(),
      GIT_PROTOCOL: request.values("git-protocol").join(),
    },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new Uint8Array(request.body)).catch(() => {});
  await writer.close().catch(() => {});
  const { stdout } = await child.output();
  const end = headEnd(stdout);
  const lines = new TextDecoder().decode(stdout.subarray(0, end)).trimEnd().split(/\r?\n/);
  const status = lines.find((line) => line.startsWith("Status: "))?.slice("Status: ".length);
  return rawResponse(stdout.subarray(end), {
    status: status ?? "200 OK",
    fields: lines.filter((line) => !line.startsWith("Status: ")),
  });
}

function headEnd(bytes: Uint8Array): number {
  for (let i = 0; i + 3 < bytes.length; i++) {
    if (bytes[i] === 13 && bytes[i + 1] === 10 && bytes[i + 2] === 13 && bytes[i + 3] === 10) {
      return i + 4;
    }
  }
  return bytes.length;
}

/** A bare repository with one commit, and what git must not take from the user who runs the test. */
async function prepareRepository(root: string): Promise<Record<string, string>> {
  const env = {
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.test",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.test",
  };
  const steps = `git init -q --bare thing.git && git -C thing.git config http.receivepack true &&
    git clone -q thing.git first 2>/dev/null && cd first && echo one > file && git add file &&
    git commit -q -m one && git push -q origin HEAD:main && git -C ../thing.git symbolic-ref HEAD refs/heads/main`;
  const { code, stderr } = await runProcess("sh", ["-c", steps], { cwd: root, env });
  assert.equal(code, 0, stderr);
  return env;
}

async function last(root: string): Promise<string> {
  const { stdout } = await runProcess("git", [
    "-C",
    `${root}/thing.git`,
    "log",
    "-1",
    "--format=%s",
  ]);
  return stdout.trim();
}

/** Further settings of git, and what has to be seen on its way to the proxy. */
const WAYS: readonly (readonly [name: string, settings: string, seen: RegExp])[] = [
  ["as it is", "", /HTTP\/1\.1 200 Connection established/i],
  [
    "that asks the proxy how to authenticate first",
    "-c http.proxyAuthMethod=anyauth",
    /HTTP\/1\.1 407 [^]*Proxy-Authenticate: Basic realm="broker"[^]*HTTP\/1\.1 200 /i,
  ],
];

for (const [name, settings, seen] of WAYS) {
  Deno.test({
    name: `git ${name} clones and pushes with a password that it does not have`,
    ignore,
    async fn() {
      await using directory = await temporaryDirectory();
      const root = directory.path;
      const env = await prepareRepository(root);
      await using scene = new BrokeredHome((request) => serveGit(root, request));
      await scene.prepare("type: basic, username: GIT_USER, password: API_KEY");
      // Larger than what git sends in one piece, so that the pack is chunked.
      const script = `set -e; cd '${root}'; env
        git ${settings} clone -q ${scene.url}/thing.git second; cd second; cat file
        head -c 3000000 /dev/urandom > large; git add large; git commit -q -m two
        git ${settings} push -q origin HEAD:main; cat .git/config`;
      const { status, stdout, stderr } = await scene.run(["sh", "-c", script], {
        env: { ...env, GIT_CURL_VERBOSE: "1" },
      });
      assert.equal(status, 0, stderr.slice(-2000));
      assert.match(stdout, /^one$/m);
      assert.equal(await last(root), "two");
      assert.match(stderr, seen);
      for (const request of scene.upstream.requests) {
        assert.deepEqual(request.values("authorization"), [WANTED]);
        assert.deepEqual(request.values("proxy-authorization"), []);
      }
      const chunked = scene.upstream.requests.filter((request) =>
        request.values("transfer-encoding").join() === "chunked"
      );
      assert.ok(chunked.length > 0, "the push was chunked");
      assert.ok(!(stdout + stderr).includes(SECRET));
      assert.ok(!(stdout + stderr).includes(WANTED.slice("Basic ".length)));
    },
  });
}

Deno.test({
  name: "git without the service is refused by the server, and asks nobody",
  ignore,
  async fn() {
    await using directory = await temporaryDirectory();
    const env = await prepareRepository(directory.path);
    await using scene = new BrokeredHome((request) => serveGit(directory.path, request));
    await scene.prepare("type: passthrough");
    const clone = ["git", "clone", "-q", `${scene.url}/thing.git`, directory.join("second")];
    const { status, stderr } = await scene.run(clone, { env });
    assert.notEqual(status, 0);
    assert.match(stderr, /could not read Username|Authentication failed/);
  },
});
