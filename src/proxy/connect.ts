import { HttpFault } from "../http1/fault.ts";
import { requestFraming } from "../http1/framing.ts";
import { headerValues } from "../http1/headers.ts";
import type { RequestHead } from "../http1/request_head.ts";
import { type Authority, hostField } from "../http1/request_target.ts";
import type { Access, AccessCheck } from "./access.ts";
import { isBlind } from "./blind_tunnels.ts";
import { ClientConnection } from "./client_connection.ts";
import { compiledVault } from "./compiled_vault.ts";
import type { ProxyContext } from "./context.ts";
import { BrokerError } from "../errors.ts";
import type { AcceptedTls, TlsAcceptor } from "./ports.ts";
import { type Refusal, REFUSAL_STATUS, RefusalError } from "./refusal.ts";
import { RowDraft } from "./row_draft.ts";
import { serveRequests, tunnelHandler } from "./serve.ts";
import { splice } from "./splice.ts";
import { type ByteStream, closeQuietly, WireReader } from "./wire.ts";

const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n";

/** First byte of a TLS record that carries a handshake (RFC 8446 section 5.1). */
const TLS_HANDSHAKE = 0x16;

/** Longest method with its blank: enough to tell HTTP from other protocols. */
const METHOD_PEEK_BYTES = 12;

/** A CONNECT request whose client may use the broker. */
export interface ConnectRequest {
  readonly authority: Authority;
  readonly access: AccessCheck;
}

/** A tunnel that is opened; where its upstream or vault cannot be used, every request gets the refusal. */
interface Intercepted extends ConnectRequest {
  readonly refusal: Refusal | undefined;
  readonly accepting: EarlyAccept;
}

/**
 * Checks a CONNECT's own form: it has no body, and one Host at most (its value decides nothing).
 *
 * @throws {HttpFault} otherwise.
 */
export function checkConnectHead(head: RequestHead): void {
  if (headerValues(head.headers, "host").length > 1) {
    throw new HttpFault("there are several Host fields");
  }
  const framing = requestFraming(head);
  if (framing.kind === "chunked" || (framing.kind === "length" && framing.length > 0)) {
    throw new HttpFault("a CONNECT carries a body");
  }
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
  const accepting = new EarlyAccept(request.authority, context.acceptor);
  try {
    client.writer.text(ESTABLISHED);
    await client.writer.flush();
    await serveIntercepted(client, { ...request, refusal, accepting }, context);
  } finally {
    accepting.abandon();
  }
}

/**
 * The TLS side of a tunnel, opened while the client still reads its 200: nearly every client begins TLS
 * at once, and a client that waits for a connection and gets it late opens further ones meanwhile.
 */
class EarlyAccept {
  readonly #opened: Promise<AcceptedTls>;
  #taken = false;

  constructor(authority: Authority, acceptor: TlsAcceptor) {
    this.#opened = acceptor.open(authority.hostname);
    this.#opened.catch(() => {}); // Heard by whoever takes it.
  }

  /** @throws {RefusalError} `bad_request` for a host that no certificate can name. */
  async take(): Promise<AcceptedTls> {
    this.#taken = true;
    try {
      return await this.#opened;
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
      throw new RefusalError({ code: "bad_request", message: error.message }, { cause: error });
    }
  }

  /** Closes what nobody took. */
  abandon(): void {
    if (this.#taken) return;
    this.#opened.then(({ inner, tls }) => {
      closeQuietly(inner);
      closeQuietly(tls);
    }, () => {});
  }
}

/**
 * Serves a tunnel whose bytes nobody looks at; not when the vault has changed while it was dialled.
 *
 * @throws {RefusalError} when there is no connection, or the session has ended meanwhile.
 */
async function serveBlind(
  client: ClientConnection,
  request: ConnectRequest,
  context: ProxyContext,
): Promise<"served" | "no-longer-blind"> {
  const { stream: upstream } = await context.dialer.dial({
    scheme: "tunnel",
    authority: request.authority,
    exactHost: false,
    localOnly: false,
  });
  const mayStay = () => isBlind(request.access, request.authority);
  try {
    if (!mayStay()) return "no-longer-blind";
    client.writer.text(ESTABLISHED);
    await client.writer.flush();
    await copyUnread(client, upstream, { ...request, mayStay, context });
    return "served";
  } finally {
    closeQuietly(upstream);
  }
}

