import { html } from "hono/html";
import type { Html, SignedIn } from "./page.ts";

/** A proposal that waits for a person. */
export interface PendingProposal {
  readonly id: number;
  readonly vault: string;
  /** What is asked for, in one line. */
  readonly title: string;
}

/** Links to what waits for a decision; names the vault of those that are not of this one. */
export function pendingList(
  pending: readonly PendingProposal[],
  { operator, vault }: { readonly operator: SignedIn; readonly vault: string },
): Html {
  return html`<ul class="plain">${
    pending.map((one) =>
      html`<li><a href="${
        pendingPath(one, operator)
      }">${one.title}?</a> <span class="soft small">proposal
${one.id}${one.vault === vault ? "" : ` of vault ${one.vault}`}</span></li>`
    )
  }</ul>`;
}

/** Where a proposal is decided. */
export function pendingPath(
  { id, vault }: { readonly id: number; readonly vault: string },
  operator: { readonly path: string },
): string {
  return `/op/${operator.path}/approve/${id}?vault=${encodeURIComponent(vault)}`;
}
