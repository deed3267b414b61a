/** Python's ways to make a request, and pip, as children of `vault run` with nothing set by hand. */

import assert from "node:assert/strict";
import { runProcess } from "../support/run_process.ts";
import { temporaryDirectory } from "../support/temporary_directory.ts";
import { rawResponse } from "../support/upstream.ts";
import { BrokeredHome, SECRET } from "./brokered_home.ts";

/** The system's own, which sees the packages that the system installed. */
const PYTHON = "/usr/bin/python3";

const CASES: readonly (readonly [module: string, script: (url: string) => string])[] = [
  ["aiohttp", (url) => `
import asyncio, aiohttp
async def main():
    # The documented way to have the proxy variables heeded.
    async with aiohttp.ClientSession(trust_env=True) as session:
        async with session.get("${url}/x") as answer:
            print(await answer.text())
asyncio.run(main())`],
  ["urllib3", (url) => `
import urllib3, urllib.request
proxy = urllib3.util.parse_url(urllib.request.getproxies()["https"])
# urllib3 reads no variables; this is what its documentation has people write.
manager = urllib3.ProxyManager(str(proxy), ca_certs=os.environ["SSL_CERT_FILE"],
    proxy_headers=urllib3.make_headers(proxy_basic_auth=proxy.auth))
print(manager.request("GET", "${url}/x").data.decode())`],
  ["requests", (url) => `
import requests
session = requests.Session()
for _ in range(2):
    print(session.post("${url}/x", json={"a": 1}, timeout=30).text)`],
  ["httpx", (url) => `
import asyncio, httpx
async def main():
    async with httpx.AsyncClient() as client:
        answers = await asyncio.gather(*(client.get("${url}/x") for _ in range(4)))
        print([answer.text for answer in answers])
asyncio.run(main())`],
];

async function has(module: string): Promise<boolean> {
  if (Deno.build.os === "windows") return false;
  try {
    return (await runProcess(PYTHON, ["-c", `import ${module}`])).code === 0;
  } catch {
    return false;
  }
}

for (const [module, script] of CASES) {
  Deno.test({
    name: `Python's ${module} calls the real URL and the credential is added on the way`,
    ignore: !await has(module),
    async fn() {
      await using scene = new BrokeredHome();
      await scene.prepare();
      const program = `import os; print(dict(os.environ))${script(scene.url)}`;
      const { status, stdout, stderr } = await scene.run([PYTHON, "-c", program]);
      assert.equal(status, 0, stderr);
      assert.match(stdout, /\bok\b/);
      assert.ok(scene.upstream.requests.length > 0);
      for (const request of scene.upstream.requests) {
        assert.deepEqual(request.values("authorization"), [`Bearer ${SECRET}`]);
        assert.deepEqual(request.values("proxy-authorization"), []);
      }
      assert.ok(!(stdout + stderr).includes(SECRET));
      assert.match(stdout, /__api_key__/);
    },
  });
}

/** A wheel with one module, which Python's own zip writer makes. */
async function makeWheel(path: string): Promise<void> {
  const script = `
import sys, zipfile
info = "private_thing-1.0.0.dist-info"
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("private_thing.py", "WORD = 'installed'\\n")
    wheel.writestr(info + "/METADATA", "Metadata-Version: 2.1\\nName: private-thing\\nVersion: 1.0.0\\n")
    wheel.writestr(info + "/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "/RECORD", "private_thing.py,,\\n%s/METADATA,,\\n%s/WHEEL,,\\n%s/RECORD,,\\n" % (info, info, info))
`;
  const { code, stderr } = await runProcess(PYTHON, ["-c", script, path]);
  assert.equal(code, 0, stderr);
}

Deno.test({
  name: "pip installs from an index that wants a password which pip does not have",
  ignore: !await has("pip"),
  async fn() {
    await using directory = await temporaryDirectory();
    const wheel = directory.join("private_thing-1.0.0-py3-none-any.whl");
    await makeWheel(wheel);
    const bytes = await Deno.readFile(wheel);
    const wanted = `Basic ${btoa(`x-access-token:${SECRET}`)}`;
    await using scene = new BrokeredHome((request) => {
      if (request.values("authorization").join() !== wanted) {
        return rawResponse("", { status: "401 Unauthorized" });
      }
      const path = request.startLine.split(" ")[1] ?? "";
      if (path.endsWith(".whl")) return rawResponse(bytes);
      return rawResponse(
        '<!DOCTYPE html><a href="/files/private_thing-1.0.0-py3-none-any.whl">thing</a>',
        { fields: ["Content-Type: text/html"] },
      );
    });
    await scene.prepare("type: basic, username: GIT_USER, password: API_KEY");
    const target = directory.join("target");
    const { status, stdout, stderr } = await scene.run([
      "sh",
      "-c",
      `env; ${PYTHON} -m pip install --disable-pip-version-check --no-cache-dir --no-input \\
         --index-url ${scene.url}/simple --target '${target}' private-thing &&
       PYTHONPATH='${target}' ${PYTHON} -c 'import private_thing; print(private_thing.WORD)'`,
    ]);
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /^installed$/m);
    assert.equal(scene.upstream.requests.length, 2);
    assert.ok(!(stdout + stderr).includes(SECRET));
  },
});
