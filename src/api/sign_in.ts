import type { Context } from "hono";
import { Secret } from "../model/secret.ts";
import { findAsset } from "../web/assets.ts";
import { messagePage } from "../web/message_page.ts";
import { signInPage } from "../web/sign_in_page.ts";
import { BrokerError } from "../errors.ts";
import { TERMINAL_COMMAND } from "./error_page.ts";
import { readForm } from "./form_body.ts";
import { expiredCookie, requireOwnPage, sessionCookie } from "./operator_access.ts";
import { answerLink, findLinked } from "./approval_link.ts";
import { pendingPath } from "../web/pending_list.ts";
import { problemOf, type SignInProblem } from "./sign_in_problem.ts";
import { answerPage, seeOther } from "./page_answer.ts";
import type { ApiPorts } from "./ports.ts";
import type { Route } from "./route.ts";

/** Signing in and out, and what every page loads. */
export function signInRoutes(
  ports: Pick<ApiPorts, "operators" | "proposals" | "services" | "now">,
): readonly Route[] {
  const { operators } = ports;
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
        const link = { id: form.text("proposal") ?? "", token: form.text("link") ?? "" };
        if (outcome.kind !== "signed_in") {
          const problem = problemOf(outcome);
          return link.token === ""
            ? await answerForm(problem)
            : await answerLink(ports, link, problem);
        }
        const { path, token } = outcome.session;
        // Built from what the token of the link is of, never from an address that came with the form.
        const found = findLinked(ports, link);
        const target = found === undefined ? `/op/${path}/` : pendingPath(found, outcome.session);
        return seeOther(target, { "Set-Cookie": sessionCookie(path, token.reveal()) });
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

function answerAsset(c: Context): Response {
  const asset = findAsset(c.req.path);
  if (asset === undefined) throw new BrokerError("not_found", "Find the file: it is of no page");
  return new Response(asset.text, { headers: { "Content-Type": asset.mediaType } });
}
