import type { RequestLogRow } from "../model/request_log_row.ts";
import type { Secret } from "../model/secret.ts";
import type { Caller } from "../model/session.ts";
import type { VaultSnapshot } from "../model/vault_snapshot.ts";
import type { ClientConnection } from "./client_connection.ts";
import type { ByteStream } from "./wire.ts";

/** What the data plane asks the store. Each call is made once a request, so each must be cheap. */
export interface VaultState {
  /** Differs from the last call's number when anything may have changed since. */
  revision(): number;
  /** Who a token belongs to; `undefined` when it is unknown, revoked or expired. */
  findCaller(token: string): Caller | undefined;
  /** The vault as it stands; the same object for as long as nothing in it changed. */
  snapshot(vaultName: string): VaultSnapshot | undefined;
}

/** Takes the rows of the request log; must neither block nor throw. */
export interface RequestLog {
  record(row: RequestLogRow): void;
}

/** Terminates TLS under a leaf certificate of the broker's CA. */
export interface TlsAcceptor {
  /** Makes ready for a host. @throws {BrokerError} when no certificate can name it. */
  prepare(hostname: string): Promise<TlsServer>;
}

/** Opens TLS for clients of one host. */
export interface TlsServer {
  /** Takes a connection over whose first bytes are a client's TLS; gives the plaintext side. */
  accept(client: ClientConnection): ByteStream & {
    /** True once the client has finished the handshake. */
    readonly established: boolean;
  };
}

/** Opens verified TLS to an upstream on a connection whose address has been checked. */
export interface UpstreamTls {
  /** @param signal Gives the handshake up when the proxy stops. */
  connect(tcp: Deno.TcpConn, hostname: string, signal: AbortSignal): Promise<Deno.TlsConn>;
}

/** All addresses of a name, best first; an empty list when it has none. */
export type Resolver = (hostname: string) => Promise<readonly string[]>;

/** A proxy that the user had before (a company's), and that upstream connections go through. */
export interface ParentProxy {
  readonly hostname: string;
  readonly port: number;
  /** The `Proxy-Authorization` value, when the proxy wants one. */
  readonly authorization: Secret | undefined;
  /** The environment variable that named it, for messages. */
  readonly variable: string;
}

/** The parent that a connection goes through; `undefined` for none. */
export type ParentSelector = (
  target: { readonly scheme: "http" | "https"; readonly hostname: string },
) => ParentProxy | undefined;

/** Decides which addresses may be dialled. */
export interface AddressGuard {
  check(
    address: string,
    options: { exactHost: boolean },
  ): { readonly allowed: true } | { readonly allowed: false; readonly reason: string };
}
