import { BrokerError } from "../errors.ts";
import { clientFaultOf } from "../tls/client_fault.ts";
import { hostField } from "../http1/request_target.ts";
import { isBlind } from "./open_tunnels.ts";
import { ClientConnection } from "./client_connection.ts";
import { type ConnectRequest, ESTABLISHED } from "./connect_request.ts";
import type { ProxyContext } from "./context.ts";
import type { TlsServer } from "./ports.ts";
import { REFUSAL_STATUS } from "../model/refusal_code.ts";
import { type Refusal, RefusalError } from "./refusal.ts";
import { RowDraft } from "./row_draft.ts";
import { serveRequests, tunnelHandler } from "./serve.ts";
import { serveBlind, serveOther } from "./unread_tunnel.ts";
import { closeQuietly } from "./wire.ts";

/** First byte of a TLS record that carries a handshake (RFC 8446 section 5.1). */
const TLS_HANDSHAKE = 0x16;

/** Longest method with its blank: enough to tell HTTP from other protocols. */
const METHOD_PEEK_BYTES = 12;

/** A tunnel that is opened; where its upstream or vault cannot be used, every request gets the refusal. */
interface Intercepted extends ConnectRequest {
  readonly refusal: Refusal | undefined;
  /** Made ready while the client still reads its 200: nearly every client begins TLS at once. */
  readonly tls: Promise<TlsServer>;
}

/**
 * Serves a tunnel to its end. Bytes to a host that no service could match pass unseen; everything else
 * is opened, so that it can be brokered or the client can read why not.
 */
export async function serveConnect(
  client: ClientConnection,
  request: ConnectRequest,
  context: ProxyContext,
): Promise<void> {
  let refusal: Refusal | undefined;
  try {
    if (isBlind(request.access, request.authority)) {
      if (await serveBlind(client, request, context) === "served") return;
    }
  } catch (error) {
    // Said inside the tunnel: clients do not show the body of a refused CONNECT.
    if (!(error instanceof RefusalError)) throw error;
    refusal = error.refusal;
  }
  const tls = context.acceptor.prepare(request.authority.hostname);
  tls.catch(() => {}); // Heard by whoever needs it.
  client.writer.text(ESTABLISHED);
  await client.writer.flush();
  await serveIntercepted(client, { ...request, refusal, tls }, context);
}

async function serveIntercepted(
  client: ClientConnection,
  request: Intercepted,
  context: ProxyContext,
): Promise<void> {
  client.deadline.at = Date.now() + context.limits.clientIdleMs;
  const protocol = await peekProtocol(client);
  client.deadline.at = Infinity;
  switch (protocol) {
    case "tls":
      return await serveTls(client, request, context);
    case "http":
      return await serveRequests(client, context, {
        ingress: "connect",
        handle: tunnelHandler(client, context, {
          scheme: "http",
          authority: request.authority,
          access: request.access,
          refusal: request.refusal,
        }),
      });
    case "other":
    case "closed":
      try {
        // Neither can a credential be put into another protocol nor an answer be given in it.
        if (request.refusal !== undefined) throw new RefusalError(request.refusal);
        if (protocol === "other") await serveOther(client, request, context);
      } catch (error) {
        if (!(error instanceof RefusalError)) throw error;
        recordUnsaid(request, { refusal: error.refusal, context });
      }
  }
}

/** A refusal that the client never asked to hear still happened. */
function recordUnsaid(
  request: ConnectRequest,
  { refusal, context }: { refusal: Refusal; context: ProxyContext },
): void {
  const row = new RowDraft("tunnel");
  row.describe({ method: "CONNECT", host: hostField("https", request.authority), path: "" });
  row.errorCode = refusal.code;
  row.status = REFUSAL_STATUS[refusal.code];
  context.log.record(row.finish());
}

/** A client that does not trust the broker's CA is the most common trouble, and gets no answer. */
function recordClientFault(
  request: ConnectRequest,
  { error, context }: { error: unknown; context: ProxyContext },
): void {
  const host = hostField("https", request.authority);
  const row = new RowDraft("connect");
  row.describe({ method: "CONNECT", host, path: "" });
  try {
    row.access = request.access.check();
  } catch (refused) {
    // The token was revoked since: the row stays without a vault.
    if (!(refused instanceof RefusalError)) throw refused;
  }
  row.errorCode = "client_tls_failed";
  context.log.record(row.finish());
  context.onClientFault?.(clientFaultOf(error), host);
}

/** Opens the client's TLS under a leaf for the host, and serves the requests inside. */
async function serveTls(
  client: ClientConnection,
  request: Intercepted,
  context: ProxyContext,
): Promise<void> {
  let server: TlsServer;
  try {
    server = await request.tls;
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    // No certificate can name the host.
    const refusal: Refusal = { code: "bad_request", message: error.message };
    return recordUnsaid(request, { refusal, context });
  }
  const tls = server.accept(client);
  const decrypted = new ClientConnection(tls);
  context.deadlines.watch(decrypted.deadline, () => closeQuietly(tls));
  try {
    decrypted.deadline.at = Date.now() + context.limits.clientIdleMs;
    try {
      // The handshake runs with the first read.
      if (!(await decrypted.reader.fill())) return;
    } catch (error) {
      const left = error instanceof Deno.errors.UnexpectedEof ||
        error instanceof Deno.errors.ConnectionReset;
      // A connection opened in advance and never used is no fault.
      if (error instanceof Deno.errors.InvalidData || (left && !tls.established)) {
        recordClientFault(request, { error, context });
      }
      return;
    }
    await serveRequests(decrypted, context, {
      ingress: "connect",
      handle: tunnelHandler(decrypted, context, {
        scheme: "https",
        authority: request.authority,
        access: request.access,
        refusal: request.refusal,
      }),
    });
    decrypted.deadline.at = Date.now() + context.limits.lingerMs;
    await tls.closeWrite().catch(() => {}); // The client may have left.
  } finally {
    context.deadlines.forget(decrypted.deadline);
    closeQuietly(tls);
  }
}

/** Looks at the first bytes without taking them. */
async function peekProtocol(
  client: ClientConnection,
): Promise<"tls" | "http" | "other" | "closed"> {
  const { reader } = client;
  while (true) {
    if (reader.buffered > 0) {
      if (reader.buffer[reader.start] === TLS_HANDSHAKE) return "tls";
      const text = new TextDecoder().decode(
        reader.buffer.subarray(
          reader.start,
          Math.min(reader.end, reader.start + METHOD_PEEK_BYTES),
        ),
      );
      if (/^(\r\n)*[A-Z]+ /.test(text)) return "http";
      if (!/^(\r\n)*[A-Z]*$/.test(text) || text.length === METHOD_PEEK_BYTES) return "other";
    }
    if (!(await reader.fill())) return "closed";
  }
}
