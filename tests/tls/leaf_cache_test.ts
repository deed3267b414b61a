import assert from "node:assert/strict";
import type { Leaf } from "../../src/tls/issuer.ts";
import { LeafCache, RENEW_BEFORE } from "../../src/tls/leaf_cache.ts";

const DAY = 86_400_000;

/** Issues numbered leaves that last seven days, and remembers for whom. */
class CountingIssuer {
  readonly issued: string[] = [];
  now = 0;
  failing = false;

  async issueLeaf(hostname: string): Promise<Leaf> {
    this.issued.push(hostname);
    const number = this.issued.length;
    await Promise.resolve();
    if (this.failing) throw new Error("no leaf");
    return {
      certificatePem: `certificate ${number}`,
      privateKeyPem: `key ${number}`,
      expiresAt: this.now + 7 * DAY,
    };
  }
}

function cacheOf(issuer: CountingIssuer, capacity?: number): LeafCache {
  return new LeafCache(issuer, {
    now: () => issuer.now,
    ...(capacity === undefined ? {} : { capacity }),
  });
}

Deno.test("a failed issue is told to everyone who waited, and is not remembered", async () => {
  const issuer = new CountingIssuer();
  const cache = cacheOf(issuer);
  issuer.failing = true;
  const results = await Promise.allSettled([cache.get("a.example"), cache.get("a.example")]);
  assert.deepEqual(results.map(({ status }) => status), ["rejected", "rejected"]);
  issuer.failing = false;
  assert.equal((await cache.get("a.example")).certificatePem, "certificate 2");
});

Deno.test("callers at once share one issue, whatever the case of the name", async () => {
  const issuer = new CountingIssuer();
  const cache = cacheOf(issuer);
  const leaves = await Promise.all(
    ["a.example", "A.Example", "a.example"].map((hostname) => cache.get(hostname)),
  );
  assert.equal(new Set(leaves).size, 1);
  assert.deepEqual(issuer.issued, ["a.example"]);
});

Deno.test("a leaf is reused until it has a day left, then issued anew", async () => {
  const issuer = new CountingIssuer();
  const cache = cacheOf(issuer);
  const first = await cache.get("a.example");
  issuer.now = first.expiresAt - RENEW_BEFORE - 1;
  assert.equal(await cache.get("a.example"), first);
  issuer.now = first.expiresAt - RENEW_BEFORE;
  assert.equal(cache.isFresh(first), false);
  const [second, third] = await Promise.all([cache.get("a.example"), cache.get("a.example")]);
  assert.equal(second.certificatePem, "certificate 2");
  assert.equal(second, third);
});

Deno.test("the least recently used leaf leaves when the cache is full", async () => {
  const issuer = new CountingIssuer();
  const cache = cacheOf(issuer, 2);
  const a = await cache.get("a");
  await cache.get("b");
  assert.equal(await cache.get("a"), a);
  await cache.get("c");
  assert.equal(await cache.get("a"), a);
  assert.deepEqual(issuer.issued, ["a", "b", "c"]);
  await cache.get("b");
  assert.deepEqual(issuer.issued, ["a", "b", "c", "b"]);
});
