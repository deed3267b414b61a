import { placeholderIssue } from "../../model/placeholder.ts";
import type { Substitution, Surface } from "../../model/service.ts";
import { SURFACES } from "../../model/substitution_schema.ts";
import { askCredential } from "./ask_credential.ts";
import { keyBase } from "./ask_auth.ts";
import { type Desk, INSTEAD } from "./desk.ts";

/** What a placeholder in each part of a request is there for. */
const SURFACE_TEXTS: Readonly<Record<Surface, string>> = {
  path: "the path of the URL, URL-encoded",
  query: "the query of the URL, URL-encoded",
  header: "the value of any header",
  body: "the body: JSON, a form or text, up to 16 MiB",
  websocket: "text messages that the client sends",
};

/** Surfaces of an entry that names none (spec: Substitution entry). */
const USUAL: readonly Surface[] = ["path", "query"];

/** The placeholders of a service, one after another. `current` are those that it has. */
export async function askSubstitutions(
  desk: Desk,
  host: string,
  current: readonly Substitution[] = [],
): Promise<readonly Substitution[]> {
  let entries = [...current];
  while (true) {
    const next = await desk.prompts.choose<"done" | "add" | Substitution>(
      { message: "Placeholders in the request, for values in a URL or a body", instead: INSTEAD },
      [
        { name: entries.length === 0 ? "none" : "no more", value: "done" },
        { name: entries.length === 0 ? "add one" : "add another", value: "add" },
        ...entries.map((entry) => ({
          name: `remove ${entry.placeholder} (${entry.key} in ${entry.in.join(", ")})`,
          value: entry,
        })),
      ],
    );
    if (next === "done") return entries;
    if (next === "add") entries.push(await askSubstitution(desk, host, entries));
    else entries = entries.filter((entry) => entry !== next);
  }
}

async function askSubstitution(
  desk: Desk,
  host: string,
  entries: readonly Substitution[],
): Promise<Substitution> {
  const key = await askCredential(desk, {
    message: "Value to put in",
    suggestion: `${keyBase(host)}_KEY`,
  });
  const placeholder = await desk.prompts.text({
    message: "Placeholder that the agent writes instead",
    instead: INSTEAD,
    suggestion: freePlaceholder(key, entries),
    check: (text) => placeholderIssue(text) ?? taken(text, entries),
    preview: (text) => `${text} becomes the value of ${key}`,
  });
  const surfaces = await desk.prompts.pick<Surface>(
    { message: `Where may ${placeholder} stand?`, instead: INSTEAD },
    SURFACES.map((surface) => ({
      name: `${surface.padEnd(9)}  ${SURFACE_TEXTS[surface]}`,
      value: surface,
      short: surface,
      checked: USUAL.includes(surface),
    })),
  );
  return { key, placeholder, in: surfaces };
}

function freePlaceholder(key: string, entries: readonly Substitution[]): string {
  const usual = `__${key.toLowerCase()}__`;
  return taken(usual, entries) === undefined ? usual : "";
}

function taken(text: string, entries: readonly Substitution[]): string | undefined {
  return entries.some(({ placeholder }) => placeholder === text)
    ? `The placeholder "${text}" stands for another value already: write another`
    : undefined;
}
