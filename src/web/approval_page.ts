import { html } from "hono/html";
import type { Proposal } from "../model/proposal.ts";
import type { ProposalReview } from "../model/proposal_review.ts";
import {
  approvalForm,
  type ApprovalFormView,
  credentialList,
  problemNotice,
  rejectForm,
} from "./approval_form.ts";
import type { Html } from "./page.ts";
import { pendingList, type PendingProposal } from "./pending_list.ts";
import { reviewSections } from "./review_sections.ts";
import { signInForm, type SignInView } from "./sign_in_page.ts";
import { moment } from "./text_lines.ts";

interface ProposalView {
  readonly title: string;
  readonly proposal: Proposal;
  readonly review: ProposalReview;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The page for a person who may decide. */
export interface DecisionView extends ProposalView, ApprovalFormView {
  readonly pending: readonly PendingProposal[];
}

/** The page for whoever has the link: it reads, and offers to sign in. */
export interface LinkView extends ProposalView {
  readonly signIn: SignInView;
}

/** Shows what a proposal would do, and lets a person decide. */
export function decisionPage(view: DecisionView): Html {
  const { proposal, review, problem } = view;
  return html`${head(view)}
<div class="live" aria-live="assertive">${problem === undefined ? "" : problemNotice(problem)}</div>
${reviewSections(proposal, review)}
${review.conflicts.length === 0 ? approvalForm(view) : ""}
${rejectForm(view)}
${alsoWaiting(view)}`;
}

/** Shows what a proposal would do to somebody who has its link alone. */
export function linkPage(view: LinkView): Html {
  const { proposal, review, signIn } = view;
  return html`${head(view)}
${reviewSections(proposal, review)}
${credentialList(review)}
<section class="card" aria-labelledby="sign-in"><h2 id="sign-in">Sign in to decide</h2>
${signInForm(signIn)}</section>`;
}

function head({ title, proposal, now }: ProposalView): Html {
  const { id, vault, proposer, createdAt, expiresAt } = proposal;
  return html`
    <div class="head">
      <p class="row"><span class="badge pending">waits for you</span>
    <span class="soft small">Proposal ${id} for vault <strong>${vault}</strong></span></p>
      <h1>${title}?</h1>
      <p class="soft small">Asked by ${proposer.type} <span class="mono">${proposer.name}</span>
    ${moment(createdAt, now)}, expires ${moment(expiresAt, now)}</p>
    </div>
  `;
}

function alsoWaiting({ pending, operator, proposal }: DecisionView): Html {
  const section = pending.length === 0 ? "" : html`<section class="stack" aria-labelledby="others">
<h2 id="others">Also waiting</h2>
${pendingList(pending, { operator, vault: proposal.vault })}</section>`;
  return html`<div class="live" id="others-list">${section}</div>`;
}
