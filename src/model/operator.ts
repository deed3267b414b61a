/** How a person proves, in a browser, that they run the broker; `none` where the page cannot tell. */
export type SignInMethod = "passphrase" | "code" | "none";

/** What became of an attempt to sign in. */
export type SignInOutcome<Session> =
  | { readonly kind: "signed_in"; readonly session: Session }
  | FailedSignIn;

/** Why an attempt did not sign in. */
export type FailedSignIn =
  | { readonly kind: "wrong" }
  /** Nothing was compared: too many were wrong, or another attempt is being checked. */
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "unavailable" };

/** A person who signed in, in one browser. */
export interface OperatorSession {
  /** The unguessable segment below which all pages of this session lie. */
  readonly path: string;
  /** What each form has to send back, so that no other page can send one. */
  readonly csrf: string;
  /** Milliseconds since the epoch; use moves it, up to a limit. */
  readonly expiresAt: number;
}
