import { html } from "hono/html";
import type { Html } from "./page.ts";

/** Says that a link opens nothing; whoever signs in sees what waits all the same. */
export function brokenLinkPage(signIn: Html): Html {
  return html`
    <div class="head">
      <h1>This link opens nothing</h1>
      <p
        class="soft">It is mistyped, of another broker, or older than a day. What it was for may still wait:
    sign in to see it, or let the agent make a new link.</p>
    </div>
    <section class="card" aria-labelledby="sign-in"><h2 id="sign-in">Sign in</h2>${signIn}</section>
  `;
}
