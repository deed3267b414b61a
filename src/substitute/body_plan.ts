import { type HeaderList, headerValues } from "../http1/headers.ts";

/** How a value is written into a body. */
export type BodyEncoding = "form" | "json" | "raw";

/** What happens to the placeholders in one request's body (spec: Substitutions, 4). */
export type BodyPlan =
  | { readonly kind: "skip" }
  | { readonly kind: "replace"; readonly encode: BodyEncoding };

const SKIP: BodyPlan = { kind: "skip" };
const PLANS: Readonly<Record<BodyEncoding, BodyPlan>> = {
  form: { kind: "replace", encode: "form" },
  json: { kind: "replace", encode: "json" },
  raw: { kind: "replace", encode: "raw" },
};

/** JSON under other names than `application/json` and `+json`: lines and sequences of it, and AWS's own. */
const JSON_TYPES: ReadonlySet<string> = new Set([
  "application/json",
  "text/json",
  "application/x-json",
  "application/json-seq",
  "application/jsonl",
  "application/jsonlines",
  "application/x-jsonlines",
  "application/ndjson",
  "application/x-ndjson",
  "application/x-amz-json-1.0",
  "application/x-amz-json-1.1",
]);

/**
 * A quoted string, which may hold a comma or semicolon that separates nothing (RFC 9110 section 5.6.4).
 * An unclosed one reaches to the end, so that no input makes the search start over at every quote.
 */
const QUOTED = /"(?:[^"\\]|\\.?)*"?/g;

/**
 * Decides by `Content-Encoding` and `Content-Type` what happens to a body. A coding other than
 * `identity`, which is none, and any `multipart` type skip it. Types are compared without parameters and
 * case. Several types that ask for different encodings skip it as well: whichever of them the upstream
 * takes, the value could be written for the other, and end the string that it stands in. No type at all
 * is raw, as any unknown one.
 */
export function bodyPlan(headers: HeaderList): BodyPlan {
  for (const value of headerValues(headers, "content-encoding")) {
    if (members(value).some((coding) => coding !== "identity")) return SKIP;
  }
  let plan: BodyPlan | undefined;
  for (const value of headerValues(headers, "content-type")) {
    for (const mediaType of members(value)) {
      const next = planFor(mediaType);
      if (next === SKIP || (plan !== undefined && plan !== next)) return SKIP;
      plan = next;
    }
  }
  return plan ?? PLANS.raw;
}

function planFor(mediaType: string): BodyPlan {
  if (mediaType.startsWith("multipart/")) return SKIP;
  if (mediaType === "application/x-www-form-urlencoded") return PLANS.form;
  if (mediaType.endsWith("+json") || JSON_TYPES.has(mediaType)) return PLANS.json;
  return PLANS.raw;
}

/** The comma-separated members of a field value without parameters, in lower case. */
function members(value: string): string[] {
  return value.replace(QUOTED, () => "").split(",")
    .map((member) => member.split(";", 1)[0]!.trim().toLowerCase())
    .filter((member) => member !== "");
}
