import { html } from "hono/html";
import { type Asset, SIGN_IN_SCRIPT, STYLE } from "./assets.ts";

/** A piece of a page; whatever is put into a template is escaped. */
export type Html = ReturnType<typeof html>;

/** What a page needs to know of the person who signed in. */
export interface SignedIn {
  readonly path: string;
  readonly csrf: string;
}

/** A page without its frame. */
export interface Page {
  /** Of the window. */
  readonly title: string;
  readonly body: Html;
  readonly width?: "narrow" | "wide";
  /** Set on pages of a person who signed in. */
  readonly operator?: SignedIn | undefined;
  /** The vault that the page is about. */
  readonly vault?: string | undefined;
  /** Which entry of the navigation this page is. */
  readonly current?: "traffic" | undefined;
  /** Where below the operator's path a browser that is signed in already goes from here. */
  readonly forward?: string | undefined;
  /** The page after signing out. */
  readonly signedOut?: boolean;
  /** What the page's script follows. */
  readonly stream?: string;
  readonly scripts?: readonly Asset[];
}

const ICON = "data:image/svg+xml," +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="5.5" ' +
      'fill="none" stroke="#1f9d7f" stroke-width="3"/></svg>',
  );

/** Puts the frame around a page: head, bar, main. */
export async function renderPage(page: Page): Promise<string> {
  const { operator } = page;
  const scripts = [SIGN_IN_SCRIPT, ...page.scripts ?? []];
  const rendered = await html`
    <!DOCTYPE html>
    <html lang="en" ${attribute("data-operator-path", operatorRoot(operator))}${attribute(
      "data-forward",
      page.forward,
    )}${attribute("data-stream", page.stream)}${attribute(
      "data-signed-out",
      page.signedOut === true ? "" : undefined,
    )}>
      <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${page.title} · broker</title>
    <link rel="icon" href="${ICON}">
    <link rel="stylesheet" href="${STYLE.path}">
    ${scripts.map(({ path }) => html`<script type="module" src="${path}"></script>`)}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="bar">
    <a class="mark" href="${operator === undefined ? "/" : `${operatorRoot(operator)}/`}">broker</a>
    ${operator === undefined ? "" : navigation(operator, page)}
        </header>
        <main id="main" class="${page.width ?? ""}">
    ${page.body}
        </main>
      </body>
    </html>
  `;
  return rendered.toString();
}

/** Where the pages of a signed-in person lie, without a slash at the end. */
export function operatorRoot<T extends SignedIn | undefined>(
  operator: T,
): T extends SignedIn ? string : undefined;
export function operatorRoot(operator: SignedIn | undefined): string | undefined {
  return operator === undefined ? undefined : `/op/${operator.path}`;
}

/** The field that every form of a signed-in person has to hold. */
export function csrfField({ csrf }: SignedIn): Html {
  return html`<input type="hidden" name="csrf" value="${csrf}">`;
}

function navigation(operator: SignedIn, { vault, current }: Page): Html {
  const root = operatorRoot(operator);
  const query = vault === undefined ? "" : `?vault=${encodeURIComponent(vault)}`;
  return html`
    <nav aria-label="Pages">
      <a href="${root}/${query}" ${current === "traffic"
        ? html`
          aria-current="page"
        `
        : ""}>Traffic</a>
    </nav>
    <form class="inline" method="post" action="${root}/sign-out">
    ${csrfField(operator)}<button class="quiet">Sign out</button>
    </form>
  `;
}

function attribute(name: string, value: string | undefined): Html | "" {
  return value === undefined ? "" : html`
    ${name}="${value}"
  `;
}
