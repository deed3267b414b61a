import { HttpFault } from "../http1/fault.ts";
import type { Framing } from "../http1/framing.ts";
import type { HeaderList } from "../http1/headers.ts";
import { isForbiddenTrailer } from "../http1/hop_by_hop.ts";
import { type BodyProgress, type BodySink, ChunkedSink, PlainSink, streamBody } from "./body.ts";
import type { WireReader, WireWriter } from "./wire.ts";

/** How an upload stands. `client-failed`: the client left, or its body is malformed. */
export type UploadState = "running" | "complete" | "client-failed";

/** What an {@link Upload} works with. */
export interface UploadOptions {
  readonly framing: Framing;
  readonly from: WireReader;
  readonly to: WireWriter;
  /** Field names, lower case, that no trailer may bring back: the auth slot. */
  readonly reserved: ReadonlySet<string>;
  readonly progress: BodyProgress;
  /** Called once when the client failed, so that nobody waits for an answer any longer. */
  readonly onClientFailed: () => void;
}

/**
 * A request body on its way to the upstream, beside the answer that may come before it has ended. When
 * the upstream takes no more, the rest is read and dropped, so that the client gets to its answer.
 */
export class Upload {
  state: UploadState = "running";
  /** Why the client failed. */
  failure: unknown;
  /** The upstream refused further bytes, or the exchange wants no more sent. */
  #discarding = false;
  readonly #settled: Promise<void>;

  constructor(options: UploadOptions) {
    this.#settled = this.#run(options);
  }

  /** Settles, never rejects, when the upload has ended in one way or the other. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  /** True when the upstream has not got the whole body and never will. */
  get discarding(): boolean {
    return this.#discarding;
  }

  /** Sends nothing more; what the client still sends is dropped. */
  discard(): void {
    this.#discarding = true;
  }

  async #run(options: UploadOptions): Promise<void> {
    const sink = options.framing.kind === "chunked"
      ? new ChunkedSink(
        options.to,
        (name) => !isForbiddenTrailer(name) && !options.reserved.has(name),
      )
      : new PlainSink(options.to);
    try {
      await streamBody(options.from, options.framing, {
        sink: this.#guarded(sink),
        progress: options.progress,
      });
      this.state = "complete";
    } catch (error) {
      this.state = "client-failed";
      this.failure = error;
      options.onClientFailed();
    }
  }

  /** Errors of the upstream are not the client's: they end the sending, not the reading. */
  #guarded(sink: BodySink): BodySink {
    const attempt = async (send: () => Promise<void> | void) => {
      if (this.#discarding) return;
      try {
        await send();
      } catch {
        this.#discarding = true;
      }
    };
    return {
      data: (bytes) => attempt(() => sink.data(bytes)),
      end: (trailers: HeaderList) => attempt(() => sink.end(trailers)),
      flush: () => attempt(() => sink.flush()),
    };
  }
}

/** True when an upload failed because of what the client sent, not because it left. */
export function isMalformedUpload(upload: Upload): boolean {
  return upload.failure instanceof HttpFault;
}
