import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  stringify,
} from "yaml";
import { BrokerError, type Issue } from "../errors.ts";
import type { Service } from "../model/service.ts";
import { parseServices } from "../model/service_schema.ts";
import type { LocatedIssue } from "./failure.ts";

/** How many faults are said to be there. */
function count(issues: readonly unknown[]): string {
  return issues.length === 1 ? "1 fault" : `${issues.length} faults`;
}

/**
 * Services of a YAML text: a map with the list `services`, or the list alone.
 *
 * @throws {BrokerError} `validation_failed` with every fault and its line and column.
 */
export function parseServicesYaml(
  text: string,
  options: { readonly file: string; readonly existing: readonly Service[] },
): Service[] {
  const { file, existing } = options;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    throw invalid(
      file,
      faults.map((fault) => locate(file, lines, fault.pos[0], [], fault.message)),
    );
  }
  const root = readValue(document, file, lines);
  if (root === null || root === undefined) {
    throw new BrokerError("validation_failed", `Read "${file}": it holds no services`, {
      hint: "to remove all services: broker vault service clear",
    });
  }
  try {
    return parseServices(root, { existing });
  } catch (error) {
    if (!(error instanceof BrokerError) || error.issues.length === 0) throw error;
    const issues = error.issues.map(({ path, message }) =>
      locate(file, lines, offsetOf(document, path), path, message)
    );
    throw invalid(file, issues, error);
  }
}

/** YAML that {@link parseServicesYaml} reads back as the same services. */
export function serializeServices(services: readonly Service[]): string {
  return stringify({ services: services.map(toYaml) }, { lineWidth: 0 });
}

function toYaml({ name, host, enabled, auth, substitutions }: Service): Record<string, unknown> {
  return {
    name,
    host,
    // What is left out is what a reader would assume.
    ...(enabled ? {} : { enabled }),
    auth,
    ...(substitutions.length === 0 ? {} : { substitutions }),
  };
}

function readValue(document: Document, file: string, lines: LineCounter): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    // Aliases that unfold without end.
    throw invalid(file, [locate(file, lines, 0, [], "the aliases unfold to too much")], cause);
  }
}

/** Where the path's last part stands: a value, else the key, else the nearest thing that holds it. */
function offsetOf(document: Document, path: Issue["path"]): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [index, part] of path.entries()) {
    const last = index === path.length - 1;
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === part);
      if (pair === undefined) return offset;
      // A scalar is its own place; for what spans lines, or lacks something, the key is.
      offset = startOf(last && isScalar(pair.value) ? pair.value : pair.key) ?? offset;
      node = pair.value;
    } else {
      const next: unknown = document.getIn(path.slice(0, index + 1), true);
      offset = startOf(next) ?? offset;
      node = next;
    }
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  if (isPair(node)) return startOf(node.key);
  return isNode(node) ? node.range?.[0] : undefined;
}

function locate(
  file: string,
  lines: LineCounter,
  offset: number,
  path: Issue["path"],
  message: string,
): LocatedIssue {
  const { line, col } = lines.linePos(offset);
  return { path, message, file, line: Math.max(line, 1), column: Math.max(col, 1) };
}

function invalid(file: string, issues: readonly Issue[], cause?: unknown): BrokerError {
  return new BrokerError(
    "validation_failed",
    `Read services from "${file}": ${count(issues)}, nothing was changed`,
    { hint: "mend the places and type the command again", issues, cause },
  );
}
