import assert from "node:assert/strict";
import { BrokerError } from "../../src/errors.ts";
import { createResolver, parseFixedNames } from "../../src/proxy/resolve.ts";

Deno.test("parseFixedNames() names every entry that is not NAME=ADDRESS", () => {
  assert.throws(
    () => parseFixedNames("a.test=127.0.0.1,b.test,=::1,c.test=localhost,d=1.2.3.4=5"),
    (error) => {
      assert.ok(error instanceof BrokerError);
      assert.equal(error.code, "validation_failed");
      for (const entry of ["b.test", "=::1", "c.test=localhost", "d=1.2.3.4=5"]) {
        assert.ok(error.message.includes(`"${entry}"`), entry);
      }
      assert.ok(!error.message.includes("a.test"));
      return true;
    },
  );
});

Deno.test("createResolver() answers fixed names in any case itself and asks the system for others", async () => {
  const fixed = parseFixedNames(" A.test=127.0.0.1, a.test=::1 ");
  const resolve = createResolver(fixed, (hostname) => Promise.resolve([`system ${hostname}`]));
  assert.deepEqual(await resolve("a.test"), ["127.0.0.1", "::1"]);
  assert.deepEqual(await resolve("b.test"), ["system b.test"]);
});
