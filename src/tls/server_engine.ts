/**
 * The server side of TLS as a machine over bytes: ciphertext in, plaintext out, and back, without a
 * socket of its own. Deno has no server side of `startTls`; a `Deno.listenTls` on loopback for each host
 * would do, at the price of two more sockets and half of a request's time. Deno's own `node:tls` is built
 * on a native class over rustls that takes a TLSSocket's bytes from any stream. That class is what works
 * here. It is no public interface, so this is the only file that knows it, and it is checked before use.
 */
import { BrokerError } from "../errors.ts";
import type { Leaf } from "./issuer.ts";

/** What clients are offered (RFC 7301): curl --http1.0 names that version alone. */
const ALPN_PROTOCOLS = ["http/1.1", "http/1.0"];

/** Most plaintext given to rustls at once, in bytes; what its 64 KiB do not hold, it would put off. */
const SEND_BYTES = 32 * 1024;

/** Memory of pieces above this size, in bytes, is given back at once, not when the collector comes by. */
const FREE_BYTES = 4 * 1024;

const NO_BYTES = new Uint8Array(0);

/** The native class, as far as it is used. */
interface NativeTls {
  initServerTls(context: { cert: string; key: string }): number;
  attachJsStream(): number;
  setHandle(handle: NativeTls): void;
  setOnread(take: (plaintext: ArrayBuffer | undefined) => void): void;
  setAlpnProtocols(protocols: readonly string[]): void;
  start(): number;
  readBuffer(ciphertext: Uint8Array): void;
  writeBuffer(request: object, plaintext: Uint8Array): number;
  drainEncOut(): Uint8Array | ArrayBuffer | null | undefined;
  shutdown(request: object): number;
  destroySsl(): void;
  onhandshakedone: () => void;
  onerror: (error: Error) => void;
}

const METHODS = [
  "initServerTls",
  "attachJsStream",
  "setHandle",
  "setOnread",
  "setAlpnProtocols",
  "start",
  "readBuffer",
  "writeBuffer",
  "drainEncOut",
  "shutdown",
  "destroySsl",
] as const satisfies readonly (keyof NativeTls)[];

type NativeTlsClass = new (kind: 1, provider: 0) => NativeTls;

let nativeClass: Promise<NativeTlsClass> | undefined;

/**
 * Loads what engines are made of; `node:tls` is read with the first tunnel, because most of its 20 ms
 * would be spent in vain by programs that never open one.
 *
 * @throws {BrokerError} `unavailable` on a Deno whose node:tls is built in another way.
 */
export function loadServerEngine(): Promise<(leaf: Leaf) => ServerEngine> {
  nativeClass ??= findNativeClass();
  return nativeClass.then((Native) => (leaf) => new ServerEngine(new Native(1, 0), leaf));
}

async function findNativeClass(): Promise<NativeTlsClass> {
  const { TLSSocket } = await import("node:tls");
  const { Duplex } = await import("node:stream");
  const nowhere = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const socket = new TLSSocket(nowhere, { isServer: true });
  socket.on("error", () => {}); // It has no certificate, and is asked for nothing but its class.
  try {
    const { _handle: handle } = socket as unknown as { _handle?: object };
    const prototype = handle && Object.getPrototypeOf(handle);
    if (METHODS.every((name) => typeof prototype?.[name] === "function")) {
      return prototype.constructor;
    }
  } finally {
    socket.destroy();
  }
  throw new BrokerError("unavailable", `Open TLS for a client: Deno ${Deno.version.deno} cannot`, {
    hint: "run broker with the version of Deno that its README names, or use the executable",
  });
}

/** One connection's TLS. Its methods never wait; errors of the client are in {@link ServerEngine.fault}. */
export class ServerEngine {
  readonly #native: NativeTls;
  readonly #plaintext: Uint8Array[] = [];
  /** What is left of the oldest piece of plaintext. */
  #current: Uint8Array = NO_BYTES;
  #destroyed = false;
  /** The handshake is over. */
  established = false;
  /** The client said that it sends nothing more (close_notify). */
  ended = false;
  /** What the client did wrong, or the alert that it sent. */
  fault: Error | undefined;

  /** @throws {BrokerError} `unavailable` for a leaf that rustls does not take. */
  constructor(native: NativeTls, leaf: Leaf) {
    this.#native = native;
    const context = { cert: leaf.certificatePem, key: leaf.privateKeyPem };
    if (native.initServerTls(context) !== 0 || native.attachJsStream() !== 0) {
      throw new BrokerError("unavailable", "Open TLS for a client: the certificate is not usable");
    }
    native.onhandshakedone = () => this.established = true;
    native.onerror = (error) => this.fault = error;
    native.setHandle(native);
    native.setOnread((piece) => {
      // Called without a piece for the end, which the end of the transport is, too.
      if (piece === undefined) this.ended = true;
      else this.#plaintext.push(new Uint8Array(piece));
    });
    native.setAlpnProtocols(ALPN_PROTOCOLS);
    native.start();
  }

  /** Takes bytes that came from the client. */
  receive(ciphertext: Uint8Array): void {
    this.#native.readBuffer(ciphertext);
  }

  /** Moves plaintext from the client into a buffer; 0 when there is none yet. */
  read(target: Uint8Array): number {
    if (this.#current.length === 0) {
      const next = this.#plaintext.shift();
      if (next === undefined) return 0;
      this.#current = next;
    }
    const piece = this.#current;
    const count = Math.min(target.length, piece.length);
    if (count < piece.length) {
      target.set(piece.subarray(0, count));
      this.#current = piece.subarray(count);
    } else {
      target.set(piece);
      this.#current = NO_BYTES;
      free(piece);
    }
    return count;
  }

  /** Encrypts bytes for the client. */
  send(plaintext: Uint8Array): void {
    for (let start = 0; start < plaintext.length; start += SEND_BYTES) {
      this.#native.writeBuffer(new WriteRequest(), plaintext.subarray(start, start + SEND_BYTES));
    }
  }

  /** Says that nothing more will be sent (close_notify, RFC 8446 section 6.1). */
  end(): void {
    this.#native.shutdown(new WriteRequest());
  }

  /** Bytes that wait to be sent to the client, to be given to {@link free} then; none when it is empty. */
  output(): Uint8Array {
    const bytes = this.#native.drainEncOut();
    if (bytes === null || bytes === undefined) return NO_BYTES;
    return bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
  }

  /** Gives its memory and its keys back. */
  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.#native.destroySsl();
  }
}

/**
 * Gives the memory of bytes back that came from an engine. The collector does not see what lies outside
 * of its heap until 64 MiB of it have gathered.
 */
export function free(bytes: Uint8Array): void {
  if (bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength > FREE_BYTES) {
    bytes.buffer.transfer(0);
  }
}

/** The native class reports the end of each write to one of these. */
class WriteRequest {
  oncomplete(): void {}
}
