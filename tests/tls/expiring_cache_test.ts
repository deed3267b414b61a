import assert from "node:assert/strict";
import fc from "fast-check";
import { ExpiringCache } from "../../src/tls/expiring_cache.ts";

interface Value {
  readonly key: string;
  fresh: boolean;
}

function cacheOf(capacity: number, gate: Promise<void> = Promise.resolve()) {
  const made: Value[] = [];
  const removed: Value[] = [];
  const cache = new ExpiringCache<Value>({
    capacity,
    create: async (key) => {
      await gate;
      const value = { key, fresh: true };
      made.push(value);
      return value;
    },
    isFresh: ({ fresh }) => fresh,
    onRemoved: (value) => removed.push(value),
  });
  return { cache, made, removed };
}

Deno.test("a value that is cleared while it is being made is removed once it is there", async () => {
  const gate = Promise.withResolvers<void>();
  const { cache, removed } = cacheOf(2, gate.promise);
  const pending = cache.get("a");
  cache.clear();
  assert.equal(cache.size, 0);
  gate.resolve();
  assert.deepEqual(removed, []);
  assert.equal((await pending).key, "a");
  assert.deepEqual(removed, [{ key: "a", fresh: true }]);
});

Deno.test("a stale value is removed once and replaced", async () => {
  const { cache, removed } = cacheOf(2);
  const first = await cache.get("a");
  first.fresh = false;
  const [second, third] = await Promise.all([cache.get("a"), cache.get("a")]);
  assert.notEqual(second, first);
  assert.equal(second, third);
  assert.deepEqual(removed, [first]);
});

Deno.test("values that are being made may exceed the capacity, and none of them is dropped", async () => {
  const gate = Promise.withResolvers<void>();
  const { cache, removed } = cacheOf(2, gate.promise);
  const pending = ["a", "b", "c", "d"].map((key) => cache.get(key));
  assert.equal(cache.size, 4);
  gate.resolve();
  await Promise.all(pending);
  assert.deepEqual(removed, []);
  await cache.get("e");
  assert.equal(cache.size, 2);
  assert.deepEqual(removed.map(({ key }) => key), ["a", "b", "c"]);
});

Deno.test("whatever is asked for, the size holds and every value leaves at most once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom("a", "b", "c", "d", "e")), async (keys) => {
      const { cache, made, removed } = cacheOf(3);
      for (const key of keys) {
        assert.equal((await cache.get(key)).key, key);
        assert.ok(cache.size <= 3);
      }
      assert.equal(made.length - removed.length, cache.size);
      assert.equal(new Set(removed).size, removed.length);
      cache.clear();
      assert.deepEqual(new Set(removed), new Set(made));
    }),
  );
});
