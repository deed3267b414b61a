import { BurstPace } from "./burst_pace.ts";
import { type ByteStream, closeQuietly, type WireReader, writeAll } from "./wire.ts";

/** The shortest that a timer can wait, in milliseconds. */
const REST_MS = 1;

/** One end of a two-way copy. */
export interface SpliceEnd {
  readonly stream: ByteStream;
  /** Holds what has been read from the stream already. */
  readonly reader: WireReader;
}

/** What happens to the bytes of one direction on their way. */
export interface SpliceHooks {
  /** Called for each piece with its length in bytes. */
  piece(length: number): void;
  /** Gives the pieces to be written instead; left out, bytes pass as they are. */
  readonly rewriter?: ByteRewriter;
}

/** Changes bytes on their way. */
export interface ByteRewriter {
  push(bytes: Uint8Array): Uint8Array[];
  /** What was held back, at the end of the stream. */
  flush(): Uint8Array[];
}

/**
 * Copies bytes both ways until both directions have ended; an end in one direction is passed on and
 * leaves the other open (TCP half-close). An error on either side closes both.
 */
export async function splice(
  client: SpliceEnd,
  upstream: SpliceEnd,
  hooks: { toUpstream: SpliceHooks; toClient: SpliceHooks },
): Promise<void> {
  const abort = () => {
    closeQuietly(client.stream);
    closeQuietly(upstream.stream);
  };
  await Promise.all([
    copy(client.reader, upstream.stream, hooks.toUpstream).catch(abort),
    copy(upstream.reader, client.stream, hooks.toClient).catch(abort),
  ]);
  abort();
}

async function copy(from: WireReader, to: ByteStream, hooks: SpliceHooks): Promise<void> {
  const pace = new BurstPace();
  while (from.buffered > 0 || (await from.fill())) {
    const piece = from.buffer.subarray(from.start, from.end);
    from.start = from.end;
    hooks.piece(piece.length);
    if (hooks.rewriter === undefined) {
      await writeAll(to, piece);
    } else {
      for (const part of hooks.rewriter.push(piece)) await writeAll(to, part);
    }
    if (pace.shouldRest(piece.length, performance.now())) await rest();
  }
  for (const part of hooks.rewriter?.flush() ?? []) await writeAll(to, part);
  await to.closeWrite();
}

function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, REST_MS));
}
