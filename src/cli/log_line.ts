import type { Mark, Output } from "./output.ts";
import { printable } from "./table.ts";

/** A row as `--json` and the API have it, as far as a line shows it. */
export interface LogDocument {
  readonly id: string;
  readonly created_at: string;
  readonly ingress: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly matched_service: string | null;
  readonly status: number;
  readonly latency_ms: number;
  readonly error_code: string | null;
  readonly actor_name: string | null;
}

/** Characters of an id that a line shows: enough for `logs explain`. */
const ID_LENGTH = 8;

/** Longest service name that a line shows whole. */
const SERVICE_WIDTH = 16;

/** Widths of a terminal from which on a line has the latency, the service and the id. */
const WITH_LATENCY = 50;
const WITH_SERVICE = 64;
const WITH_ID = 90;

/**
 * One line for a row: time, status, method, service, latency, id, URL, and the code of a refusal. On a
 * terminal it fits the width: first columns go, then the end of the URL.
 */
export function logLine(row: LogDocument, output: Output): string {
  const { columns } = output;
  const time = new Date(row.created_at).toTimeString().slice(0, 8);
  const cells = [
    columns === Infinity ? row.created_at : time,
    output.mark(markOf(row), (row.status === 0 ? "---" : String(row.status)).padEnd(3)),
    printable(row.method).slice(0, 7).padEnd(7),
  ];
  let width = time.length + 2 + 3 + 2 + 7;
  const add = (text: string) => {
    cells.push(text);
    width += text.length + 2;
  };
  if (columns >= WITH_SERVICE) {
    add(fit(row.matched_service ?? "-", SERVICE_WIDTH).padEnd(SERVICE_WIDTH));
  }
  if (columns >= WITH_LATENCY) add(latencyText(row.latency_ms).padStart(7));
  if (columns >= WITH_ID) add(columns === Infinity ? row.id : row.id.slice(0, ID_LENGTH));
  const place = printable(row.host + row.path) + (row.ingress === "tunnel" ? " (tunnel)" : "");
  const code = row.error_code === null ? "" : ` ${row.error_code}`;
  const left = columns === Infinity ? Infinity : Math.max(8, columns - width - 2 - code.length);
  return `${cells.join("  ")}  ${fit(place, left)}${output.mark(markOf(row), code)}`;
}

function markOf({ status, error_code: code }: LogDocument): Mark {
  if (status === 0 || status >= 500) return "red";
  if (status >= 400 || code !== null) return "yellow";
  return "green";
}

function latencyText(milliseconds: number): string {
  if (milliseconds < 1_000) {
    return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
  }
  const seconds = milliseconds / 1_000;
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}

function fit(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join("")}…`;
}
