import { html } from "hono/html";
import type { Html } from "./page.ts";

/** Text with its line breaks; white space in a template would not survive. */
export function textLines(lines: string | readonly string[]): Html {
  const list = typeof lines === "string" ? lines.split("\n") : lines;
  return html`${list.map((line, index) => index === 0 ? line : html`<br>${line}`)}`;
}

/** A moment, readable without a script and exact for one. */
export function moment(milliseconds: number, now: number): Html {
  const iso = new Date(milliseconds).toISOString();
  return html`<time datetime="${iso}" title="${iso}">${relative(milliseconds - now)}</time>`;
}

const UNITS: readonly [seconds: number, name: string][] = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
];

function relative(milliseconds: number): string {
  const seconds = Math.abs(milliseconds) / 1000;
  const [size, name] = UNITS.find(([unit]) => seconds >= unit) ?? [0, ""];
  if (size === 0) return milliseconds < 0 ? "a moment ago" : "in a moment";
  const count = Math.round(seconds / size);
  const text = `${count} ${name}${count === 1 ? "" : "s"}`;
  return milliseconds < 0 ? `${text} ago` : `in ${text}`;
}
