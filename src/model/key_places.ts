import type { Issue } from "../errors.ts";
import { parseHeaderTemplate } from "./header_template.ts";
import type { Service } from "./service.ts";

/** A credential key and where a service names it. */
export interface KeyPlace {
  readonly key: string;
  /** From the service: `["auth", "token"]`. */
  readonly path: readonly (string | number)[];
}

/** Every place at which a service names a credential key. */
export function keyPlaces({ auth, substitutions }: Service): KeyPlace[] {
  const places: KeyPlace[] = [];
  switch (auth.type) {
    case "bearer":
      places.push({ key: auth.token, path: ["auth", "token"] });
      break;
    case "basic":
      places.push({ key: auth.username, path: ["auth", "username"] });
      if (auth.password !== undefined) {
        places.push({ key: auth.password, path: ["auth", "password"] });
      }
      break;
    case "api-key":
      places.push({ key: auth.key, path: ["auth", "key"] });
      break;
    case "custom":
      for (const [name, template] of Object.entries(auth.headers)) {
        const parsed = parseHeaderTemplate(template);
        if (parsed.kind === "fault") continue;
        for (const part of parsed.parts) {
          if (part.kind !== "credential") continue;
          places.push({ key: part.key, path: ["auth", "headers", name] });
        }
      }
      break;
    case "passthrough":
  }
  for (const [index, { key }] of substitutions.entries()) {
    places.push({ key, path: ["substitutions", index, "key"] });
  }
  return places;
}

/** True when a fault of that place is among them already. */
export function hasIssueAt(issues: readonly Issue[], path: Issue["path"]): boolean {
  return issues.some((issue) =>
    issue.path.length === path.length && issue.path.every((part, at) => part === path[at])
  );
}
