/**
 * Real programs as children of `vault run`, with nothing set by hand: the credential is proven at the
 * upstream and absent in everything that the child printed, its environment included.
 */

import assert from "node:assert/strict";
import { BrokeredHome, SECRET } from "./brokered_home.ts";

const PYTHON = "/usr/bin/python3";
const DUMP_ENVIRONMENT = "import os; print(dict(os.environ))";

const CLIENTS: readonly [name: string, command: (url: string) => string[]][] = [
  ["curl", (url) => ["sh", "-c", `env; curl -sS --fail ${url}/x`]],
  ["curl with HTTP/1.0", (url) => ["sh", "-c", `env; curl -sS --fail --http1.0 ${url}/x`]],
  ["curl that sends a body", (url) => ["sh", "-c", `env; curl -sS --fail -d a=b ${url}/x`]],
  [
    "curl that asks before it sends",
    (url) => ["sh", "-c", `env; curl -sS --fail -H "Expect: 100-continue" -d a=b ${url}/x`],
  ],
  ["Deno's fetch", (url) => [
    Deno.execPath(),
    "eval",
    `console.log(Deno.env.toObject()); console.log(await (await fetch("${url}/x")).text())`,
  ]],
  ["Python's urllib", (url) => [
    PYTHON,
    "-c",
    `${DUMP_ENVIRONMENT}; import urllib.request as u; print(u.urlopen("${url}/x").read())`,
  ]],
  ["Python's requests", (url) => [
    PYTHON,
    "-c",
    `${DUMP_ENVIRONMENT}; import requests; print(requests.get("${url}/x").text)`,
  ]],
  ["Python's httpx", (url) => [
    PYTHON,
    "-c",
    `${DUMP_ENVIRONMENT}; import httpx; print(httpx.get("${url}/x").text)`,
  ]],
];

for (const [name, command] of CLIENTS) {
  Deno.test(`${name} calls the real URL as a child and the credential is added on the way`, async () => {
    await using scene = new BrokeredHome();
    await scene.prepare();
    const { status, stdout, stderr } = await scene.run(command(scene.url));
    assert.equal(status, 0, stderr);
    assert.ok(stdout.includes("ok"), "the upstream's answer came back");
    assert.ok(scene.upstream.requests.length > 0, scene.upstream.faults.join());
    for (const request of scene.upstream.requests) {
      assert.deepEqual(request.values("authorization"), [`Bearer ${SECRET}`]);
      assert.deepEqual(request.values("proxy-authorization"), []);
    }
    assert.ok(!(stdout + stderr).includes(SECRET));
    assert.ok(stdout.includes("__api_key__"), "the placeholder is in its environment");
  });
}

Deno.test("openssl verifies the intercepted chain strictly through the proxy", async () => {
  await using scene = new BrokeredHome();
  await scene.prepare();
  const target = `api.test:${scene.upstream.port}`;
  const { status, stdout, stderr } = await scene.run([
    "sh",
    "-c",
    `proxy=\${HTTPS_PROXY##*@}; user=\${HTTPS_PROXY#http://}; user=\${user%%:*}
     export PASS=\${HTTPS_PROXY#http://*:}; PASS=\${PASS%%@*}
     printf 'GET /x HTTP/1.1\\r\\nHost: api.test\\r\\nConnection: close\\r\\n\\r\\n' |
     openssl s_client -quiet -proxy "$proxy" -proxy_user "$user" -proxy_pass env:PASS \\
       -connect ${target} -servername api.test -verify_hostname api.test \\
       -verify_return_error -x509_strict -CAfile "$SSL_CERT_FILE"`,
  ]);
  assert.ok(stdout.includes("HTTP/1.1 200"), `${status} ${stdout} ${stderr}`);
  assert.deepEqual(scene.upstream.requests[0]!.values("authorization"), [`Bearer ${SECRET}`]);
});

Deno.test("git answers the broker's challenge and clones with the stored user and key", async () => {
  const refs = "001e# service=git-upload-pack\n0000" +
    "0055" + "0".repeat(40) + " capabilities^{}\0 agent=test object-format=sha1 symref\n0000";
  await using scene = new BrokeredHome(() =>
    `HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\n` +
    `Content-Length: ${refs.length}\r\n\r\n${refs}`
  );
  await scene.prepare("type: basic, username: GIT_USER, password: API_KEY");
  const { status, stderr } = await scene.run(
    ["git", "-c", "http.proxyAuthMethod=anyauth", "ls-remote", `${scene.url}/a/b.git`],
  );
  const [request] = scene.upstream.requests;
  assert.deepEqual(request?.values("authorization"), [
    `Basic ${btoa(`x-access-token:${SECRET}`)}`,
  ], `${status} ${stderr}`);
  assert.ok(request!.startLine.startsWith("GET /a/b.git/info/refs?service=git-upload-pack "));
  assert.ok(!stderr.includes(SECRET));
});
