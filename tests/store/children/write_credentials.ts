/** Stores credentials one after the other and prints each key once it is confirmed. */
import { Secret } from "../../../src/model/secret.ts";
import { Store } from "../../../src/store/store.ts";

const [directory = "", prefix = "", count = "0"] = Deno.args;
const store = await Store.create(directory);
for (let number = 1; number <= Number(count); number++) {
  const key = `${prefix}_${number}`;
  store.credentials.set("default", [{ key, value: new Secret(`value of ${key}`) }]);
  store.services.upsert("default", [{
    name: key.toLowerCase().replaceAll("_", "-"),
    host: "api.example.com",
    enabled: true,
    auth: { type: "bearer", token: key },
    substitutions: [],
  }]);
  console.log(key);
}
store.close();