/** Copies both ways, unread, until either side ends it or it may not stay; one log row tells of it. */
async function copyUnread(
  client: ClientConnection,
  upstream: ByteStream,
  { access, authority, mayStay, context }: ConnectRequest & {
    mayStay: () => boolean;
    context: ProxyContext;
  },
): Promise<void> {
  const row = new RowDraft("tunnel");
  row.access = access.check();
  row.describe({ method: "CONNECT", host: hostField("https", authority), path: "" });
  row.status = 200;
  const tunnel = { mayStay, close: () => closeBoth(client.stream, upstream) };
  context.tunnels.add(tunnel);
  const touch = () => client.deadline.at = Date.now() + context.limits.tunnelIdleMs;
  touch();
  try {
    await splice(client, { stream: upstream, reader: new WireReader(upstream) }, {
      toUpstream: {
        piece: (length) => {
          row.requestBytes += length;
          touch();
        },
      },
      toClient: {
        piece: (length) => {
          row.responseBytes += length;
          touch();
        },
      },
    });
  } finally {
    context.tunnels.remove(tunnel);
    tunnel.close();
    context.log.record(row.finish());
  }
}

async function serveIntercepted(
  client: ClientConnection,
  request: Intercepted,
  context: ProxyContext,
): Promise<void> {
  client.deadline.at = Date.now() + context.limits.clientIdleMs;
  const protocol = await peekProtocol(client);
  client.deadline.at = Infinity;
  if (protocol !== "tls") request.accepting.abandon();
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

/**
 * A protocol that is not HTTP passes where the vault lets unmatched traffic pass; it gets no credential.
 *
 * @throws {RefusalError} when the vault does not, or there is no connection.
 */
async function serveOther(
  client: ClientConnection,
  request: ConnectRequest,
  context: ProxyContext,
): Promise<void> {
  const { access, authority } = request;
  const { matcher } = compiledVault(checkOther(access).vault);
  const { stream: upstream } = await context.dialer.dial({
    scheme: "tunnel",
    authority,
    exactHost: matcher.hasExactHost(authority.hostname, authority.port),
    localOnly: false,
  });
  try {
    const mayStay = () => checkOther(access) !== undefined;
    mayStay();
    await copyUnread(client, upstream, { ...request, mayStay, context });
  } finally {
    closeQuietly(upstream);
  }
}

function checkOther(access: AccessCheck): Access {
  const allowed = access.check();
  const { cleared, settings } = allowed.vault;
  if (!cleared && settings.unmatchedHostPolicy === "passthrough") return allowed;
  throw new RefusalError({
    code: cleared ? "no_services" : "forbidden",
    message: "The vault lets nothing pass that no service brokers, and this is not HTTP",
  });
}

/** Opens the client's TLS under a leaf for the host, and serves the requests inside. */
async function serveTls(
  client: ClientConnection,
  request: Intercepted,
  context: ProxyContext,
): Promise<void> {
  let accepted: AcceptedTls;
  try {
    accepted = await request.accepting.take();
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    return recordUnsaid(request, { refusal: error.refusal, context });
  }
  const { inner, tls } = accepted;
  const touch = { piece: () => {} };
  const copying = splice(client, { stream: inner, reader: new WireReader(inner) }, {
    toUpstream: touch,
    toClient: touch,
  });
  const decrypted = new ClientConnection(tls);
  context.deadlines.watch(decrypted.deadline, () => closeQuietly(tls));
  try {
    await serveRequests(decrypted, context, {
      ingress: "connect",
      handle: tunnelHandler(decrypted, context, {
        scheme: "https",
        authority: request.authority,
        access: request.access,
        refusal: request.refusal,
      }),
    });
  } finally {
    context.deadlines.forget(decrypted.deadline);
    closeQuietly(tls);
    client.deadline.at = Date.now() + context.limits.lingerMs;
    await copying;
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

function closeBoth(client: ByteStream, upstream: ByteStream): void {
  closeQuietly(client);
  closeQuietly(upstream);
}
