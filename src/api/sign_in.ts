import type { Context } from "hono";
import { Secret } from "../model/secret.ts";
import { findAsset } from "../web/assets.ts";
import { messagePage } from "../web/message_page.ts";
import { signInPage } from "../web/sign_in_page.ts";
import { BrokerError } from "../errors.ts";
import { TERMINAL_COMMAND } from "./error_page.ts";
import { readForm } from "./form_body.ts";
import { expiredCookie, requireOwnPage, sessionCookie } from "./operator_access.ts";
import { answerPage, seeOther } from "./page_answer.ts";
import type { ApiPorts } from "./ports.ts";
import type { Route } from "./route.ts";

/** What is wrong with an attempt, for the person, and its status. */
export interface SignInProblem {
  readonly text: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Signing in and out, and what every page loads. */
export function signInRoutes({ operators }: Pick<ApiPorts, "operators">): readonly Route[] {
  const answerForm = (problem?: SignInProblem): Promise<Response> =>
    answerPage({
      title: "Sign in",
      width: "narrow",
      forward: "/",
      body: signInPage({
        method: operators.method(),
        problem: problem?.text,
        command: TERMINAL_COMMAND,
      }),
    }, problem);

  return [
    { method: "GET", path: "/", access: "anyone", handle: () => answerForm() },
    {
      method: "POST",
      path: "/sign-in",
      access: "anyone",
      async handle(c) {
        requireOwnPage(c.req.raw.headers);
        const form = await readForm(c.req.raw);
        const outcome = await operators.signIn(new Secret(form.text("secret") ?? ""));
        if (outcome.kind !== "signed_in") return await answerForm(problemOf(outcome));
        const { path, token } = outcome.session;
        return seeOther(`/op/${path}/`, { "Set-Cookie": sessionCookie(path, token.reveal()) });
      },
    },
    {
      method: "GET",
      path: "/op/:operator/session",
      access: "page",
      handle: () => new Response(null, { status: 204 }),
    },
    {
      method: "POST",
      path: "/op/:operator/sign-out",
      access: "form",
      handle(_c, { path }) {
        operators.signOut(path);
        const body = messagePage({
          heading: "You are signed out",
          text: "This browser can no longer decide anything.",
        });
        return answerPage({ title: "Signed out", width: "narrow", signedOut: true, body }, {
          headers: { "Set-Cookie": expiredCookie(path) },
        });
      },
    },
    { method: "GET", path: "/assets/:name", access: "anyone", handle: answerAsset },
  ];
}

/** What a person is told about an attempt that did not sign in. */
export function problemOf(
  outcome:
    | { readonly kind: "wrong" | "unavailable" }
    | { readonly kind: "wait"; readonly seconds: number },
): SignInProblem {
  switch (outcome.kind) {
    case "wrong":
      return { text: "That is not it. Nothing was changed; try again.", status: 403 };
    case "unavailable":
      return { text: "Nobody can sign in here.", status: 403 };
    case "wait":
      return {
        text: `Too many attempts were wrong. The next one is looked at in ${
          duration(outcome.seconds)
        }. If they were not yours, a program on this machine is guessing.`,
        status: 429,
        headers: { "Retry-After": `${outcome.seconds}` },
      };
  }
}

function duration(seconds: number): string {
  if (seconds === 1) return "a second";
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}

function answerAsset(c: Context): Response {
  const asset = findAsset(c.req.path);
  if (asset === undefined) throw new BrokerError("not_found", "Find the file: it is of no page");
  return new Response(asset.text, { headers: { "Content-Type": asset.mediaType } });
}
