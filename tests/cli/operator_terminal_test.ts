import assert from "node:assert/strict";
import { TestHome } from "./test_home.ts";

/** A pseudo-terminal is driven by Python's pty module, which Windows does not have. */
const ignore = Deno.build.os === "windows" || !hasPython();

const PAGES = /broker: approvals and traffic: http:\/\/127\.0\.0\.1:\d+\/ \((.*?)\)/;
const CODE = /^sign-in code [0-9A-Z]{5}-[0-9A-Z]{5}$/;

function hasPython(): boolean {
  try {
    return new Deno.Command("python3", { args: ["-c", "import pty"] }).outputSync().success;
  } catch {
    return false;
  }
}

Deno.test({
  name: "vault run shows where the pages are and a new code, before the child has the terminal",
  ignore,
  async fn() {
    using home = new TestHome();
    await home.done(["init"]);
    const codes = new Set<string>();
    for (let count = 0; count < 2; count++) {
      const { output, status } = await home.onTerminal(
        ["run", "--", "sh", "-c", "echo child-is-here; env"],
        { steps: [] },
      );
      assert.equal(status, 0);
      const [line, how] = PAGES.exec(output) ?? assert.fail(output);
      assert.match(how!, CODE);
      assert.ok(output.indexOf(line) < output.indexOf("child-is-here"));
      const code = how!.slice(-11);
      assert.equal(output.split(code).length, 2, "the child does not have it");
      codes.add(code);
    }
    assert.equal(codes.size, 2);
  },
});

Deno.test({
  name: "with a passphrase there is no code, and the line says what to sign in with",
  ignore,
  async fn() {
    using home = new TestHome();
    const env = { BROKER_PASSPHRASE: "horse" };
    await home.done(["init"], { env });
    const { output } = await home.onTerminal(["run", "--", "true"], { steps: [], env });
    assert.equal(PAGES.exec(output)?.[1], "sign in with the passphrase");
  },
});

Deno.test({
  name: "--quiet shows no code, and no code is made where nobody would see it",
  ignore,
  async fn() {
    using home = new TestHome();
    await home.done(["init"]);
    const quiet = await home.onTerminal(["run", "--quiet", "--", "true"], { steps: [] });
    assert.doesNotMatch(quiet.output, /broker|code/);
    const piped = await home.done(["run", "--", "true"]);
    assert.doesNotMatch(piped.stderr, /code/);
    const asked = await home.done(
      ["run", "--quiet", "--", "sh", "-c", "curl -sS -H Accept:text/html $BROKER_ADDR/"],
    );
    assert.match(asked.stdout, /Nobody can sign in here/);
  },
});

Deno.test({
  name: "somebody who types on a terminal sees the code there though standard error is a file",
  ignore,
  async fn() {
    using home = new TestHome();
    await home.done(["init"]);
    const inner = home.command(["run", "--", "true"]).map((word) => `'${word}'`).join(" ");
    const { output, status } = await home.onTerminal(
      ["run", "--quiet", "--", "sh", "-c", `unset BROKER_TOKEN; ${inner} 2>/dev/null`],
      { steps: [] },
    );
    assert.equal(status, 0, output);
    assert.match(PAGES.exec(output)?.[1] ?? output, CODE);
  },
});
