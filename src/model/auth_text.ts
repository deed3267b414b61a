import type { Auth } from "./service.ts";

/** What a service sends, in words and with the keys of its credentials, never with values. */
export function describeAuth(auth: Auth): string {
  switch (auth.type) {
    case "bearer":
      return `Authorization: Bearer ${auth.token}`;
    case "basic":
      return `Authorization: Basic ${auth.username}:${auth.password ?? "(empty)"}`;
    case "api-key":
      return `${auth.header ?? "Authorization"}: ${auth.prefix ?? ""}${auth.key}`;
    case "custom":
      return Object.entries(auth.headers).map(([name, template]) => `${name}: ${template}`)
        .join("\n");
    case "passthrough":
      return "no credential; what the client sends goes through";
  }
}
