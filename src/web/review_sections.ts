import { html } from "hono/html";
import type { Proposal } from "../model/proposal.ts";
import type {
  CredentialReview,
  FieldReview,
  ProposalReview,
  ReviewWarning,
  ServiceReview,
} from "../model/proposal_review.ts";
import { serviceKeys } from "../model/credential_refs.ts";
import { hasInvisibleCharacters, visibleLines, visibleText } from "../model/visible_text.ts";
import type { Html } from "./page.ts";
import { textLines } from "./text_lines.ts";

/** What decides about a proposal, without a control: the same for who may decide and who may not. */
export function reviewSections(proposal: Proposal, review: ProposalReview): Html {
  return html`${conflicts(review)}${alarm(review)}${notices(review)}${message(proposal)}
<section class="stack" aria-labelledby="changes">
<h2 id="changes">What would change</h2>
${review.services.map((one) => serviceCard(one, review))}
${review.services.length === 0 ? html`<p class="soft">No service changes.</p>` : ""}
</section>`;
}

/** The dangers of a proposal. */
export function dangersOf(review: ProposalReview): readonly ReviewWarning[] {
  return review.warnings.filter(({ isDanger }) => isDanger);
}

/** What nobody may miss. The words say it too, for who does not see the colour. */
export function alarm(review: ProposalReview): Html | "" {
  const dangers = dangersOf(review);
  if (dangers.length === 0) return "";
  return html`
    <section class="alarm" aria-labelledby="alarm">
      <h2 id="alarm">${alarmTitle(dangers)}</h2>
      <ul>${dangers.map((one) => html`<li>${dangerText(one)}</li>`)}</ul>
    </section>
  `;
}

/** Where a value comes from, in one or two words. */
export function sourceText({ source, replaces }: CredentialReview): string {
  switch (source) {
    case "existing":
      return "in the vault already";
    case "person":
      return replaces ? "you give a new value" : "you give the value";
    case "agent":
      return replaces ? "the agent gave a new value" : "the agent gave the value";
  }
}

/** What the alarm is called after the gravest of its points. */
const ALARM_TITLES: readonly [kind: ReviewWarning["kind"], title: string][] = [
  ["new_destination", "Danger: a credential of yours would go to a new host"],
  ["readable", "Danger: the agent could read a credential back"],
  ["replaced_value", "Careful: a stored credential would be replaced"],
];

function alarmTitle(dangers: readonly ReviewWarning[]): string {
  const kinds = dangers.map(({ kind }) => kind);
  return ALARM_TITLES.find(([kind]) => kinds.includes(kind))?.[1] ?? "Danger";
}

function dangerText({ kind, key, host, message }: ReviewWarning): Html {
  if (kind !== "new_destination" || key === undefined || host === undefined) {
    return html`${visibleText(message)}.`;
  }
  return html`<code>${key}</code> would be sent to <code>${visibleText(host)}</code>,
where it was not sent before. Whoever runs that host could use it as you.
<span class="unseen">${visibleText(message)}</span>`;
}

function notices({ warnings }: ProposalReview): Html | "" {
  const rest = warnings.filter(({ isDanger }) => !isDanger);
  if (rest.length === 0) return "";
  return html`
    <section class="notice warn" aria-labelledby="notices">
      <h2 id="notices">Worth a second look</h2>
      <ul>${rest.map(({ message }) => html`<li>${visibleText(message)}.</li>`)}</ul>
    </section>
  `;
}

function conflicts({ conflicts: found }: ProposalReview): Html | "" {
  if (found.length === 0) return "";
  return html`
    <section class="notice bad" aria-labelledby="conflicts">
      <h2 id="conflicts">This does not fit the vault any more</h2>
      <ul>${found.map((text) => html`<li>${visibleText(text)}.</li>`)}</ul>
      <p>It cannot be approved. Reject it, and the agent can make a new proposal.</p>
    </section>
  `;
}

