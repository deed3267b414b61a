import { latin1Bytes, latin1Text } from "./bytes.ts";

/** How long a test waits for bytes before it gives up and says what it had got: 20 s. */
const PATIENCE_MS = 20_000;

/** Where bytes come from; a `Deno.Conn` is one. */
export interface ByteSource {
  read(into: Uint8Array): Promise<number | null>;
}

/**
 * Reads a connection piece by piece in a test. Every read gives up after 20 seconds with what had
 * arrived, so that a proxy that hangs fails its test instead of the run.
 */
export class ByteReader {
  readonly #source: ByteSource;
  #storage = new Uint8Array(65_536);
  #start = 0;
  #end = 0;
  #ended = false;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** What has arrived and was not taken yet. */
  get buffered(): Uint8Array {
    return this.#storage.subarray(this.#start, this.#end);
  }

  /** Waits for more bytes; `false` when the other side has ended. */
  async fill(): Promise<boolean> {
    if (this.#ended) return false;
    this.#makeRoom();
    const count = await this.#patiently(this.#source.read(this.#storage.subarray(this.#end)));
    if (count === null) {
      this.#ended = true;
      return false;
    }
    this.#end += count;
    return true;
  }

  /** Takes `count` bytes. @throws Error when the stream ends before. */
  async take(count: number): Promise<Uint8Array> {
    while (this.buffered.length < count) {
      if (!await this.fill()) throw this.#endedBefore(`${count} bytes`);
    }
    return this.#cut(count);
  }

  /** Takes whatever comes next, at least one byte; `undefined` at the end. */
  async takeSome(atMost = Infinity): Promise<Uint8Array | undefined> {
    if (this.buffered.length === 0 && !await this.fill()) return undefined;
    return this.#cut(Math.min(atMost, this.buffered.length));
  }

  /** Takes everything up to and including `mark`. @throws Error when the stream ends before. */
  async takeThrough(mark: string): Promise<Uint8Array> {
    const taken = await this.takeThroughOrEnd(mark);
    if (taken === undefined) throw this.#endedBefore(JSON.stringify(mark));
    return taken;
  }

  /** As {@link takeThrough}; `undefined` when the stream ends before the first byte. */
  async takeThroughOrEnd(mark: string): Promise<Uint8Array | undefined> {
    const needle = latin1Bytes(mark);
    let from = 0;
    while (true) {
      const at = indexOf(this.buffered, needle, from);
      if (at >= 0) return this.#cut(at + needle.length);
      from = Math.max(0, this.buffered.length - needle.length + 1);
      if (await this.fill()) continue;
      if (this.buffered.length === 0) return undefined;
      throw this.#endedBefore(JSON.stringify(mark));
    }
  }

  /** Takes everything until the other side ends. */
  async takeAll(): Promise<Uint8Array> {
    while (await this.fill());
    return this.#cut(this.buffered.length);
  }

  /** Drops `count` bytes without keeping them. @throws Error when the stream ends before. */
  async skip(count: number): Promise<void> {
    for (let left = count; left > 0;) {
      if (this.buffered.length === 0 && !await this.fill()) {
        throw this.#endedBefore(`${left} more bytes`);
      }
      const dropped = Math.min(left, this.buffered.length);
      this.#start += dropped;
      left -= dropped;
    }
  }

  #cut(count: number): Uint8Array {
    const taken = this.buffered.slice(0, count);
    this.#start += count;
    return taken;
  }

  #makeRoom(): void {
    if (this.#start === this.#end) this.#start = this.#end = 0;
    if (this.#end < this.#storage.length) return;
    const kept = this.buffered;
    // Doubling keeps a large body linear; a buffer that is mostly read is moved to its front instead.
    const roomy = this.#start > this.#storage.length / 2
      ? this.#storage
      : new Uint8Array(this.#storage.length * 2);
    roomy.set(kept);
    this.#storage = roomy;
    this.#start = 0;
    this.#end = kept.length;
  }

  #endedBefore(awaited: string): Error {
    return new Error(
      `Stream ended while awaiting ${awaited}; had ${JSON.stringify(latin1Text(this.buffered))}`,
    );
  }

  async #patiently<T>(reading: Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const had = JSON.stringify(latin1Text(this.buffered.subarray(0, 4096)));
        reject(new Error(`Nothing more arrived within ${PATIENCE_MS} ms; had ${had}`));
      }, PATIENCE_MS);
    });
    try {
      return await Promise.race([reading, patience]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function indexOf(bytes: Uint8Array, needle: Uint8Array, from: number): number {
  for (let start = from; start + needle.length <= bytes.length; start++) {
    if (needle.every((byte, offset) => bytes[start + offset] === byte)) return start;
  }
  return -1;
}
