import * as z from "zod";
import { credentialKeySchema } from "./auth_schema.ts";
import { nearestWord } from "./nearest_word.ts";
import { placeholderIssue } from "./placeholder.ts";
import type { KnownFields } from "./schema_issues.ts";
import type { Substitution, Surface } from "./service.ts";

/** Every surface, in the order of the spec. */
export const SURFACES: readonly Surface[] = ["path", "query", "header", "body", "websocket"];

/** Where a placeholder is looked for when the entry names no surface (spec: Substitution entry). */
const DEFAULT_SURFACES: readonly Surface[] = ["path", "query"];

/** Lets a check of a whole list run where entries have faults, so that all are reported at once. */
const EVEN_WITH_FAULTS = {
  when: ({ value }: { value: unknown }) => Array.isArray(value),
};

/** The fields of a substitution entry, for a message about an unknown one. */
export const SUBSTITUTION_FIELDS: KnownFields = {
  owner: "a substitution",
  fields: ["key", "placeholder", "in"],
};

const surfaceSchema = z.enum(SURFACES, {
  error: ({ input }) => {
    const meant = typeof input === "string" ? nearestWord(input, SURFACES) : undefined;
    const list = SURFACES.join(", ");
    return `There is no such surface: write ${meant === undefined ? `some of ${list}` : meant}`;
  },
});

const placeholderSchema = z.string({
  error: (issue) =>
    issue.input === undefined
      ? 'It is missing: write a placeholder such as "__account_sid__"'
      : 'It must be text: a placeholder such as "__account_sid__"',
}).superRefine((text, context) => {
  const message = placeholderIssue(text);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

/** One entry of `substitutions` (spec: Substitution entry). */
export const substitutionSchema: z.ZodType<Substitution> = z.strictObject({
  key: credentialKeySchema,
  placeholder: placeholderSchema,
  in: z.array(surfaceSchema, `It must be a list of some of ${SURFACES.join(", ")}`)
    .superRefine((surfaces, context) => {
      if (surfaces.length === 0) {
        context.addIssue({
          code: "custom",
          message: "It is empty, so nothing would be replaced: leave it out for path and query",
        });
      }
      for (const [index, surface] of surfaces.entries()) {
        if (surfaces.indexOf(surface) === index) continue;
        const message = `"${surface}" is listed twice: keep one`;
        context.addIssue({ code: "custom", message, path: [index] });
      }
    }, EVEN_WITH_FAULTS)
    .default([...DEFAULT_SURFACES]),
}, 'It must be a map with key and placeholder, such as {key: "SID", placeholder: "__sid__"}');

/** The entries of one service; a placeholder may stand for one credential only. */
export const substitutionsSchema: z.ZodType<Substitution[]> = z.array(
  substitutionSchema,
  "It must be a list of substitutions",
).superRefine((entries: readonly unknown[], context) => {
  const first = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const placeholder = (entry as { placeholder?: unknown } | null)?.placeholder;
    if (typeof placeholder !== "string") continue;
    const earlier = first.get(placeholder);
    if (earlier === undefined) {
      first.set(placeholder, index);
      continue;
    }
    const message = `The placeholder is already that of entry ${earlier + 1}: write another`;
    context.addIssue({ code: "custom", message, path: [index, "placeholder"] });
  }
}, EVEN_WITH_FAULTS);
