import { SubstitutionFault } from "./fault.ts";
import { percentEncode } from "./percent_encode.ts";
import type { Replacement } from "./replacement.ts";
import { TextReplacer } from "./text_replacer.ts";

/** Replaces placeholders in the path of a request target, as sent, without its query. */
export type PathSubstitution = (rawPath: string) => string | SubstitutionFault;

/** Replaces placeholders in the query of a request target, with or without its `?`. */
export type QuerySubstitution = (rawQuery: string) => string;

/** What separates segments to any server: the slash, and what some decode or take for one. */
const SEPARATOR = /\/|\\|%2f|%5c/i;

/** A dot segment in each spelling (RFC 3986 section 5.2.4), with the parameters that servlets ignore. */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}(?:;.*)?$/is;

/**
 * Compiles the `path` surface (spec: Substitutions, 2): values are percent-encoded, a slash as `%2F`, so
 * that none adds a segment. Percent-encoding does not disarm `.` and `..`, because `%2E%2E` is a dot
 * segment as well; a value that would complete one, also behind an encoded slash of its own, or that
 * would leave its segment empty, is a fault: the upstream would resolve another path than the one that
 * was matched.
 */
export function compilePath(replacements: readonly Replacement[]): PathSubstitution {
  const replacer = new TextReplacer(replacements.map(percentEncoded));
  return (rawPath) => {
    if (!replacer.occursIn(rawPath)) return rawPath;
    const segments = rawPath.split("/");
    for (let i = 0; i < segments.length; i++) {
      const segment = segments[i]!;
      if (!replacer.occursIn(segment)) continue;
      const replaced = replacer.replace(segment);
      // The finished segment is judged, not the value: the text around it may supply the other dot.
      if (replaced === "" || replaced.split(SEPARATOR).some((part) => DOT_SEGMENT.test(part))) {
        return new SubstitutionFault("path", {
          key: replacer.replacementsIn(segment)[0]!.key,
          reason: "would turn a path segment into an empty one or a dot segment",
        });
      }
      segments[i] = replaced;
    }
    return segments.join("/");
  };
}

/** Compiles the `query` surface (spec: Substitutions, 2): values are percent-encoded. */
export function compileQuery(replacements: readonly Replacement[]): QuerySubstitution {
  const replacer = new TextReplacer(replacements.map(percentEncoded));
  return (rawQuery) => replacer.replace(rawQuery);
}

function percentEncoded(replacement: Replacement): Replacement {
  return { ...replacement, value: percentEncode(replacement.value) };
}
