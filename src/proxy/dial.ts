import type { Authority } from "../http1/request_target.ts";
import { TlsConnectError } from "../tls/connect.ts";
import { isLocalAddress, parseAddress } from "./address_guard.ts";
import type { ProxyLimits } from "./limits.ts";
import { openParentTunnel } from "./parent.ts";
import type { AddressGuard, ParentProxy, ParentSelector, Resolver, UpstreamTls } from "./ports.ts";
import { RefusalError } from "./refusal.ts";
import { closeQuietly } from "./wire.ts";

/** Where to connect, and what the vault's services allow there. */
export interface DialTarget {
  readonly scheme: "http" | "https" | "tunnel";
  readonly authority: Authority;
  /** An exact-host service names the host, which opens guarded addresses (interfaces: Guarded addresses). */
  readonly exactHost: boolean;
  /** A credential would travel in the clear, which only loopback and private addresses may see. */
  readonly localOnly: boolean;
}

/** A connection, and the parent proxy that it goes through. */
export interface Dialled {
  readonly stream: Deno.TcpConn | Deno.TlsConn;
  readonly parent: ParentProxy | undefined;
}

/** What a {@link Dialer} works with. */
export interface DialerOptions {
  readonly resolve: Resolver;
  readonly guard: AddressGuard;
  readonly tls: UpstreamTls;
  readonly selectParent: ParentSelector;
  readonly limits: ProxyLimits;
  /** True for an address and port on which the broker itself listens. */
  readonly isOwnListener: (address: string, port: number) => boolean;
}

/** Tried alone for this long before the next address of a name gets its turn, in milliseconds (RFC 8305). */
const NEXT_ADDRESS_MS = 2_500;

/**
 * Opens connections to upstreams. The name is resolved once, the address that passes the guard is the
 * address that is dialled, so that a name which changes its answer in between gains nothing.
 */
export class Dialer {
  readonly #options: DialerOptions;
  readonly #stopping = new AbortController();
  /** Rejects each attempt that is under way. */
  readonly #underWay = new Set<(reason: unknown) => void>();

  constructor(options: DialerOptions) {
    this.#options = options;
  }

  /** @throws {RefusalError} with the reason why there is no connection. */
  async dial(target: DialTarget): Promise<Dialled> {
    const stopped = Promise.withResolvers<never>();
    this.#underWay.add(stopped.reject);
    const dialling = this.#dial(target);
    try {
      return await Promise.race([dialling, stopped.promise]);
    } catch (error) {
      // A name's resolution cannot be cancelled; whatever it still leads to is not wanted.
      dialling.then(({ stream }) => closeQuietly(stream), () => {});
      throw error;
    } finally {
      this.#underWay.delete(stopped.reject);
    }
  }

