/** Sets, changes and removes the passphrase over and over, and prints each step once it is confirmed. */
import { Secret } from "../../../src/model/secret.ts";
import { Store } from "../../../src/store/store.ts";
import { LOW_COST } from "../temporary_home.ts";

const [directory = "", rounds = "0"] = Deno.args;
const first = new Secret("first passphrase");
const second = new Secret("second passphrase");
const store = await Store.create(directory, { scryptCost: LOW_COST });
for (let round = 0; round < Number(rounds); round++) {
  await store.setPassphrase(first);
  console.log("set");
  await store.changePassphrase(first, second);
  console.log("changed");
  await store.removePassphrase(second);
  console.log("removed");
}
store.close();
