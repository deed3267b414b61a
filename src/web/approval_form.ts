import { html } from "hono/html";
import type { CredentialSlot, Proposal } from "../model/proposal.ts";
import type { CredentialReview, ProposalReview } from "../model/proposal_review.ts";
import { hasInvisibleCharacters, visibleLines, visibleText } from "../model/visible_text.ts";
import { csrfField, type Html, operatorRoot, type SignedIn } from "./page.ts";
import { dangersOf, sourceText } from "./review_sections.ts";
import { textLines } from "./text_lines.ts";

/** Why a form came back. */
export interface FormProblem {
  readonly text: string;
  /** What is wrong with a field, by the key of its credential. */
  readonly faults: ReadonlyMap<string, string>;
  /** The danger was not confirmed. */
  readonly unconfirmed?: boolean;
}

/** What the form to decide is made from. */
export interface ApprovalFormView {
  readonly operator: SignedIn;
  readonly proposal: Proposal;
  readonly review: ProposalReview;
  readonly digest: string;
  /** Keys whose value was typed before and is kept for this browser. */
  readonly kept: ReadonlySet<string>;
  readonly problem?: FormProblem | undefined;
}

/** Says why the form came back, with a link to each field that needs another look. */
export function problemNotice({ text, faults }: FormProblem): Html {
  return html`<section class="notice bad" id="problem" tabindex="-1" autofocus><h2>Nothing was changed</h2>
<p>${text}</p>
${
    faults.size === 0
      ? ""
      : html`<ul>${
        [...faults].map(([key, fault]) =>
          html`<li><a href="#${fieldId(key)}"><code>${key}</code></a>: ${fault}</li>`
        )
      }</ul>`
  }</section>`;
}

/** Name of the field with the value of a credential. */
export function valueField(key: string): string {
  return `value.${key}`;
}

/** The form that approves: values, the confirmation of a danger, the button. */
export function approvalForm(view: ApprovalFormView): Html {
  const { operator, proposal, review } = view;
  return html`<form method="post" action="${decisionPath(view, "approve")}" autocomplete="off">
${csrfField(operator)}
<input type="hidden" name="vault" value="${proposal.vault}">
<input type="hidden" name="digest" value="${view.digest}">
${credentialsCard(view)}
${confirmation(view)}
<p class="notice warn" id="stale" role="status" hidden></p>
<div class="row"><button class="${
    dangersOf(review).length > 0 ? "alarming" : "primary"
  } wide-button">${approveText(view)}</button></div>
</form>`;
}

/** The form that rejects, closed until it is wanted. */
export function rejectForm(view: Omit<ApprovalFormView, "kept" | "problem">): Html {
  return html`
    <details class="card">
      <summary>Reject …</summary>
      <form method="post" action="${decisionPath(view, "reject")}">
    ${csrfField(view.operator)}
    <input type="hidden" name="vault" value="${view.proposal.vault}">
    <div class="field"><label for="reason">Reason</label>
    <p class="soft small" id="reason-help">The agent reads it. It may stay empty.</p>
    <textarea id="reason" name="reason" rows="3" maxlength="2000" aria-describedby="reason-help"></textarea>
    </div>
    <div class="row"><button class="danger wide-button">Reject</button></div>
      </form>
    </details>
  `;
}

/** The credentials as somebody sees them who may not decide. */
export function credentialList({ credentials }: ProposalReview): Html | "" {
  if (credentials.length === 0) return "";
  return html`
    <section class="card" aria-labelledby="credentials">
      <h2 id="credentials">Credentials</h2>
      <ul class="plain">${credentials.map((one) =>
        html`<li class="stack tight">${keyLine(one)}</li>`
      )}</ul>
    </section>
  `;
}

function decisionPath(
  { operator, proposal }: Pick<ApprovalFormView, "operator" | "proposal">,
  decision: "approve" | "reject",
): string {
  return `${operatorRoot(operator)}/approve/${proposal.id}/${decision}`;
}

function approveText({ review }: ApprovalFormView): string {
  return dangersOf(review).length > 0 ? "Approve in spite of the danger" : "Approve";
}

