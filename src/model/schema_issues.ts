import type * as z from "zod";
import type { Issue } from "../errors.ts";
import { nearestWord } from "./nearest_word.ts";

/** Where an unknown field was looked for: the fields that exist there, and what owns a foreign one. */
export interface KnownFields {
  /** What carries the fields, such as "a service". */
  readonly owner: string;
  readonly fields: readonly string[];
  /** A field that belongs elsewhere, and where: `password` belongs to "basic". */
  readonly foreign?: ReadonlyMap<string, string>;
}

/** Finds the fields that are known at a path of the document. */
export type FieldsAt = (path: readonly (string | number)[]) => KnownFields;

/**
 * Zod's faults as the program reports them: one for each unknown field, with the field that was probably
 * meant, and paths from the document's root.
 */
export function toIssues(error: z.ZodError, fieldsAt: FieldsAt): Issue[] {
  return error.issues.flatMap((issue): Issue[] => {
    const path = issue.path.map((part) => typeof part === "symbol" ? String(part) : part);
    if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
    const known = fieldsAt(path);
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: unknownFieldMessage(key, known),
    }));
  });
}

/** Why a field is not accepted, and which ones are. */
export function unknownFieldMessage(field: string, known: KnownFields): string {
  const owner = known.foreign?.get(field);
  const meant = nearestWord(field, known.fields);
  // A field's name is typed by hand and no secret, but a long one is no field's name.
  const shown = JSON.stringify(field.length > 40 ? `${field.slice(0, 40)}…` : field);
  const list = known.fields.join(", ");
  if (meant !== undefined) return `${shown} is no field of ${known.owner}: write "${meant}"`;
  if (owner !== undefined) {
    return `${shown} belongs to ${owner}, not to ${known.owner}, which takes ${list}`;
  }
  return `${shown} is no field of ${known.owner}: it takes ${list}`;
}
