import { HttpFault } from "../http1/fault.ts";
import { headerValues } from "../http1/headers.ts";
import type { RequestHead } from "../http1/request_head.ts";
import { type Authority, parseRequestTarget } from "../http1/request_target.ts";
import type { AccessCheck } from "./access.ts";
import type { ClientConnection } from "./client_connection.ts";
import type { ProxyContext } from "./context.ts";
import { type After, Exchange, type InboundRequest, malformed } from "./exchange.ts";
import { RequestHeads } from "./read_head.ts";
import { REFUSAL_STATUS } from "../model/refusal_code.ts";
import type { Refusal } from "./refusal.ts";
import { replyRefusal, wantsKeepAlive } from "./reply.ts";
import { RowDraft } from "./row_draft.ts";

/** Handles one request of a connection, and says what becomes of the connection. */
export type RequestHandler = (head: RequestHead) => Promise<After>;

/**
 * Reads requests off a connection, one after the other, until either side ends it. Pipelined requests
 * wait in the buffer for their turn, so that answers keep their order.
 */
export async function serveRequests(
  client: ClientConnection,
  context: ProxyContext,
  options: { handle: RequestHandler; ingress: "connect" | "forward" },
): Promise<void> {
  const heads = new RequestHeads(client.reader);
  while (true) {
    client.deadline.at = Date.now() + context.limits.clientIdleMs;
    let head: RequestHead | undefined;
    try {
      while ((head = heads.take()) === undefined) {
        if (!(await client.reader.fill())) return; // The client left.
      }
    } catch (error) {
      if (!(error instanceof HttpFault)) return;
      await refuse(client, context, {
        refusal: malformed(error),
        row: new RowDraft(options.ingress),
        head: undefined,
      });
      return await linger(client, context);
    }
    client.deadline.at = Infinity;
    const after = await options.handle(head);
    if (after === "linger") return await linger(client, context);
    if (after === "close") return;
  }
}

/** The handler for requests within an intercepted tunnel: the CONNECT named the only authority. */
export function tunnelHandler(
  client: ClientConnection,
  context: ProxyContext,
  tunnel: {
    scheme: "http" | "https";
    authority: Authority;
    access: AccessCheck;
    refusal: Refusal | undefined;
  },
): RequestHandler {
  return (head) => {
    let pathAndQuery: string;
    try {
      pathAndQuery = targetWithin(tunnel.authority, head);
    } catch (error) {
      return refuseMalformed(client, context, { head, error, ingress: "connect" });
    }
    const request: InboundRequest = {
      head,
      ingress: "connect",
      scheme: tunnel.scheme,
      authority: tunnel.authority,
      pathAndQuery,
      access: tunnel.access,
      ...(tunnel.refusal === undefined ? {} : { refusal: tunnel.refusal }),
    };
    return new Exchange(client, request, context).run();
  };
}

/** Path and query of a request within a tunnel. @throws {HttpFault} when it names another authority. */
function targetWithin(authority: Authority, head: RequestHead): string {
  const target = parseRequestTarget(head.method, head.target);
  switch (target.form) {
    case "origin":
      return target.pathAndQuery;
    case "asterisk":
      return "*";
    case "absolute":
      if (
        target.authority.hostname !== authority.hostname || target.authority.port !== authority.port
      ) {
        throw new HttpFault("the request names another host than its CONNECT did");
      }
      return target.pathAndQuery;
    case "authority":
      throw new HttpFault("there is a CONNECT within a tunnel");
  }
}

/** Answers a request whose target or fields are malformed; the connection closes behind it. */
export async function refuseMalformed(
  client: ClientConnection,
  context: ProxyContext,
  options: { head: RequestHead; error: unknown; ingress: "connect" | "forward" },
): Promise<After> {
  if (!(options.error instanceof HttpFault)) throw options.error;
  const row = new RowDraft(options.ingress);
  row.describe({ method: options.head.method, host: "-", path: "-" });
  await refuse(client, context, { refusal: malformed(options.error), row, head: options.head });
  return "linger";
}

/** Sends a refusal and logs it. @returns Whether the connection may be kept. */
export async function refuse(
  client: ClientConnection,
  context: ProxyContext,
  options: { refusal: Refusal; row: RowDraft; head: RequestHead | undefined },
): Promise<boolean> {
  const { refusal, row, head } = options;
  const keepAlive = head !== undefined && refusal.code === "proxy_auth_required" &&
    wantsKeepAlive(head) && !hasBody(head);
  row.status = REFUSAL_STATUS[refusal.code];
  row.errorCode = refusal.code;
  try {
    await replyRefusal(client.writer, refusal, { requestId: row.id, head, keepAlive });
    return keepAlive;
  } catch {
    return false; // The client left while it was being answered.
  } finally {
    context.log.record(row.finish());
  }
}

function hasBody(head: RequestHead): boolean {
  return headerValues(head.headers, "transfer-encoding").length > 0 ||
    headerValues(head.headers, "content-length").some((value) => value !== "0");
}

/**
 * Closes the sending side and reads on for a moment: closing at once, with bytes unread, would reset the
 * connection and could take the answer from under the client's eyes (RFC 9112 section 9.6).
 */
async function linger(client: ClientConnection, context: ProxyContext): Promise<void> {
  client.deadline.at = Date.now() + context.limits.lingerMs;
  try {
    await client.stream.closeWrite();
    do client.reader.start = client.reader.end; while (await client.reader.fill());
  } catch {
    // The client closed first, or time is up.
  }
}
