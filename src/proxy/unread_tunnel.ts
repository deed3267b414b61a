import { hostField } from "../http1/request_target.ts";
import type { Access, AccessCheck } from "./access.ts";
import { isBlind } from "./open_tunnels.ts";
import type { ClientConnection } from "./client_connection.ts";
import { compiledVault } from "./compiled_vault.ts";
import { type ConnectRequest, ESTABLISHED } from "./connect_request.ts";
import type { ProxyContext } from "./context.ts";
import { RefusalError } from "./refusal.ts";
import { RowDraft } from "./row_draft.ts";
import { splice } from "./splice.ts";
import { type ByteStream, closeQuietly, WireReader } from "./wire.ts";

/**
 * Serves a tunnel whose bytes nobody looks at; not when the vault has changed while it was dialled.
 *
 * @throws {RefusalError} when there is no connection, or the session has ended meanwhile.
 */
export async function serveBlind(
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

/**
 * A protocol that is not HTTP passes where the vault lets unmatched traffic pass; it gets no credential.
 *
 * @throws {RefusalError} when the vault does not, or there is no connection.
 */
export async function serveOther(
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

function closeBoth(client: ByteStream, upstream: ByteStream): void {
  closeQuietly(client);
  closeQuietly(upstream);
}
