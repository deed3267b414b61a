import { BrokerError } from "../errors.ts";

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

const DURATION = /^(?:[0-9]{1,9}[smhdw])+$/;
const PART = /([0-9]+)([smhdw])/g;

/**
 * Reads a duration such as `90s`, `30m`, `24h`, `7d`, `2w` or `1h30m`, and returns milliseconds.
 *
 * @throws BrokerError `usage` when the text is none; a bare number is refused, because its unit would
 * be a guess.
 */
export function parseDuration(text: string): number {
  if (DURATION.test(text)) {
    let total = 0;
    for (const [, count, unit] of text.matchAll(PART)) {
      total += Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
    }
    if (total > 0) return total;
  }
  const example = /^[0-9]+$/.test(text) && Number(text) > 0 ? `${text}s` : "30m";
  throw new BrokerError("usage", `Read the duration ${JSON.stringify(text)}: it needs a unit`, {
    hint: `write a whole number and s, m, h, d or w, such as ${example} or 1h30m`,
  });
}

/** Writes milliseconds as {@link parseDuration} reads them: `90000` is `1m30s`. Rounds up to a second. */
export function serializeDuration(milliseconds: number): string {
  let rest = Math.ceil(milliseconds / 1_000) * 1_000;
  let text = "";
  for (const unit of ["d", "h", "m", "s"] as const) {
    const count = Math.floor(rest / UNIT_MS[unit]);
    rest -= count * UNIT_MS[unit];
    if (count > 0) text += `${count}${unit}`;
  }
  return text === "" ? "0s" : text;
}
