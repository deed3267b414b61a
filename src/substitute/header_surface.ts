import { IS_FIELD_VALUE } from "../http1/chars.ts";
import type { HeaderField, HeaderList } from "../http1/headers.ts";
import { SubstitutionFault } from "./fault.ts";
import type { Replacement } from "./replacement.ts";
import { TextReplacer } from "./text_replacer.ts";

/**
 * Replaces placeholders in field values; names are not touched. Fields whose lower-case name is in
 * `skipNames` stay as they are. Gives the same list when nothing was found.
 */
export type HeaderSubstitution = (
  headers: HeaderList,
  skipNames: ReadonlySet<string>,
) => HeaderList | SubstitutionFault;

/**
 * Compiles the `header` surface (spec: Substitutions, 3): every outbound field but `Host`, which names
 * the authority that was matched and must keep naming it. Values go out as UTF-8; one that holds a
 * control character is a fault when its placeholder is found, because it would end the field.
 */
export function compileHeader(replacements: readonly Replacement[]): HeaderSubstitution {
  const encoded = replacements.map((entry) => ({ ...entry, value: utf8AsLatin1(entry.value) }));
  const replacer = new TextReplacer(encoded);
  return (headers, skipNames) => {
    let changed: HeaderField[] | undefined;
    for (let i = 0; i < headers.length; i++) {
      const [name, value] = headers[i]!;
      if (!replacer.occursIn(value)) continue;
      const lowerCaseName = name.toLowerCase();
      if (lowerCaseName === "host" || skipNames.has(lowerCaseName)) continue;
      const unfit = replacer.replacementsIn(value).find((entry) => !isFieldValue(entry.value));
      if (unfit !== undefined) {
        return new SubstitutionFault("header", {
          key: unfit.key,
          reason: "holds a control character, which no header field can carry",
        });
      }
      changed ??= [...headers];
      changed[i] = [name, replacer.replace(value)];
    }
    return changed ?? headers;
  };
}

/** The text's UTF-8 bytes with one character a byte, as header values are kept. */
function utf8AsLatin1(text: string): string {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
}

function isFieldValue(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if (IS_FIELD_VALUE[text.charCodeAt(i)] !== 1) return false;
  }
  return true;
}
