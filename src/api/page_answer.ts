import { type Page, renderPage } from "../web/page.ts";

/**
 * What every page carries. Nothing is loaded from elsewhere, nothing runs that is not a file of the
 * program, no other page can frame it. `same-origin` and not `no-referrer`, because a browser sends
 * `Origin: null` with the forms of a page that has the latter; no other origin is told anything.
 */
const PAGE_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** Answers with a page. */
export async function answerPage(
  page: Page,
  { status = 200, headers = {} }: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Response> {
  return new Response(await renderPage(page), {
    status,
    headers: { ...PAGE_HEADERS, ...headers },
  });
}

/** Sends the browser on, after a form, to a path that the broker built itself. */
export function seeOther(path: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { Location: path, "Referrer-Policy": "same-origin", ...headers },
  });
}

/** Whether a person will look at the answer. */
export function wantsPage(request: Request): boolean {
  return /\btext\/html\b/i.test(request.headers.get("Accept") ?? "");
}
