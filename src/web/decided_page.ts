import { html } from "hono/html";
import type { Proposal } from "../model/proposal.ts";
import { visibleLines } from "../model/visible_text.ts";
import { pendingList, type PendingProposal } from "./pending_list.ts";
import type { Html, SignedIn } from "./page.ts";
import { moment, textLines } from "./text_lines.ts";

/** A proposal that nobody can decide any more. */
export interface DecidedView {
  readonly title: string;
  readonly proposal: Proposal;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What somebody tried with it just now. */
  readonly attempt?: "approve" | "reject" | undefined;
  readonly operator?: SignedIn | undefined;
  readonly pending: readonly PendingProposal[];
}

/** Says how a proposal ended and what comes of it. */
export function decidedPage(view: DecidedView): Html {
  const { proposal, title, pending, operator } = view;
  return html`
    <div class="head">
      <p class="row"><span class="badge ${proposal.status}">${WORDS[proposal.status]}</span>
    <span class="soft small">Proposal ${proposal.id} for vault <strong>${proposal
      .vault}</strong></span></p>
      <h1>${heading(view)}</h1>
      <p class="soft">${title}</p>
    </div>
    ${view.attempt === undefined ? "" : html`
      <section class="notice warn" role="alert">
        <p>${attemptText(view.attempt)}</p>
      </section>
    `}
    ${outcome(view)}
    ${operator === undefined || pending.length === 0
      ? ""
      : html`<section class="card" aria-labelledby="others"><h2 id="others">Also waiting</h2>
${pendingList(pending, { operator, vault: proposal.vault })}</section>`}
  `;
}

const WORDS = {
  pending: "waits",
  applied: "approved",
  rejected: "rejected",
  expired: "expired",
} as const;

function heading({ proposal }: DecidedView): string {
  switch (proposal.status) {
    case "applied":
      return "Approved: the agent can go on";
    case "rejected":
      return "Rejected: nothing was changed";
    case "expired":
      return "Too late: this proposal expired";
    case "pending":
      return "This proposal waits";
  }
}

function attemptText(attempt: "approve" | "reject"): string {
  return attempt === "approve"
    ? "Nothing was changed now: it had been decided before you approved it."
    : "Nothing was changed now: it had been decided before you rejected it.";
}

function outcome({ proposal, now }: DecidedView): Html {
  switch (proposal.status) {
    case "applied":
      return html`
        <section class="card">
          <ul class="plain">${doneLines(proposal).map((line) => html`<li>${line}</li>`)}</ul>
          <p>It holds from now on. The agent retries its request, and no key was shown to it.</p>
          <p class="soft small">Approved ${moment(proposal.reviewedAt ?? now, now)}</p>
        </section>
      `;
    case "rejected":
      return html`<section class="card"><p>The agent was told that you said no.</p>
${
        proposal.rejectReason === undefined ? "" : html`
          <figure class="quote">
            <figcaption class="soft small">Your reason</figcaption>
            <blockquote>${textLines(visibleLines(proposal.rejectReason))}</blockquote>
          </figure>
        `
      }
<p class="soft small">Rejected ${moment(proposal.reviewedAt ?? now, now)}</p></section>`;
    case "expired":
      return html`
        <section class="card">
          <p>A proposal can be approved for seven days. This one ended
        ${moment(proposal.expiresAt, now)}. The agent can make it again.</p>
        </section>
      `;
    case "pending":
      return html``;
  }
}

/** What an approval did, a line each. */
function doneLines({ services, credentials }: Proposal): Html[] {
  const changed = services.map((change) =>
    change.action === "set"
      ? html`Service <strong>${change.service.name}</strong> now takes
<span class="mono">${change.service.host}</span>.`
      : html`Service <strong>${change.name}</strong> was removed.`
  );
  const stored = credentials.map(({ key }) => html`<code>${key}</code> was stored.`);
  return [...changed, ...stored];
}