function credentialsCard(view: ApprovalFormView): Html | "" {
  const { credentials } = view.review;
  if (credentials.length === 0) return "";
  return html`<section class="card" aria-labelledby="credentials"><h2 id="credentials">Credentials</h2>
${
    credentials.map((one) =>
      one.slot === undefined
        ? html`<div class="stack tight">${keyLine(one)}</div>`
        : slotField({ ...one, slot: one.slot }, view)
    )
  }
<p class="soft small">What you type goes straight into the sealed store. The agent never sees it.</p>
</section>`;
}

function keyLine(credential: CredentialReview): Html {
  const { key, hosts } = credential;
  return html`<p><code>${key}</code> <span class="soft">${sourceText(credential)}</span></p>
${
    hosts.length === 0
      ? ""
      : html`<p class="soft small">goes to <span class="mono">${
        hosts.map((host) => visibleText(host)).join(", ")
      }</span></p>`
  }`;
}

function slotField(
  credential: CredentialReview & { readonly slot: CredentialSlot },
  view: ApprovalFormView,
): Html {
  const { key, slot, source } = credential;
  const id = fieldId(key);
  const fault = view.problem?.faults.get(key);
  const kept = view.kept.has(key);
  const described = [`${id}-help`, ...(fault === undefined ? [] : [`${id}-fault`])].join(" ");
  return html`<div class="field">
<label for="${id}"><code>${key}</code> <span class="soft">${sourceText(credential)}</span></label>
<div class="stack tight small" id="${id}-help">
${
    credential.hosts.length === 0
      ? ""
      : html`<p class="soft">goes to <span class="mono">${
        credential.hosts.map((host) => visibleText(host)).join(", ")
      }</span></p>`
  }
${slotHelp(slot)}
${
    source === "agent" && !kept
      ? html`<p>Type another value to use it instead of the agent's.</p>`
      : ""
  }
${kept ? html`<p>Typed before and kept; leave it empty to use it.</p>` : ""}
</div>
<input id="${id}" name="${valueField(key)}" type="password" autocomplete="off" spellcheck="false"
${
    source === "person" && !kept
      ? html`
        required
      `
      : ""
  } aria-describedby="${described}"
${
    fault === undefined ? "" : html`
      aria-invalid="true"
    `
  }>
${fault === undefined ? "" : html`<p class="fault" id="${id}-fault">${fault}</p>`}
</div>`;
}

function fieldId(key: string): string {
  return `value-${key}`;
}

/** What the agent says about a slot. The link goes nowhere but to a secure site, and says to which. */
function slotHelp({ description, obtain, obtainInstructions }: CredentialSlot): Html {
  const said = [description, obtainInstructions].filter((text) => text !== "");
  const link = secureUrl(obtain);
  return html`${
    said.map((text) => html`<p class="agent-words">${textLines(visibleLines(text))}</p>`)
  }
${
    link !== undefined
      ? html`<p>Get it at <a href="${link.href}" rel="noopener noreferrer nofollow" target="_blank">${link.host}</a>
<span class="soft">(named by the agent)</span></p>`
      : obtain === ""
      ? ""
      : html`<p class="soft">Named by the agent: ${visibleText(obtain)}</p>`
  }`;
}

function secureUrl(text: string): { href: string; host: string } | undefined {
  const url = URL.parse(text);
  if (url === null || url.protocol !== "https:" || hasInvisibleCharacters(text)) return undefined;
  // A user name before the host makes one site look like another.
  return url.username === "" && url.password === "" ? url : undefined;
}

/** Asks for a yes to the danger itself, which the page shows first. */
function confirmation({ review, problem }: ApprovalFormView): Html | "" {
  const dangers = dangersOf(review);
  if (dangers.length === 0) return "";
  const unconfirmed = problem?.unconfirmed === true;
  return html`
    <div
      class="confirm"><label><input type="checkbox" name="understood" value="yes" required${unconfirmed
        ? html`
          aria-invalid="true" aria-describedby="problem"
        `
        : ""}> <span>I have read the red part above, and I want it.</span></label></div>
  `;
}
