import fc from "fast-check";
import { ByteReplacer } from "../../src/substitute/byte_replacer.ts";
import type { Replacement } from "../../src/substitute/replacement.ts";

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

export function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

export function replacerOf(values: Readonly<Record<string, string>>): ByteReplacer {
  return new ByteReplacer(replacementsOf(values));
}

export function replacementsOf(values: Readonly<Record<string, string>>): Replacement[] {
  return Object.entries(values).map(([placeholder, value]) => ({
    key: "TOKEN",
    placeholder,
    value,
  }));
}

/** Replacement as the rules put it, place by place: slow, and plain enough to be believed. */
export function expectedReplacement(
  text: string,
  values: Readonly<Record<string, string>>,
): string {
  const placeholders = Object.keys(values).sort((a, b) => b.length - a.length);
  let result = "";
  for (let at = 0; at < text.length;) {
    const found = placeholders.find((placeholder) => text.startsWith(placeholder, at));
    result += found === undefined ? text[at] : values[found];
    at += found === undefined ? 1 : found.length;
  }
  return result;
}

/**
 * Placeholders cut out of one short text, so that they begin, contain and overlap each other; the values
 * look like them.
 */
export const crowdedPlaceholders = fc.record({
  base: fc.string({ unit: fc.constantFrom("_", "a", "."), minLength: 12, maxLength: 12 }),
  cuts: fc.array(
    fc.tuple(
      fc.nat(3),
      fc.integer({ min: 4, max: 9 }),
      fc.string({ unit: fc.constantFrom("_", "a", ".", "$", "&", "é"), maxLength: 12 }),
    ),
    { minLength: 1, maxLength: 4 },
  ),
}).map(({ base, cuts }): Record<string, string> =>
  Object.fromEntries(
    cuts.map(([start, length, value]) => [base.slice(start, start + length), value]),
  )
);

/** Text in which such placeholders occur often. */
export const crowdedText = fc.string({
  unit: fc.constantFrom("_", "a", ".", "__", "_a_", "x", "é"),
  maxLength: 60,
});

/** Text that holds anything a credential may. */
export const anySecret = fc.oneof(
  fc.string({ unit: "binary", minLength: 1 }),
  fc.string({ unit: fc.constantFrom('"', "\\", "/", "%", "&", "=", "+", " ", "$", "é", "_", ".") }),
);
