import { HttpFault } from "./http_fault.ts";

/** `Sec-Fetch-Site` of a request that no other site's page caused (Fetch Metadata, 2.5). */
const OWN_SITE_VALUES: ReadonlySet<string> = new Set(["same-origin", "none"]);

/** Pages that show nothing and change nothing without signing in, so a link elsewhere may lead there. */
const LINKED_PAGES = /^\/(?:approve\/[^/]+)?$/;

/**
 * Refuses a request that a foreign web page could have caused. A page that rebinds its own name to a
 * loopback address sends that name as `Host`; a page that calls the loopback address sends its
 * `Origin`; a page that only embeds an address sends `Sec-Fetch-Site`.
 *
 * @param hosts The listener's own authorities with port, such as `127.0.0.1:14321`.
 * @throws HttpFault `host_not_allowed` | `origin_not_allowed`.
 */
export function checkRequestSource(request: Request, hosts: readonly string[]): void {
  const host = request.headers.get("Host")?.toLowerCase();
  // The Host field is judged before the URL: Deno builds the URL from it and may fail on a bad one.
  // A missing field is refused too, for then the URL would hold the listener's address in any case.
  if (host === undefined || !isOwnHost(host, hosts) || !isOwnHost(urlHost(request), hosts)) {
    throw new HttpFault(
      "host_not_allowed",
      "Check the Host field: it does not name this listener",
      {
        hint: `Call the broker as http://${hosts[0] ?? "127.0.0.1"}`,
      },
    );
  }
  const origin = request.headers.get("Origin");
  if (origin !== null && origin.toLowerCase() !== `http://${host}`) {
    throw new HttpFault("origin_not_allowed", "Check the Origin field: it names another site", {
      hint: "Call the broker from a program, not from a page of another site",
    });
  }
  const site = request.headers.get("Sec-Fetch-Site");
  if (site !== null && !OWN_SITE_VALUES.has(site.toLowerCase()) && !isFollowedLink(request)) {
    throw new HttpFault(
      "origin_not_allowed",
      "Check Sec-Fetch-Site: another site's page sent this",
      {
        hint: "Type the broker's address into the browser instead of following a link",
      },
    );
  }
}

/** A person followed a link in a chat or a terminal in the browser: the page opens as a whole window. */
function isFollowedLink({ method, headers, url }: Request): boolean {
  return method === "GET" && headers.get("Sec-Fetch-Mode") === "navigate" &&
    headers.get("Sec-Fetch-Dest") === "document" &&
    LINKED_PAGES.test(URL.parse(url)?.pathname ?? "");
}

function isOwnHost(host: string, hosts: readonly string[]): boolean {
  return hosts.some((own) => {
    const name = own.toLowerCase();
    // A client leaves the scheme's default port out (RFC 9110, 7.2 and 4.2.1).
    return host === name || (name.endsWith(":80") && host === name.slice(0, -":80".length));
  });
}

/** The authority of the request's URL, which an absolute-form request line sets apart from `Host`. */
function urlHost(request: Request): string {
  return URL.parse(request.url)?.host ?? "";
}
