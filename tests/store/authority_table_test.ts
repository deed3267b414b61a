import assert from "node:assert/strict";
import { Store } from "../../src/store/store.ts";
import { secret, temporaryHome } from "./temporary_home.ts";

Deno.test("the first authority that is saved stays, and who comes later gets it", async () => {
  using home = temporaryHome();
  using one = await Store.create(home.path);
  using two = await Store.open(home.path);
  assert.equal(one.authority.load(), undefined);
  const first = { certificatePem: "first", privateKeyPkcs8Pem: secret("k1"), createdAt: 1 };
  const second = { certificatePem: "second", privateKeyPkcs8Pem: secret("k2"), createdAt: 2 };
  assert.equal(one.authority.save(first).certificatePem, "first");
  const kept = two.authority.save(second);
  assert.equal(kept.certificatePem, "first");
  assert.equal(kept.privateKeyPkcs8Pem.reveal(), "k1");
  assert.equal(kept.createdAt, 1);
  assert.equal(one.authority.load()!.privateKeyPkcs8Pem.reveal(), "k1");
});
