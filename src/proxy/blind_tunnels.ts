import type { Authority } from "../http1/request_target.ts";
import type { AccessCheck } from "./access.ts";
import { compiledVault } from "./compiled_vault.ts";

/** A tunnel whose bytes nobody looks at. */
export interface BlindTunnel {
  /** Whether it would be opened today as it was. @throws {RefusalError} when its session has ended. */
  mayStay(): boolean;
  close(): void;
}

/** How often open blind tunnels are held against the store, in milliseconds. */
const LOOK_MS = 250;

/**
 * The open blind tunnels. When a service for their host appears, the vault closes or their session
 * ends, they are closed, so that the client's next request is brokered or refused.
 */
export class BlindTunnels {
  readonly #tunnels = new Set<BlindTunnel>();
  #timer: ReturnType<typeof setInterval> | undefined;

  add(tunnel: BlindTunnel): void {
    this.#tunnels.add(tunnel);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#look(), LOOK_MS);
      Deno.unrefTimer(this.#timer);
    }
  }

  remove(tunnel: BlindTunnel): void {
    this.#tunnels.delete(tunnel);
    if (this.#tunnels.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Closes every tunnel. */
  close(): void {
    for (const tunnel of [...this.#tunnels]) this.#end(tunnel);
  }

  #look(): void {
    for (const tunnel of [...this.#tunnels]) {
      if (!mayStay(tunnel)) this.#end(tunnel);
    }
  }

  #end(tunnel: BlindTunnel): void {
    this.remove(tunnel);
    tunnel.close();
  }
}

/** True for a CONNECT whose bytes may pass unseen: no service could match, and the vault lets it pass. */
export function isBlind(access: AccessCheck, authority: Authority): boolean {
  const { vault } = access.check();
  if (vault.cleared || vault.settings.unmatchedHostPolicy === "deny") return false;
  return !compiledVault(vault).matcher.couldMatchHost(authority.hostname, authority.port);
}

function mayStay(tunnel: BlindTunnel): boolean {
  try {
    return tunnel.mayStay();
  } catch {
    return false;
  }
}
