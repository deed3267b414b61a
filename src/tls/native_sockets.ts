import { parseIpAddress } from "../x509/ip_address.ts";

/** What differs between the C libraries; undefined for systems where this is not possible. */
const PLATFORM = Deno.build.os === "linux"
  ? { library: "libc.so.6", inet6: 10, familyAt: 0 }
  : Deno.build.os === "darwin"
  ? { library: "/usr/lib/libSystem.B.dylib", inet6: 30, familyAt: 1 }
  : undefined;

/** Constants that both systems share. */
const AF_INET = 2;
const SHUT_RDWR = 2;

/** Octets of a sockaddr_in6, the longest that a TCP socket has. */
const SOCKADDR_LENGTH = 28;

/**
 * Descriptors in a row that are no sockets before the search ends: the lowest free one is always taken
 * next, so there are no long gaps, and a stranger who is gone already must not cost a long search.
 */
const MAX_GAP = 1_024;

const SYMBOLS = {
  getsockname: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  getpeername: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  shutdown: { parameters: ["i32", "i32"], result: "i32" },
} as const;

type Library = Deno.DynamicLibrary<typeof SYMBOLS>;

/** The ends of a TCP connection. */
export interface SocketEnds {
  readonly localAddr: Deno.Addr;
  readonly remoteAddr: Deno.Addr;
}

/**
 * Disconnects TLS connections during their handshake, through the C library, because Deno cannot:
 * `close()` leaves the socket open until the other side acts, so that a silent one would hold a
 * descriptor for ever. Where the system does not let it (Windows, or no permission for FFI), it reports
 * false and everything works without.
 */
export class NativeSockets {
  #library: Library | undefined;
  #closed = false;

  /**
   * Ends a connection of this process in both directions, whatever is under way on it. It must not have
   * been closed yet, and has to be closed afterwards.
   */
  disconnect({ localAddr, remoteAddr }: SocketEnds): boolean {
    const symbols = this.#open()?.symbols;
    if (symbols === undefined) return false;
    const descriptor = findDescriptor(
      symbols,
      localAddr,
      (each) => compareName(symbols.getpeername, each, remoteAddr) === "equal",
    );
    return descriptor !== undefined && symbols.shutdown(descriptor, SHUT_RDWR) === 0;
  }

  /** Gives the library back. */
  close(): void {
    this.#closed = true;
    this.#library?.close();
    this.#library = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #open(): Library | undefined {
    if (this.#library !== undefined || this.#closed || PLATFORM === undefined) return this.#library;
    try {
      // Without the permission the call would ask for it on the terminal.
      if (Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return undefined;
      this.#library = Deno.dlopen(PLATFORM.library, SYMBOLS);
    } catch {
      this.#closed = true;
    }
    return this.#library;
  }
}

function findDescriptor(
  symbols: Library["symbols"],
  localAddr: Deno.Addr,
  matches: (descriptor: number) => boolean,
): number | undefined {
  let gap = 0;
  for (let descriptor = 0; gap < MAX_GAP; descriptor += 1) {
    const found = compareName(symbols.getsockname, descriptor, localAddr);
    if (found === "equal" && matches(descriptor)) return descriptor;
    gap = found === "none" ? gap + 1 : 0;
  }
  return undefined;
}

const sockaddr = new Uint8Array(SOCKADDR_LENGTH);
const sockaddrLength = new Uint32Array(1);

/** Compares one end of a socket, as `nameOf` tells it, with an address; "none" when it has no such end. */
function compareName(
  nameOf: Library["symbols"]["getsockname"],
  descriptor: number,
  address: Deno.Addr,
): "equal" | "different" | "none" {
  sockaddrLength[0] = SOCKADDR_LENGTH;
  if (nameOf(descriptor, sockaddr, sockaddrLength) !== 0) return "none";
  if (PLATFORM === undefined || address.transport !== "tcp") return "different";
  // sockaddr_in and sockaddr_in6: port at 2, an IPv4 address at 4, an IPv6 address at 8.
  if ((sockaddr[2]! << 8 | sockaddr[3]!) !== address.port) return "different";
  const octets = parseIpAddress(address.hostname);
  if (octets === undefined) return "different";
  const [family, from] = octets.length === 4 ? [AF_INET, 4] : [PLATFORM.inet6, 8];
  const equal = sockaddr[PLATFORM.familyAt] === family &&
    octets.every((octet, index) => sockaddr[from + index] === octet);
  return equal ? "equal" : "different";
}
