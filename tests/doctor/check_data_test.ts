import assert from "node:assert/strict";
import { checkData } from "../../src/doctor/check_data.ts";
import { Secret } from "../../src/model/secret.ts";
import { TestHome } from "../cli/test_home.ts";

const CANARY = "canary-doctor-value";

async function findings(home: string, passphrase?: string) {
  const { findings, serviceHostnames } = await checkData({
    home,
    passphrase: passphrase === undefined ? undefined : new Secret(passphrase),
    now: Date.now(),
  });
  assert.ok(!JSON.stringify(findings).includes(CANARY));
  const byName = new Map(findings.map((finding) => [finding.name, finding]));
  return { byName, serviceHostnames };
}

Deno.test("a directory that is not there is a note, and is not created", async () => {
  using home = new TestHome();
  const { byName } = await findings(home.directory);
  assert.deepEqual([...byName.keys()], ["directory"]);
  assert.equal(byName.get("directory")?.remedy, "broker init");
  assert.throws(() => Deno.statSync(home.directory), Deno.errors.NotFound);
});

Deno.test("a sound directory has its CA, its vaults and the credentials that they lack told", async () => {
  using home = new TestHome();
  await home.done(["vault", "credential", "set", "KNOWN"], { stdin: CANARY });
  for (const [name, key] of [["one-1", "KNOWN"], ["two-2", "LACKING"]] as const) {
    await home.done([
      ...["vault", "service", "add", "--name", name],
      ...["--host", `${name}.test/v1/*`, "--token-key", key],
    ]);
  }
  const { byName, serviceHostnames } = await findings(home.directory);
  for (const name of ["directory", "permissions", "disk", "authority"]) {
    assert.equal(byName.get(name)?.state, "ok", name);
  }
  assert.match(byName.get("vault default")?.text ?? "", /^2 services; not in the vault: LACKING$/);
  assert.match(byName.get("vault default")?.remedy ?? "", /credential set --vault default LACKING/);
  assert.deepEqual(serviceHostnames, ["one-1.test", "two-2.test"]);
});

Deno.test({
  name: "a directory and files that others may use are a fault with the command that closes them",
  ignore: Deno.build.os === "windows",
  async fn() {
    using home = new TestHome();
    await home.done(["init"]);
    Deno.chmodSync(home.directory, 0o755);
    Deno.chmodSync(`${home.directory}/key`, 0o644);
    const { byName } = await findings(home.directory);
    const found = byName.get("permissions");
    assert.equal(found?.state, "fault");
    assert.equal(found?.remedy, `chmod go= ${home.directory} ${home.directory}/key`);
  },
});

Deno.test("a directory with a passphrase is opened with the right one, and never asked about", async () => {
  using home = new TestHome();
  await home.done(["init"], { env: { BROKER_PASSPHRASE: "correct horse" } });
  const closed = await findings(home.directory);
  assert.equal(closed.byName.get("contents")?.state, "note");
  const wrong = await findings(home.directory, "staple");
  assert.equal(wrong.byName.get("contents")?.state, "fault");
  const open = await findings(home.directory, "correct horse");
  assert.equal(open.byName.get("vault default")?.state, "ok");
});

Deno.test("a database that is none is a fault with a way out", async () => {
  using home = new TestHome();
  await home.done(["init"]);
  Deno.writeTextFileSync(
    `${home.directory}/broker.db`,
    "not a database, but long enough to be read",
  );
  const { byName } = await findings(home.directory);
  const [found] = byName.values();
  assert.equal(found?.state, "fault");
  assert.ok(found?.remedy);
});
