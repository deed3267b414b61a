/**
 * How a proposal is shown to the person who decides. Whatever the agent wrote stands behind a bar or in
 * quotes and has its invisible characters written out, so that it cannot pass for a line of the broker;
 * what decides stands last, next to the question.
 */

import { serializeDuration } from "../model/duration.ts";
import type { FieldReview, ProposalReview, ServiceReview } from "../model/proposal_review.ts";
import { visibleLines, visibleText } from "../model/visible_text.ts";
import type { Mark } from "./output.ts";
import type { ProposalDocument } from "./proposal_source.ts";
import { formatTable } from "./table.ts";

/** How {@link formatProposal} lays out. */
export interface ProposalLayout {
  readonly width: number;
  readonly mark: (mark: Mark, text: string) => string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const SOURCE_WORDS = {
  existing: "the vault",
  person: "you",
  agent: "the agent",
} as const;

const ACTION_WORDS = {
  add: "Add",
  replace: "Replace",
  delete: "Delete",
  keep: "Keep",
} as const;

/** Units of a duration that are still worth reading. */
const SHOWN_UNITS = 2;

/** The lines that show a proposal; with a review, everything that decides. */
export function formatProposal(
  proposal: ProposalDocument,
  review: ProposalReview | undefined,
  layout: ProposalLayout,
): string[] {
  return [
    ...headerLines(proposal, layout),
    ...quoteLines("", proposal.user_message, layout),
    ...quoteLines("For developers:", proposal.message, layout),
    ...review === undefined ? contentLines(proposal, layout) : [
      ...review.services.flatMap((service) => serviceLines(service, layout)),
      ...credentialLines(proposal, review, layout),
      ...warningLines(review, layout),
    ],
  ];
}

/** What a proposal asks for, on one line. */
export function summarizeProposal({ services, credentials }: ProposalDocument): string {
  return [
    ...services.map((one) => `${one.action} ${one.name} (${one.host})`),
    ...credentials.map((one) => one.value_supplied ? `store ${one.key}` : `ask for ${one.key}`),
  ].join(", ");
}

/** Time until or since a moment, in its two largest units. */
export function spanText(milliseconds: number): string {
  const parts = serializeDuration(Math.abs(milliseconds)).match(/[0-9]+[a-z]/g) ?? [];
  return parts.slice(0, SHOWN_UNITS).join("");
}

function headerLines(proposal: ProposalDocument, { mark, now }: ProposalLayout): string[] {
  const { id, vault, status, created_by: by } = proposal;
  const left = Date.parse(proposal.expires_at) - now;
  const state = status === "pending" ? `pending, expires in ${spanText(left)}` : status;
  const who = by.type === "operator" ? "the operator" : `${by.type} ${visibleText(by.name)}`;
  return [
    mark("bold", `Proposal ${id} in vault "${vault}": ${state}`),
    mark("dim", `made ${spanText(now - Date.parse(proposal.created_at))} ago by ${who}`),
    ...proposal.reject_reason === null ? [] : [`reason: ${visibleText(proposal.reject_reason)}`],
  ];
}

function quoteLines(title: string, text: string, { mark }: ProposalLayout): string[] {
  if (text.trim() === "") return [];
  const lines = visibleLines(text).map((line) => `${mark("dim", "  |")} ${line}`.trimEnd());
  return ["", ...(title === "" ? [] : [mark("dim", title)]), ...lines];
}

function contentLines(proposal: ProposalDocument, { mark }: ProposalLayout): string[] {
  return [
    "",
    ...proposal.services.map((one) => `${one.action} ${mark("bold", one.name)} (${one.host})`),
    ...proposal.credentials.map((slot) =>
      `${mark("bold", slot.key)}: ${
        slot.value_supplied ? "value sent" : "a person gives the value"
      }`
    ),
  ];
}

function serviceLines(service: ServiceReview, layout: ProposalLayout): string[] {
  const { mark } = layout;
  const word = ACTION_WORDS[service.action];
  const note = service.action === "keep" ? " (nothing changes)" : "";
  const shown = service.fields.filter((field) => isShown(field, service));
  return [
    "",
    mark("bold", `${word} service ${service.name}`) + note,
    ...shown.flatMap((field) => fieldLines(field, service, layout)),
  ];
}

/** Host and auth always; of a service that is not replaced, what is usual says nothing. */
function isShown({ field, changed, before, after }: FieldReview, { action }: ServiceReview) {
  switch (field) {
    case "host":
    case "auth":
      return true;
    case "substitutions":
      return (after ?? before) !== "none" || (action === "replace" && changed);
    case "enabled":
      return after === "no" || (action === "replace" && changed);
  }
}

function fieldLines(
  { field, before, after, changed }: FieldReview,
  { action }: ServiceReview,
  { mark }: ProposalLayout,
): string[] {
  const lines = (text: string, label: string, sign: string, color?: Mark): string[] =>
    text.split("\n").map((line, index) => {
      const name = (index === 0 ? label : "").padEnd("substitutions".length);
      const shown = visibleText(line);
      return `  ${name} ${sign} ${color === undefined ? shown : mark(color, shown)}`;
    });
  if (action !== "replace" || !changed) return lines(after ?? before ?? "", field, " ");
  return [...lines(before ?? "", field, "-", "red"), ...lines(after ?? "", "", "+", "green")];
}

function credentialLines(
  proposal: ProposalDocument,
  { credentials }: ProposalReview,
  { mark, width }: ProposalLayout,
): string[] {
  if (credentials.length === 0) return [];
  const table = formatTable(
    [{ title: "  CREDENTIAL" }, { title: "VALUE FROM" }, { title: "SENT TO" }],
    credentials.map(({ key, source, replaces, hosts }) => [
      `  ${key}`,
      SOURCE_WORDS[source] + (replaces ? " (replaces the stored one)" : ""),
      hosts.join(", ") || "no service",
    ]),
    { width, title: (text) => mark("bold", text) },
  );
  const help = proposal.credentials.flatMap((slot) => [
    ...quoteLines(`About ${slot.key}:`, slot.description, { mark, width, now: 0 }),
    ...slot.obtain === "" ? [] : [`  get ${slot.key} at ${visibleText(slot.obtain)}`],
    ...quoteLines(`Steps to ${slot.key}:`, slot.obtain_instructions, { mark, width, now: 0 }),
  ]);
  return ["", ...table, ...help];
}

function warningLines(review: ProposalReview, { mark }: ProposalLayout): string[] {
  const warnings = review.warnings.map(({ isDanger, message }) => {
    const text = visibleText(message);
    return isDanger
      ? mark("danger", `!! WARNING: ${text}`)
      : `${mark("yellow", "! note:")} ${text}`;
  });
  const conflicts = review.conflicts.map((text) => `${mark("red", "cannot be applied:")} ${text}`);
  const lines = [...warnings, ...conflicts];
  return lines.length === 0 ? [] : ["", ...lines];
}
