import type { Context } from "hono";
import type { Proposal } from "../model/proposal.ts";
import { linkPage } from "../web/approval_page.ts";
import { decidedPage } from "../web/decided_page.ts";
import { proposalTitle } from "../web/proposal_title.ts";
import { signInForm, type SignInView } from "../web/sign_in_page.ts";
import { brokenLinkPage } from "../web/broken_link_page.ts";
import { answerPage } from "./page_answer.ts";
import type { ApiPorts } from "./ports.ts";
import type { Route } from "./route.ts";
import { TERMINAL_COMMAND } from "./error_page.ts";
import type { SignInProblem } from "./sign_in_problem.ts";

/** A link that an agent showed: the number in its path, and its token. */
export interface ApprovalLink {
  readonly id: string;
  readonly token: string;
}

type LinkPorts = Pick<ApiPorts, "operators" | "proposals" | "services" | "now">;

/** The address that a proposal's maker is given: it reads, and cannot decide (interfaces: Tokens). */
export function approvalLinkRoutes(ports: LinkPorts): readonly Route[] {
  return [{
    method: "GET",
    path: "/approve/:id",
    access: "anyone",
    handle: (c: Context) =>
      answerLink(ports, { id: c.req.param("id") ?? "", token: c.req.query("token") ?? "" }),
  }];
}

/** The proposal that a link reads, if its token still does and is of this number. */
export function findLinked(
  { proposals }: Pick<ApiPorts, "proposals">,
  { id, token }: ApprovalLink,
): { readonly vault: string; readonly id: number } | undefined {
  const found = proposals.findByToken(token);
  return found !== undefined && String(found.id) === id ? found : undefined;
}

/** The page behind a link, with what was wrong with an attempt to sign in there. */
export async function answerLink(
  ports: LinkPorts,
  link: ApprovalLink,
  problem?: SignInProblem,
): Promise<Response> {
  const found = findLinked(ports, link);
  const signIn: SignInView = {
    method: ports.operators.method(),
    problem: problem?.text,
    proposal: found && { id: found.id, link: link.token },
    command: found === undefined
      ? TERMINAL_COMMAND
      : `broker vault proposal approve ${found.id} --vault ${found.vault}`,
  };
  if (found === undefined) {
    const page = { title: "Link", width: "narrow", forward: "/" } as const;
    return await answerPage({ ...page, body: brokenLinkPage(signInForm(signIn)) }, {
      status: problem?.status ?? 403,
      headers: problem?.headers ?? {},
    });
  }
  const { proposal, review } = ports.proposals.review(found.vault, found.id);
  const isPending = proposal.status === "pending";
  const title = proposalTitle(proposal, isPending ? ports.services.list(found.vault) : []);
  const now = ports.now();
  const forward = `/approve/${found.id}?vault=${encodeURIComponent(found.vault)}`;
  if (!isPending) {
    const body = decidedPage({ title, proposal, now, pending: [] });
    return await answerPage({ title, body, forward }, { status: decidedStatus(proposal) });
  }
  const body = linkPage({ title, proposal, review, now, signIn });
  return await answerPage({ title, body, forward }, problem);
}

/** The status of a page about a proposal that nobody can decide any more. */
export function decidedStatus({ status }: Proposal): number {
  return status === "expired" ? 410 : 200;
}
