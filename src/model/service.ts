/** A part of a request in which a placeholder may be replaced (spec: Substitution entry). */
export type Surface = "path" | "query" | "header" | "body" | "websocket";

/** One placeholder and the credential that takes its place (spec: Substitution entry). */
export interface Substitution {
  /** Credential key, UPPER_SNAKE_CASE. */
  readonly key: string;
  /** The exact wire string, matched case-sensitively as a literal. */
  readonly placeholder: string;
  /** Where to look; `["path", "query"]` when the input named none. */
  readonly in: readonly Surface[];
}

/** How the broker authenticates to a service's upstream (spec: Auth config). */
export type Auth =
  | { readonly type: "bearer"; readonly token: string }
  | { readonly type: "basic"; readonly username: string; readonly password?: string }
  | {
    readonly type: "api-key";
    readonly key: string;
    /** Header name; `Authorization` when absent. */
    readonly header?: string;
    /** Put before the value as it stands, blank included: `"Token "`. */
    readonly prefix?: string;
  }
  | { readonly type: "custom"; readonly headers: Readonly<Record<string, string>> }
  | { readonly type: "passthrough" };

/** A host that agents can reach through the broker and how to authenticate there (spec: Service). */
export interface Service {
  /** Canonical identifier within the vault. */
  readonly name: string;
  /** The matcher field, exactly as written. */
  readonly host: string;
  readonly enabled: boolean;
  readonly auth: Auth;
  readonly substitutions: readonly Substitution[];
}