  /** Gives up whatever is under way. */
  close(): void {
    this.#stopping.abort();
    for (const reject of this.#underWay) reject(brokerStopped());
  }

  async #dial(target: DialTarget): Promise<Dialled> {
    const { hostname } = target.authority;
    const parent = this.#options.selectParent({
      scheme: target.scheme === "http" ? "http" : "https",
      hostname,
    });
    if (parent === undefined) {
      const addresses = this.#permitted(target, await this.#resolve(hostname));
      const tcp = await this.#connectAny(target.authority, addresses);
      return { stream: await this.#secure(tcp, target), parent };
    }
    // The parent resolves the name itself and may know names that this machine does not; what this
    // machine can resolve is judged all the same.
    const addresses = this.#permitted(target, await this.#tryResolve(hostname));
    if (target.localOnly && addresses.length === 0) throw plaintextRefused(hostname);
    const tcp = await this.#connectToParent(parent);
    if (target.scheme === "http") return { stream: tcp, parent };
    try {
      await within(this.#options.limits.connectMs, openParentTunnel(tcp, parent, target.authority));
    } catch (error) {
      closeQuietly(tcp);
      throw parentFailure(error, parent);
    }
    return { stream: await this.#secure(tcp, target), parent };
  }

  async #connectToParent(parent: ParentProxy): Promise<Deno.TcpConn> {
    const addresses = await this.#resolve(parent.hostname);
    if (addresses.some((address) => this.#options.isOwnListener(address, parent.port))) {
      throw new RefusalError({
        code: "loop_detected",
        message: `${parent.variable} names the broker itself`,
      });
    }
    return await this.#connectAny(parent, addresses);
  }

  /** Opens TLS where the scheme asks for it; closes the connection when that fails. */
  async #secure(tcp: Deno.TcpConn, target: DialTarget): Promise<Deno.TcpConn | Deno.TlsConn> {
    try {
      tcp.setNoDelay(true);
      if (target.scheme !== "https") return tcp;
      const { hostname } = target.authority;
      return await this.#options.tls.connect(tcp, hostname, this.#stopping.signal);
    } catch (error) {
      closeQuietly(tcp);
      if (error instanceof RefusalError) throw error;
      const timedOut = error instanceof TlsConnectError && error.fault === "timeout";
      throw new RefusalError({
        code: timedOut ? "upstream_timeout" : "upstream_tls_failed",
        message: error instanceof Error ? error.message : "The TLS handshake failed",
      }, { cause: error });
    }
  }

  async #tryResolve(hostname: string): Promise<readonly string[]> {
    try {
      return await this.#resolve(hostname);
    } catch (error) {
      if (error instanceof RefusalError) return [];
      throw error;
    }
  }

  async #resolve(hostname: string): Promise<readonly string[]> {
    if (parseAddress(hostname) !== undefined) return [hostname];
    let addresses: readonly string[] = [];
    let cause: unknown;
    try {
      addresses = await this.#options.resolve(hostname);
    } catch (error) {
      cause = error;
    }
    if (addresses.length > 0) return addresses;
    throw new RefusalError({
      code: "dns_failed",
      message: `The name "${hostname}" does not resolve`,
    }, { cause });
  }

  #permitted(target: DialTarget, addresses: readonly string[]): readonly string[] {
    const { hostname, port } = target.authority;
    if (addresses.some((address) => this.#options.isOwnListener(address, port))) {
      throw new RefusalError({
        code: "loop_detected",
        message: `"${hostname}" port ${port} is the broker itself`,
      });
    }
    let blocked: { address: string; reason: string } | undefined;
    const allowed = addresses.filter((address) => {
      const verdict = this.#options.guard.check(address, { exactHost: target.exactHost });
      if (!verdict.allowed) blocked ??= { address, reason: verdict.reason };
      return verdict.allowed;
    });
    if (allowed.length === 0 && blocked !== undefined) {
      throw new RefusalError({
        code: "network_blocked",
        message: `"${hostname}" resolves to a guarded address: ${blocked.reason}`,
        extras: { address: blocked.address },
      });
    }
    if (!target.localOnly || addresses.length === 0) return allowed;
    const local = allowed.filter(isLocalAddress);
    if (local.length > 0) return local;
    throw plaintextRefused(hostname);
  }

  async #connectAny(
    { hostname, port }: Authority,
    addresses: readonly string[],
  ): Promise<Deno.TcpConn> {
    let failure: unknown;
    for (const [index, address] of addresses.entries()) {
      const isLast = index === addresses.length - 1;
      const limit = isLast ? this.#options.limits.connectMs : NEXT_ADDRESS_MS;
      try {
        return await connectWithin(address, port, Math.min(limit, this.#options.limits.connectMs));
      } catch (error) {
        failure = error;
      }
    }
    if (failure instanceof TimeLimit) {
      throw new RefusalError({
        code: "upstream_timeout",
        message: `"${hostname}" port ${port} did not accept a connection in time`,
      });
    }
    throw new RefusalError({
      code: "upstream_unreachable",
      message: `"${hostname}" port ${port} cannot be reached: ${reasonOf(failure)}`,
    }, { cause: failure });
  }
}

class TimeLimit extends Error {}

async function connectWithin(
  hostname: string,
  port: number,
  limitMs: number,
): Promise<Deno.TcpConn> {
  const connecting = Deno.connect({ hostname, port });
  try {
    return await within(limitMs, connecting);
  } catch (error) {
    // The attempt cannot be cancelled; whatever it still yields is not wanted.
    connecting.then(closeQuietly, () => {});
    throw error;
  }
}

/** @throws {TimeLimit} when the promise takes longer. */
async function within<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeLimit()), limitMs);
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** What a request is told that the broker's end overtook. */
export function brokerStopped(): RefusalError {
  return new RefusalError({ code: "upstream_unreachable", message: "The broker has stopped" });
}

function plaintextRefused(hostname: string): RefusalError {
  return new RefusalError({
    code: "plaintext_refused",
    message: `A credential would travel to "${hostname}" over plain HTTP`,
  });
}

/** What went wrong on the way through a parent; the connection to it may break at any moment. */
function parentFailure(error: unknown, parent: ParentProxy): RefusalError {
  if (error instanceof RefusalError) return error;
  const where = `The parent proxy "${parent.hostname}:${parent.port}" (${parent.variable})`;
  return error instanceof TimeLimit
    ? new RefusalError({ code: "upstream_timeout", message: `${where} did not answer in time` })
    : new RefusalError({
      code: "upstream_unreachable",
      message: `${where} broke the connection: ${reasonOf(error)}`,
    }, { cause: error });
}

/** The limit of the process, and that of the system. */
const OUT_OF_DESCRIPTORS: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

/** The operating system's words for why a connection failed; they name no secret. */
function reasonOf(failure: unknown): string {
  if (failure instanceof Deno.errors.ConnectionRefused) return "connection refused";
  if (failure instanceof Error && "code" in failure && OUT_OF_DESCRIPTORS.has(failure.code)) {
    return 'the broker has no file descriptor left (a higher "ulimit -n" gives it more)';
  }
  if (failure instanceof Error) return failure.message.replace(/ \(os error \d+\)/, "");
  return "connection failed";
}
