import { parseHeaderTemplate } from "./header_template.ts";
import type { Auth, Service } from "./service.ts";

/** The credential keys that an auth config refers to, once each, in the order they stand. */
export function authKeys(auth: Auth): string[] {
  switch (auth.type) {
    case "bearer":
      return [auth.token];
    case "basic":
      return auth.password === undefined ? [auth.username] : once([auth.username, auth.password]);
    case "api-key":
      return [auth.key];
    case "custom":
      return once(Object.values(auth.headers).flatMap(templateKeys));
    case "passthrough":
      return [];
  }
}

/** The credential keys that a service refers to by auth or by a substitution, once each, auth first. */
export function serviceKeys(service: Pick<Service, "auth" | "substitutions">): string[] {
  return once([...authKeys(service.auth), ...service.substitutions.map(({ key }) => key)]);
}

function templateKeys(template: string): string[] {
  const parsed = parseHeaderTemplate(template);
  if (parsed.kind === "fault") return [];
  return parsed.parts.flatMap((part) => part.kind === "credential" ? [part.key] : []);
}

function once(keys: readonly string[]): string[] {
  return [...new Set(keys)];
}
