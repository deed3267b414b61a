import { html } from "hono/html";
import type { Html } from "./page.ts";

/** A page that only says something. */
export interface Message {
  readonly heading: string;
  readonly text: string;
  /** What to do next. */
  readonly hint?: string | undefined;
  /** What a defect is found by in the log. */
  readonly requestId?: string | undefined;
}

/** Says what happened and what to do. */
export function messagePage({ heading, text, hint, requestId }: Message): Html {
  return html`
    <div class="head">
      <h1>${heading}</h1>
    </div>
    <section class="card">
    <p>${text}</p>
    ${hint === undefined ? "" : html`<p>${hint}</p>`}
    ${requestId === undefined ? "" : html`<p class="soft small">Request ${requestId}</p>`}
    </section>
  `;
}
