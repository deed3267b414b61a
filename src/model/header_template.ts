import { isCredentialKey } from "./credential_key.ts";

/** A piece of a header template: text as it stands, or the credential that goes there. */
export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "credential"; readonly key: string };

/** A template taken apart, or what is wrong with it. */
export type ParsedTemplate =
  | { readonly kind: "template"; readonly parts: readonly TemplatePart[] }
  | { readonly kind: "fault"; readonly message: string };

/**
 * Takes apart the template of a custom header: text with any number of `{{ KEY }}`, blanks inside the
 * braces optional (spec: Auth config). Every `{{` opens a placeholder; a `}}` without one is text, since
 * JSON in a header may end with it. Faults name the column and never hold the template, which may hold
 * a value that someone pasted.
 */
export function parseHeaderTemplate(template: string): ParsedTemplate {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (;;) {
    const open = template.indexOf("{{", at);
    const text = template.slice(at, open === -1 ? undefined : open);
    if (text !== "") parts.push({ kind: "text", text });
    if (open === -1) return { kind: "template", parts };
    const close = template.indexOf("}}", open + 2);
    if (close === -1) return fault(open, 'is not closed: write "{{ KEY }}"');
    const key = template.slice(open + 2, close).replaceAll(/^[ \t]+|[ \t]+$/g, "");
    if (key === "") return fault(open, 'names no credential: write "{{ KEY }}"');
    if (!isCredentialKey(key)) {
      return fault(
        open,
        "names no credential key: write capital letters, digits and underscores " +
          'between the braces, such as "{{ GITHUB_TOKEN }}"',
      );
    }
    parts.push({ kind: "credential", key });
    at = close + 2;
  }
}

function fault(at: number, problem: string): ParsedTemplate {
  return { kind: "fault", message: `The "{{" at column ${at + 1} ${problem}` };
}