function message({ userMessage, message: forDevelopers }: Proposal): Html {
  const said = userMessage === "" ? forDevelopers : userMessage;
  if (said === "") return html`<p class="soft">The agent gave no reason.</p>`;
  const more = userMessage !== "" && forDevelopers !== "" && forDevelopers !== userMessage;
  const hidden = hasInvisibleCharacters(userMessage) || hasInvisibleCharacters(forDevelopers);
  return html`<figure class="quote">
<figcaption class="soft small"><strong>The agent says.</strong> Nobody checked these words.</figcaption>
${quoted(said, "")}
${more ? quoted(forDevelopers, "soft small") : ""}
${
    hidden
      ? html`<p class="fault small">This text holds characters that cannot be seen. They are written
out as \\u{…}.</p>`
      : ""
  }
</figure>`;
}

/** Characters from which a text gets a box of its own to scroll in. */
const LONG_TEXT = 600;

/** However much an agent writes, what would change stays in sight. */
function quoted(text: string, style: string): Html {
  const lines = textLines(visibleLines(text));
  return text.length < LONG_TEXT && text.split("\n").length < 12
    ? html`<blockquote class="${style}">${lines}</blockquote>`
    : html`<blockquote class="long ${style}" tabindex="0">${lines}</blockquote>`;
}

const BADGES: Readonly<Record<ServiceReview["action"], readonly [style: string, text: string]>> = {
  add: ["new", "new"],
  replace: ["changed", "changed"],
  delete: ["removed", "removed"],
  keep: ["", "stays as it is"],
};

const LABELS: Readonly<Record<FieldReview["field"], string>> = {
  host: "Host",
  auth: "Sends",
  substitutions: "Placeholders",
  enabled: "Switched on",
};

function serviceCard(service: ServiceReview, review: ProposalReview): Html {
  const [style, text] = BADGES[service.action];
  return html`
    <article class="card ${service.action}">
      <h3
        class="row"><span class="mono">${service
          .name}</span><span class="badge ${style}">${text}</span></h3>
      <dl class="facts">
    ${service.fields.filter(isWorthALine).map(fieldRow)}
    ${boundCredentials(service, review)}
      </dl>
    </article>
  `;
}

/** That a new service has no placeholders and is on is what everybody expects. */
function isWorthALine({ field, before, after }: FieldReview): boolean {
  if (field === "substitutions") return [before, after].some((text) => text && text !== "none");
  if (field === "enabled") return [before, after].includes("no");
  return true;
}

function fieldRow({ field, before, after, changed }: FieldReview): Html {
  const style = field === "enabled" ? "" : "mono";
  return html`
    <dt>${LABELS[field]}</dt>
    <dd class="${style}">${fieldText({ before, after, changed })}</dd>
  `;
}

function fieldText({ before, after, changed }: Omit<FieldReview, "field">): Html {
  const was = before === undefined ? undefined : textLines(visibleLines(before));
  const now = after === undefined ? undefined : textLines(visibleLines(after));
  if (now === undefined) return html`<del>${was ?? ""}</del>`;
  if (was === undefined || !changed) return html`${now}`;
  if (before === "none") return html`<ins class="now">${now}</ins>`;
  return html`<del class="was"><span class="unseen">was </span>${was}</del>
<ins class="now"><span class="unseen">becomes </span>${now}</ins>`;
}

function boundCredentials({ after }: ServiceReview, { credentials }: ProposalReview): Html | "" {
  if (after === undefined) return "";
  const keys = serviceKeys(after);
  const bound = credentials.filter(({ key }) => keys.includes(key));
  return html`
    <dt>Credentials</dt>
    <dd>${bound.length === 0
      ? "none; what the program sends itself goes through"
      : html`<ul class="plain">${
        bound.map((one) =>
          html`<li><code>${one.key}</code> <span class="soft">${sourceText(one)}</span></li>`
        )
      }</ul>`}</dd>
  `;
}
