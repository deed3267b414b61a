import { messagePage } from "../web/message_page.ts";
import { signInPage } from "../web/sign_in_page.ts";
import type { ErrorAnswer } from "./error_answer.ts";
import { answerPage } from "./page_answer.ts";
import type { OperatorPort } from "./ports.ts";

const HEADINGS: Readonly<Record<number, string>> = {
  400: "That cannot be understood",
  403: "Refused",
  404: "Nothing is here",
  405: "That cannot be done here",
  409: "That does not fit any more",
  413: "Too much",
  415: "That cannot be understood",
  429: "Too many",
};

/** What decides in a terminal when a page cannot. */
export const TERMINAL_COMMAND = "broker vault proposal review";

/** Writes the answer to a failure as a page, for a person. */
export async function answerErrorPage(
  { status, body, headers }: ErrorAnswer,
  operators: OperatorPort,
): Promise<Response> {
  const fields = { status, headers: withoutChallenge(headers) };
  if (status === 401) {
    const problem = body.hint === undefined ? body.message : `${body.message}. ${body.hint}.`;
    const view = { method: operators.method(), problem, command: TERMINAL_COMMAND };
    return await answerPage({ title: "Sign in", width: "narrow", body: signInPage(view) }, fields);
  }
  const heading = HEADINGS[status] ?? "The broker could not answer";
  const requestId = body["request_id"];
  const page = messagePage({
    heading,
    text: sentence(body.message),
    hint: body.hint === undefined ? undefined : sentence(body.hint),
    requestId: typeof requestId === "string" ? requestId : undefined,
  });
  return await answerPage({ title: heading, width: "narrow", body: page }, fields);
}

/** A browser would answer the challenge with a dialogue of its own. */
function withoutChallenge(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name !== "WWW-Authenticate"),
  );
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
