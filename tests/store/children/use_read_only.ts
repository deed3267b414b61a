/** Tries to open a home on a read-only file system and prints the error's code as JSON. */
import { BrokerError } from "../../../src/errors.ts";
import { Store } from "../../../src/store/store.ts";

const [existing = "", absent = ""] = Deno.args;
const codes: Record<string, string> = {};
const attempts = {
  inspect: () => Promise.resolve(Store.inspect(existing)),
  open: () => Store.open(existing),
  create: () => Store.create(absent),
};
for (const [name, attempt] of Object.entries(attempts)) {
  try {
    await attempt();
    codes[name] = "no error";
  } catch (error) {
    codes[name] = error instanceof BrokerError && error.hint ? error.code : String(error);
  }
}
console.log(JSON.stringify(codes));
