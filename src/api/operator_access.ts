import { timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import type { OperatorSession } from "../model/operator.ts";
import { BrokerError } from "../errors.ts";
import { type Form, readForm } from "./form_body.ts";
import { HttpFault } from "./http_fault.ts";
import type { OperatorPort } from "./ports.ts";

/** Holds the token of a person who signed in; sent by the browser below the session's path alone. */
const COOKIE = "broker_operator";

/** Longest cookie value that is looked up, in characters; the broker's own have about 50. */
const TOKEN_LIMIT = 128;

/**
 * The person whose path and cookie a request carries; both are needed.
 *
 * @throws BrokerError `unauthorized`, with the same words whichever of the two was wrong.
 */
export function requireOperatorSession(c: Context, operators: OperatorPort): OperatorSession {
  const path = c.req.param("operator") ?? "";
  // What a script of the page fetches by itself is no use: a page left open must not stay signed in.
  const use = c.req.header("Sec-Fetch-Dest") !== "empty" || c.req.method === "POST";
  const session = tokensOf(c.req.raw.headers)
    .map((token) => operators.find(path, token, { use }))
    .find((found) => found !== undefined);
  if (session !== undefined) return session;
  throw new BrokerError("unauthorized", "You are signed out", {
    hint: "Sign in again; a sign-in ends after half an hour without use, or with the broker",
  });
}

/**
 * The fields of a form that a signed-in person sent from one of the broker's own pages.
 *
 * @throws HttpFault `form_not_accepted` for a form that another page may have sent.
 */
export async function readOperatorForm(c: Context, session: OperatorSession): Promise<Form> {
  requireOwnPage(c.req.raw.headers);
  const form = await readForm(c.req.raw);
  if (!isSame(form.text("csrf") ?? "", session.csrf)) throw notAccepted();
  return form;
}

/**
 * Refuses what no page of the broker sent. Every browser says on a POST where it came from, and the
 * guard has compared it with this listener; a program that leaves it out is no browser.
 *
 * @throws HttpFault `form_not_accepted`.
 */
export function requireOwnPage(headers: Headers): void {
  if (headers.get("Origin") === null && headers.get("Sec-Fetch-Site") !== "same-origin") {
    throw notAccepted();
  }
}

/** The field that gives a browser its token, for the session's path and nothing else. */
export function sessionCookie(path: string, token: string): string {
  return `${COOKIE}=${token}; Path=/op/${path}; HttpOnly; SameSite=Strict`;
}

/** The field that takes the token back. */
export function expiredCookie(path: string): string {
  return `${COOKIE}=; Path=/op/${path}; HttpOnly; SameSite=Strict; Max-Age=0`;
}

/** Another program on this machine may have set cookies of the same name, so each one is tried. */
function tokensOf(headers: Headers): string[] {
  return (headers.get("Cookie") ?? "").split(";").flatMap((pair) => {
    const [name, value = ""] = pair.trim().split("=", 2);
    return name === COOKIE && value !== "" && value.length <= TOKEN_LIMIT ? [value] : [];
  });
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [new TextEncoder().encode(a), new TextEncoder().encode(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function notAccepted(): HttpFault {
  return new HttpFault("form_not_accepted", "Accept the form: it is not from the page shown last", {
    hint: "Open the page again and send the form from there",
  });
}
