import assert from "node:assert/strict";
import { runProcess } from "../support/run_process.ts";
import { BrokeredHome } from "../e2e/brokered_home.ts";
import { TestHome } from "./test_home.ts";

const ignore = Deno.build.os === "windows";

Deno.test({
  name: "doctor tries the tools of this machine, creates no data directory, and tells no token",
  ignore,
  async fn() {
    using home = new TestHome();
    const { status, stdout, stderr } = await home.broker(["doctor", "--json"]);
    const report = JSON.parse(stdout);
    assert.equal(status, report.ok ? 0 : 1, stderr);
    const states = new Map<string, string>(
      report.tools.map(({ name, state }: { name: string; state: string }) => [name, state]),
    );
    for (const name of ["curl", "git", "python urllib"]) {
      assert.equal(states.get(name), "works", name);
    }
    const failing = [...states.values()].filter((state) => state === "fails");
    assert.equal(report.ok, failing.length === 0);
    assert.throws(() => Deno.statSync(home.directory), Deno.errors.NotFound);
    assert.ok(!/brk_sess_/.test(home.printed), home.printed);
  },
});

Deno.test({
  name: "doctor's table names what works, what to do, and what was not found",
  ignore,
  async fn() {
    using home = new TestHome();
    const bin = home.file(
      "curl",
      "#!/bin/sh\necho 'curl: (60) SSL certificate problem' >&2\nexit 60\n",
    );
    Deno.chmodSync(bin, 0o755);
    const path = bin.replace(/\/curl$/, "");
    const { status, stdout } = await home.broker(["doctor"], { env: { PATH: path } });
    assert.equal(status, 1);
    assert.match(
      stdout,
      /^curl +fails: curl: \(60\) SSL certificate problem\n +-> look for proxy/m,
    );
    assert.match(stdout, /^not found: wget, git, /m);
  },
});

/** Whether a program of the machine can be started. */
async function has(program: string, question = "--version"): Promise<boolean> {
  try {
    return (await runProcess(program, [question])).code === 0;
  } catch {
    return false;
  }
}

Deno.test({
  name: "ca java writes a trust store that OpenSSL reads, with every root of the bundle",
  ignore: ignore || !await has("openssl", "version"),
  async fn() {
    using home = new TestHome();
    await home.done(["init"]);
    const { stdout } = await home.done(["ca", "java"]);
    const path = /^export JAVA_TOOL_OPTIONS='-Djavax\.net\.ssl\.trustStore=(\S+) /.exec(stdout)
      ?.[1];
    assert.ok(path, stdout);
    assert.doesNotMatch(stdout, /proxyHost/);
    const args = ["pkcs12", "-in", path, "-nokeys", "-passin"];
    const { code, stdout: text, stderr } = await runProcess("openssl", [...args, "pass:changeit"]);
    assert.equal(code, 0, stderr);
    const bundle = (await home.done(["ca", "bundle"])).stdout.trim();
    const count = (pem: string) => pem.split("-----BEGIN CERTIFICATE-----").length - 1;
    assert.equal(count(text), count(await Deno.readTextFile(bundle)));
    assert.notEqual((await runProcess("openssl", [...args, "pass:wrong"])).code, 0);
  },
});

Deno.test({
  name: "a JVM that is told by ca java trusts the broker and reaches it",
  ignore: ignore || !await has("javac"),
  async fn() {
    await using scene = new BrokeredHome();
    await scene.prepare();
    const file = scene.home.file(
      "Main.java",
      `import java.net.*;
public class Main {
  public static void main(String[] args) throws Exception {
    Authenticator.setDefault(new Authenticator() {
      protected PasswordAuthentication getPasswordAuthentication() {
        return new PasswordAuthentication(System.getProperty("http.proxyUser"),
          System.getProperty("http.proxyPassword").toCharArray());
      }
    });
    var connection = new URL(args[0]).openConnection();
    System.out.println(new String(connection.getInputStream().readAllBytes()));
  }
}
`,
    );
    const broker = scene.home.command(["ca", "java"]).join(" ");
    const line = `eval "$(${broker})" && exec java '${file}' ${scene.url}/x`;
    const { status, stdout, stderr } = await scene.run(["sh", "-c", line]);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^ok$/m);
  },
});
