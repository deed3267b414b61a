/** Constants of the C library that differ between systems; undefined where this is not possible. */
const PLATFORM = Deno.build.os === "linux"
  ? { library: "libc.so.6", solSocket: 1, soAcceptConn: 30 }
  : Deno.build.os === "darwin"
  ? { library: "/usr/lib/libSystem.B.dylib", solSocket: 0xffff, soAcceptConn: 2 }
  : undefined;

/** IPPROTO_TCP and TCP_NODELAY, the same on both systems. */
const IPPROTO_TCP = 6;
const TCP_NODELAY = 1;

/** Descriptors looked at before giving up; a new one is the lowest that was free. */
const MAX_DESCRIPTORS = 65_536;

/** Octets of a sockaddr_in6, the longest that a TCP socket has. */
const SOCKADDR_LENGTH = 28;

const SYMBOLS = {
  getsockname: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  getsockopt: { parameters: ["i32", "i32", "i32", "buffer", "buffer"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
} as const;

/**
 * Sets TCP_NODELAY on listening sockets; the connections they accept inherit it on Linux and macOS.
 *
 * Deno offers `setNoDelay` for a TcpConn but not for the TlsConn that a TLS listener accepts, and without
 * it every answer of more than one TLS record waits 40 ms for the kernel's delayed acknowledgement: on
 * loopback 44 ms instead of 0.07 ms for 20 kB. The C library is the only way to the option.
 */
export class NoDelay {
  #library: Deno.DynamicLibrary<typeof SYMBOLS> | undefined;
  #closed = false;

  /**
   * Switches the option on for the listener at this port of 127.0.0.1. False when the system does not let
   * it: everything works then, only slower.
   */
  apply(port: number): boolean {
    const symbols = this.#open()?.symbols;
    if (PLATFORM === undefined || symbols === undefined) return false;
    const address = new Uint8Array(SOCKADDR_LENGTH);
    const length = new Uint32Array(1);
    const flag = new Int32Array(1);
    for (let descriptor = 0; descriptor < MAX_DESCRIPTORS; descriptor += 1) {
      length[0] = SOCKADDR_LENGTH;
      if (symbols.getsockname(descriptor, address, length) !== 0) continue;
      if (!isLoopbackPort(address, port)) continue;
      length[0] = 4;
      const { solSocket, soAcceptConn } = PLATFORM;
      // Accepted connections have the listener's port too.
      if (symbols.getsockopt(descriptor, solSocket, soAcceptConn, flag, length) !== 0) continue;
      if (flag[0] === 0) continue;
      flag[0] = 1;
      return symbols.setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, flag, 4) === 0;
    }
    return false;
  }

  /** Gives the library back. */
  close(): void {
    this.#closed = true;
    this.#library?.close();
    this.#library = undefined;
  }

  #open(): Deno.DynamicLibrary<typeof SYMBOLS> | undefined {
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

/** Whether a sockaddr_in is 127.0.0.1 with this port; family is 2 (AF_INET) on both systems. */
function isLoopbackPort(address: Uint8Array, port: number): boolean {
  const family = Deno.build.os === "darwin" ? address[1] : address[0];
  return family === 2 && (address[2]! << 8 | address[3]!) === port &&
    address[4] === 127 && address[5] === 0 && address[6] === 0 && address[7] === 1;
}
