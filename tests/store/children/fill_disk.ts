/** Stores credentials until the disk is full, then prints what happened as JSON. */
import { BrokerError } from "../../../src/errors.ts";
import { Secret } from "../../../src/model/secret.ts";
import { Store } from "../../../src/store/store.ts";

const [directory = ""] = Deno.args;
const store = await Store.create(directory);
const value = new Secret("v".repeat(16_000));
let confirmed = 0;
let failure: unknown;
try {
  for (; confirmed < 10_000; confirmed++) {
    store.credentials.set("default", [{ key: `KEY_${confirmed}`, value }]);
  }
} catch (error) {
  failure = error;
}
const readable = store.credentials.keys("default")
  .filter((key) => store.credentials.get("default", key).reveal() === value.reveal()).length;
store.close();
const again = await Store.open(directory);
const kept = again.credentials.keys("default").length;
again.close();
console.log(JSON.stringify({
  code: failure instanceof BrokerError ? failure.code : String(failure),
  hint: failure instanceof BrokerError ? failure.hint : undefined,
  confirmed,
  readable,
  kept,
}));
