import { parseHeaderTemplate } from "./header_template.ts";
import type { Auth, Service } from "./service.ts";

/** The service with other credential keys where the map has one for a key; the rest is as it was. */
export function renameKeys(service: Service, keys: ReadonlyMap<string, string>): Service {
  const renamed = (key: string): string => keys.get(key) ?? key;
  return {
    ...service,
    auth: renameAuth(service.auth, renamed),
    substitutions: service.substitutions.map((entry) => ({ ...entry, key: renamed(entry.key) })),
  };
}

function renameAuth(auth: Auth, renamed: (key: string) => string): Auth {
  switch (auth.type) {
    case "bearer":
      return { ...auth, token: renamed(auth.token) };
    case "basic":
      return {
        ...auth,
        username: renamed(auth.username),
        ...(auth.password === undefined ? {} : { password: renamed(auth.password) }),
      };
    case "api-key":
      return { ...auth, key: renamed(auth.key) };
    case "custom":
      return {
        ...auth,
        headers: Object.fromEntries(
          Object.entries(auth.headers).map((
            [name, template],
          ) => [name, renameIn(template, renamed)]),
        ),
      };
    case "passthrough":
      return auth;
  }
}

function renameIn(template: string, renamed: (key: string) => string): string {
  const parsed = parseHeaderTemplate(template);
  if (parsed.kind === "fault") return template;
  return parsed.parts.map((part) => part.kind === "text" ? part.text : `{{ ${renamed(part.key)} }}`)
    .join("");
}
