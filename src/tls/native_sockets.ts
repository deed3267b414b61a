import { parseIpAddress } from "../x509/ip_address.ts";

/** What differs between the C libraries; undefined for systems where this is not possible. */
const PLATFORM = Deno.build.os === "linux"
  ? { library: "libc.so.6", inet6: 10, familyAt: 0, solSocket: 1, soAcceptConn: 30 }
  : Deno.build.os === "darwin"
  ? {
    library: "/usr/lib/libSystem.B.dylib",
    inet6: 30,
    familyAt: 1,
    solSocket: 0xffff,
    soAcceptConn: 2,
  }
  : undefined;

/** Constants that both systems share. */
const AF_INET = 2;
const IPPROTO_TCP = 6;
const TCP_NODELAY = 1;
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
  getsockopt: { parameters: ["i32", "i32", "i32", "buffer", "buffer"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  shutdown: { parameters: ["i32", "i32"], result: "i32" },
} as const;

type Library = Deno.DynamicLibrary<typeof SYMBOLS>;

/** The ends of a TCP connection. */
export interface SocketEnds {
  readonly localAddr: Deno.Addr;
  readonly remoteAddr: Deno.Addr;
}

/**
 * Two things that Deno cannot do with the socket beneath a TlsConn, done through the C library:
 *
 * - TCP_NODELAY for what a TLS listener accepts. Without it an answer of more than one TLS record waits
 *   for the kernel's delayed acknowledgement: 44 ms instead of 0.1 ms for 20 kB on loopback.
 * - Disconnecting during the handshake. `close()` leaves the socket open until the other side acts, so
 *   that a silent one would hold a descriptor for ever.
 *
 * Where the system does not let it (Windows, or no permission for FFI), both report false and everything
 * works without.
 */
export class NativeSockets {
  #library: Library | undefined;
  #closed = false;

  /**
   * Sets TCP_NODELAY on the TCP listener at this port of 127.0.0.1. What it accepts from then on inherits
   * the option, on Linux as on macOS.
   */
  setListenerNoDelay(port: number): boolean {
    const symbols = this.#open()?.symbols;
    if (symbols === undefined || PLATFORM === undefined) return false;
    const { solSocket, soAcceptConn } = PLATFORM;
    const address = { transport: "tcp", hostname: "127.0.0.1", port } as const;
    const flag = new Int32Array(1);
    const length = new Uint32Array(1);
    const descriptor = findDescriptor(symbols, address, (each) => {
      length[0] = 4;
      // Connections that it has accepted have the listener's address too.
      return symbols.getsockopt(each, solSocket, soAcceptConn, flag, length) === 0 && flag[0] !== 0;
    });
    if (descriptor === undefined) return false;
    flag[0] = 1;
    return symbols.setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, flag, 4) === 0;
  }

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
  matches: (descriptor: number) => boolean = () => true,
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
