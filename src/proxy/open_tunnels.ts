import type { Authority } from "../http1/request_target.ts";
import type { AccessCheck } from "./access.ts";
import { compiledVault } from "./compiled_vault.ts";

/** A connection on which no further request will be checked: a blind tunnel or a WebSocket. */
export interface OpenTunnel {
  /** Whether it would be opened today as it was. @throws {RefusalError} when its session has ended. */
  mayStay(): boolean;
  close(): void;
}

/** How often open tunnels are held against the store, in milliseconds. */
const LOOK_MS = 250;

/**
 * The open tunnels. When their session ends, the vault closes, or another service or none would take them
 * now, they are closed, so that the client's next request is brokered or refused.
 */
export class OpenTunnels {
  readonly #tunnels = new Set<OpenTunnel>();
  #timer: ReturnType<typeof setInterval> | undefined;

  add(tunnel: OpenTunnel): void {
    this.#tunnels.add(tunnel);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#look(), LOOK_MS);
      Deno.unrefTimer(this.#timer);
    }
  }

  remove(tunnel: OpenTunnel): void {
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

  #end(tunnel: OpenTunnel): void {
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

function mayStay(tunnel: OpenTunnel): boolean {
  try {
    return tunnel.mayStay();
  } catch {
    return false;
  }
}
