import type { Service } from "../../model/service.ts";
import { describeAuth } from "../../model/auth_text.ts";
import { askAuth } from "./ask_auth.ts";
import { askHost, askName } from "./ask_service.ts";
import { askSubstitutions } from "./ask_substitutions.ts";
import { type Desk, INSTEAD, type NamesInUse } from "./desk.ts";

type Part = "done" | "name" | "host" | "auth" | "substitutions" | "enabled";

/** Lets the parts of a service be changed one by one. */
export async function editService(
  desk: Desk,
  service: Service,
  names: NamesInUse,
): Promise<Service> {
  let edited = service;
  while (true) {
    const part = await desk.prompts.choose<Part>(
      { message: `Change "${edited.name}"`, instead: INSTEAD },
      [
        { name: "nothing more", value: "done" },
        { name: `name: ${edited.name}`, value: "name" },
        { name: `host: ${edited.host}`, value: "host" },
        { name: `auth: ${describeAuth(edited.auth).replaceAll("\n", ", ")}`, value: "auth" },
        { name: `placeholders: ${placeholdersOf(edited)}`, value: "substitutions" },
        { name: edited.enabled ? "switch it off" : "switch it on", value: "enabled" },
      ],
    );
    if (part === "done") return edited;
    edited = { ...edited, ...await change(desk, { part, service: edited, names }) };
  }
}

async function change(
  desk: Desk,
  { part, service, names }: {
    readonly part: Exclude<Part, "done">;
    readonly service: Service;
    readonly names: NamesInUse;
  },
): Promise<Partial<Service>> {
  const { name, host, auth, substitutions, enabled } = service;
  switch (part) {
    case "name":
      return { name: await askName(desk, names, name) };
    case "host":
      return { host: await askHost(desk, host) };
    case "auth":
      return { auth: await askAuth(desk, host, auth) };
    case "substitutions":
      return { substitutions: await askSubstitutions(desk, host, substitutions) };
    case "enabled":
      return { enabled: !enabled };
  }
}

function placeholdersOf({ substitutions }: Service): string {
  return substitutions.length === 0
    ? "none"
    : substitutions.map(({ placeholder }) => placeholder).join(", ");
}
