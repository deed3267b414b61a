/** Opens a home, writes something, and waits with the home open until it is killed. */
import { Secret } from "../../../src/model/secret.ts";
import { Store } from "../../../src/store/store.ts";
import { LOW_COST } from "../temporary_home.ts";

const [directory = "", passphrase = ""] = Deno.args;
const store = await Store.create(directory, {
  passphrase: new Secret(passphrase),
  scryptCost: LOW_COST,
});
store.credentials.set("default", [{ key: "HELD", value: new Secret("held value") }]);
console.log("ready");
setInterval(() => store.revision(), 1000);
