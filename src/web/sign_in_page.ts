import { html } from "hono/html";
import type { SignInMethod } from "../model/operator.ts";
import type { Html } from "./page.ts";

/** What the form to sign in is made from. */
export interface SignInView {
  readonly method: SignInMethod;
  /** What was wrong with the last attempt. */
  readonly problem?: string | undefined;
  /** The proposal that the person came for, with the token of its link. */
  readonly proposal?: { readonly id: number; readonly link: string } | undefined;
  /** What does the same on a terminal. */
  readonly command: string;
}

/** The whole page at an address that shows nothing before somebody signed in. */
export function signInPage(view: SignInView): Html {
  return html`
    <div class="head">
      <h1>Sign in</h1>
      <p
        class="soft">These pages show what your vaults broker, and let you decide what agents ask for.</p>
    </div>
    <section class="card">${signInForm(view)}</section>
  `;
}

/** The form alone, for a page that shows something first. */
export function signInForm(view: SignInView): Html {
  if (view.method === "none") return withoutSignIn(view);
  const { proposal } = view;
  return html`<form method="post" action="/sign-in">
${
    proposal === undefined ? "" : html`<input type="hidden" name="proposal" value="${proposal.id}">
<input type="hidden" name="link" value="${proposal.link}">`
  }
<div class="field">
${view.method === "passphrase" ? passphraseField(view) : codeField(view)}
</div>
<div class="live" aria-live="assertive">${
    view.problem === undefined
      ? ""
      : html`<p class="notice bad" id="sign-in-problem">${view.problem}</p>`
  }</div>
<div class="row"><button class="primary wide-button">Sign in</button></div>
<p class="soft small">Or decide in another terminal: <code>${view.command}</code></p>
</form>`;
}

function passphraseField(view: SignInView): Html {
  return html`
    <label for="secret">Passphrase</label>
    <p class="soft small" id="secret-help">The one that protects the store.</p>
    <input id="secret" name="secret" type="password" autocomplete="current-password" required
      ${invalid(view)}>
  `;
}

function codeField(view: SignInView): Html {
  return html`
    <label for="secret">Code</label>
    <p class="soft small" id="secret-help">The terminal shows it, above the program that the broker
    started.</p>
    <input id="secret" name="secret" class="code" type="text" autocomplete="one-time-code"
      autocapitalize="characters" spellcheck="false" placeholder="ABCDE-12345" maxlength="40" required
      ${invalid(view)}>
  `;
}

function invalid({ problem }: SignInView): Html {
  return problem === undefined
    ? html`aria-describedby="secret-help"`
    : html`aria-describedby="secret-help sign-in-problem" aria-invalid="true" autofocus`;
}

function withoutSignIn({ command }: SignInView): Html {
  return html`
    <div class="stack">
      <h2>Nobody can sign in here</h2>
      <p>This broker has no passphrase, and was started with --quiet or without a terminal that could show a
    code.</p>
      <p>In a terminal of yours, type <code>${command}</code>, or give the store a passphrase with
        <code>broker passphrase set</code> and reload this page.</p>
    </div>
  `;
}
