import assert from "node:assert/strict";
import { Secret } from "../../src/model/secret.ts";
import type { Substitution, Surface } from "../../src/model/service.ts";
import { compileSubstitutions } from "../../src/substitute/compile.ts";
import {
  applyMask,
  maskingKeyAt,
  serializeTextFrame,
} from "../../src/substitute/websocket_frame.ts";
import { compiled, compiledWith, SURFACES } from "./compiled.ts";
import { bytesOf, joined, textOf } from "./support.ts";

type Compiled = ReturnType<typeof compiled>;

/** A request that carries the text on every surface; gives the text of each after substitution. */
function substituteEverywhere(substitutions: Compiled, text: string): Record<Surface, string> {
  const headers = substitutions.header?.([["X-Text", text]], new Set()) ?? [["X-Text", text]];
  assert(Array.isArray(headers));
  const body = substitutions.body?.([["Content-Type", "text/plain"]])?.replace(bytesOf(text));
  const key = Uint8Array.of(1, 2, 3, 4);
  const frame = serializeTextFrame(bytesOf(text), key);
  const sent = joined(
    substitutions.websocket?.((target) => target.set(key)).push(frame) ?? [frame],
  );
  const payload = sent.slice(6);
  applyMask(payload, maskingKeyAt(sent, 2));
  return {
    path: String(substitutions.path?.(`/${text}`) ?? `/${text}`).slice(1),
    query: (substitutions.query?.(`?${text}`) ?? `?${text}`).slice(1),
    header: headers[0]![1],
    body: textOf(body ?? bytesOf(text)),
    websocket: textOf(payload),
  };
}

for (const listed of SURFACES) {
  for (const other of SURFACES) {
    Deno.test(`an entry for ${listed}, next to one for ${other}, touches no other surface`, () => {
      const substitutions = compiledWith([
        { key: "ONE", placeholder: "__one__", in: [listed] },
        { key: "TWO", placeholder: "__two__", in: [other] },
      ], { ONE: "secret1", TWO: "secret2" });
      const after = substituteEverywhere(substitutions, "__one__.__two__");
      for (const surface of SURFACES) {
        const one = surface === listed ? "secret1" : "__one__";
        const two = surface === other ? "secret2" : "__two__";
        assert.equal(after[surface], `${one}.${two}`, surface);
        if (surface !== listed && surface !== other) {
          assert.equal(substitutions[surface], undefined);
        }
      }
    });
  }
}

Deno.test("a key that the vault does not hold is named once, whatever surface it is for", () => {
  const entries: Substitution[] = [
    { key: "HERE", placeholder: "__here__", in: ["path"] },
    { key: "GONE", placeholder: "__gone__", in: ["websocket"] },
    { key: "GONE", placeholder: "__gone2__", in: ["body"] },
    { key: "LOST", placeholder: "__lost__", in: [] },
  ];
  const result = compileSubstitutions(
    entries,
    (key) => key === "HERE" ? new Secret("v") : undefined,
  );
  assert.deepEqual(result, {
    kind: "missing",
    missing: ["GONE", "LOST"],
    keys: ["HERE", "GONE", "LOST"],
  });
});

Deno.test("a service without substitutions compiles to none and asks for no credential", () => {
  const never = () => {
    throw new Error("A credential was asked for");
  };
  assert.deepEqual(compileSubstitutions([], never), { kind: "none" });
});

Deno.test("one key under two placeholders is replaced under both and listed once", () => {
  const substitutions = compiledWith([
    { key: "KEY", placeholder: "__a__", in: ["query"] },
    { key: "KEY", placeholder: "__b__", in: ["query"] },
  ], { KEY: "v" });
  assert.deepEqual(substitutions.keys, ["KEY"]);
  assert.equal(substitutions.query?.("?a=__a__&b=__b__"), "?a=v&b=v");
});

Deno.test("printing compiled substitutions shows no value", () => {
  const substitutions = compiled("hunter2hunter2", SURFACES);
  substitutions.body?.([]);
  const rewriter = substitutions.websocket?.(() => {});
  for (const value of [substitutions, rewriter]) {
    const printed = Deno.inspect(value, { depth: 100, showHidden: true }) + JSON.stringify(value);
    assert.doesNotMatch(printed, /hunter2/);
  }
});
