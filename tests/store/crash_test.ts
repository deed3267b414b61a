import assert from "node:assert/strict";
import { readKeyFile } from "../../src/store/key_file.ts";
import { Store } from "../../src/store/store.ts";
import { LOW_COST, readLines, secret, startChild, temporaryHome } from "./temporary_home.ts";

/** Kills a child after it has printed so many lines; returns all that it confirmed. */
async function killAfter(child: Deno.ChildProcess, lines: number): Promise<string[]> {
  const confirmed: string[] = [];
  for await (const line of readLines(child)) {
    confirmed.push(line);
    if (confirmed.length === lines) child.kill("SIGKILL");
  }
  await child.status;
  return confirmed;
}

for (const lines of [1, 2, 7, 40, 150]) {
  Deno.test(`kill -9 after ${lines} confirmed writes loses none of them`, async () => {
    using home = temporaryHome();
    const child = startChild("write_credentials", [home.path, "KEY", "100000"]);
    const confirmed = await killAfter(child, lines);
    assert.ok(confirmed.length >= lines);
    using store = await Store.open(home.path);
    const names = new Set(store.services.list("default").map((service) => service.name));
    for (const key of confirmed) {
      assert.equal(store.credentials.get("default", key).reveal(), `value of ${key}`);
      assert.ok(names.has(key.toLowerCase().replaceAll("_", "-")), key);
    }
  });
}

Deno.test("kill -9 at any step of set, change and remove leaves a home that opens", async () => {
  const passphrases = [undefined, "first passphrase", "second passphrase"];
  for (let lines = 1; lines <= 12; lines++) {
    using home = temporaryHome();
    await killAfter(startChild("change_protection", [home.path, "100000"]), lines);
    const { protection } = inspect(home.path);
    const opened: string[] = [];
    for (const text of passphrases) {
      try {
        const options = text === undefined ? {} : { passphrase: secret(text) };
        (await Store.open(home.path, { ...options, scryptCost: LOW_COST })).close();
        opened.push(text ?? "key file");
      } catch {
        // Two of the three must fail, or all three would be the same to the home.
      }
    }
    if (protection === "key_file") assert.deepEqual(opened, ["key file", ...passphrases.slice(1)]);
    else assert.equal(opened.length, 1, `after ${lines} steps: ${opened}`);
    const key = readKeyFile(`${home.path}/key`).kind;
    assert.equal(key, protection === "key_file" ? "key" : "missing", `after ${lines} steps`);
  }
});

Deno.test("kill -9 during the first use leaves a directory in which the next use works", async () => {
  for (let round = 0; round < 12; round++) {
    using home = temporaryHome();
    const child = startChild("write_credentials", [home.path, "KEY", "1"]);
    const lines = child.stdout.text();
    // Rounds die before, within and after the creation; which is which does not matter.
    await new Promise((resolve) => setTimeout(resolve, 15 + 4 * round));
    try {
      child.kill("SIGKILL");
    } catch {
      // It was done already.
    }
    await child.status;
    using store = await Store.create(home.path);
    if ((await lines).includes("KEY_1")) {
      assert.equal(store.credentials.get("default", "KEY_1").reveal(), "value of KEY_1");
    }
    store.credentials.set("default", [{ key: "NEXT", value: secret("next") }]);
    assert.equal(store.vaults.selected(), "default");
  }
});

function inspect(path: string): { protection: string } {
  const state = Store.inspect(path);
  assert.ok(state.kind === "present");
  return state;
}
