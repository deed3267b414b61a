import type { HttpFault } from "../http1/fault.ts";
import { type Framing, requestFraming } from "../http1/framing.ts";
import { headerValues } from "../http1/headers.ts";
import type { RequestHead } from "../http1/request_head.ts";
import type { ByteReplacer } from "../substitute/byte_replacer.ts";
import { AnswerFailed } from "./answer.ts";
import { streamBody } from "./body.ts";
import type { ClientConnection } from "./client_connection.ts";
import { collectBody } from "./collect_body.ts";
import type { ProxyContext } from "./context.ts";
import type { RowDraft } from "./row_draft.ts";
import { isMalformedUpload, Upload } from "./upload.ts";
import type { UpstreamConnection } from "./upstream_pool.ts";

const NO_BODY: Framing = { kind: "none" };

/** What a {@link RequestBody} works with. */
export interface RequestBodyOptions {
  readonly client: ClientConnection;
  readonly head: RequestHead;
  readonly row: RowDraft;
  readonly context: ProxyContext;
}

/**
 * The body of a client's request: read whole where placeholders are replaced in it, streamed otherwise,
 * and read to its end or not when the request goes no further.
 */
export class RequestBody {
  readonly #options: RequestBodyOptions;
  #framing: Framing = NO_BODY;
  /** It, once it has been read whole. */
  #collected: Uint8Array | undefined;
  /** It on its way, where it streams. */
  #upload: Upload | undefined;

  constructor(options: RequestBodyOptions) {
    this.#options = options;
  }

  /** Finds out how the client frames it. @throws {HttpFault} for a message that says so in two ways. */
  readFraming(): void {
    this.#framing = requestFraming(this.#options.head);
  }

  /** How the part that is still to be read is framed; none for a body that was read whole. */
  get framing(): Framing {
    return this.#framing;
  }

  /** True once it streams to an upstream. */
  get streams(): boolean {
    return this.#upload !== undefined;
  }

  /** True when nothing of it is left to be read. */
  get complete(): boolean {
    return this.#upload === undefined || this.#upload.state === "complete";
  }

  /** True while a client that asked before it sends has sent nothing: it may still choose either way. */
  get withheld(): boolean {
    return this.#upload?.state === "running" && this.#options.row.requestBytes === 0 &&
      expectsContinue(this.#options.head);
  }

  /** Why the client's side failed while it streamed: it left, or sent what is no body. */
  get failure(): "left" | HttpFault | undefined {
    if (this.#upload?.state !== "client-failed") return undefined;
    return isMalformedUpload(this.#upload) ? this.#upload.failure as HttpFault : "left";
  }

  /**
   * Reads it whole and replaces its placeholders. @returns its length then, in bytes.
   *
   * @throws {RefusalError} `request_too_large`
   */
  async collect(replacer: ByteReplacer): Promise<number> {
    const { client, context: { limits }, row } = this.#options;
    const waitFor = (milliseconds: number) => client.deadline.at = Date.now() + milliseconds;
    waitFor(limits.clientIdleMs);
    const body = await collectBody(client, this.#framing, {
      limitBytes: limits.substitutedBodyBytes,
      begin: () => this.#goAhead(),
      piece: (length) => {
        row.requestBytes += length;
        waitFor(limits.clientIdleMs);
      },
    });
    client.deadline.at = Infinity;
    this.#framing = NO_BODY;
    this.#collected = replacer.replace(body);
    return this.#collected.length;
  }

  /** The broker itself wants the body, so it answers the client's question whether to send it. */
  async #goAhead(): Promise<void> {
    const { client, head } = this.#options;
    if (!expectsContinue(head)) return;
    client.writer.text("HTTP/1.1 100 Continue\r\n\r\n");
    await client.writer.flush();
  }

  /**
   * Sends it behind the head that waits in the upstream's writer; where it streams, only begins to.
   *
   * @param options.reserved Field names, lower case, that no trailer may bring back.
   * @param options.onComplete Called when a body that streams has been read to its end.
   * @throws {AnswerFailed} when nothing could be sent.
   */
  async send(
    upstream: UpstreamConnection,
    options: { readonly reserved: ReadonlySet<string>; readonly onComplete: () => void },
  ): Promise<void> {
    if (this.#framing.kind !== "none") return this.#stream(upstream, options);
    try {
      if (this.#collected !== undefined) await upstream.writer.data(this.#collected);
      await upstream.writer.flush();
    } catch (cause) {
      throw new AnswerFailed("nothing-sent", { cause });
    }
  }

  #stream(
    upstream: UpstreamConnection,
    { reserved, onComplete }: {
      readonly reserved: ReadonlySet<string>;
      readonly onComplete: () => void;
    },
  ): void {
    const { client, context: { limits, pool }, row } = this.#options;
    const upload = new Upload({
      framing: this.#framing,
      from: client.reader,
      to: upstream.writer,
      reserved,
      progress: {
        piece: (length) => {
          row.requestBytes += length;
          upstream.deadline.at = Date.now() + limits.upstreamIdleMs;
        },
      },
      onClientFailed: () => pool.discard(upstream),
    });
    this.#upload = upload;
    upload.settled.then(() => {
      if (upload.state === "complete") onComplete();
    });
  }

  /**
   * Ends the sending of a body that streams, whose answer is out; what the client still sends is dropped.
   *
   * @param halfClose The client was told that the connection ends, and may wait for that before it goes on.
   * @returns Whether the client's connection is in step for what comes next.
   */
  async abandon({ halfClose }: { readonly halfClose: boolean }): Promise<boolean> {
    const { client, context: { limits } } = this.#options;
    const upload = this.#upload;
    if (upload === undefined || upload.state === "complete") return true;
    upload.discard();
    client.deadline.at = Date.now() + limits.lingerMs;
    if (halfClose) await client.stream.closeWrite().catch(() => {});
    await upload.settled;
    client.deadline.at = Infinity;
    return upload.state !== "client-failed";
  }

  /** Whether what the client still sends is little enough to be read for the sake of the connection. */
  get drainable(): boolean {
    if (this.#upload !== undefined) return false;
    if (this.#framing.kind === "none") return true;
    // A client that asks before it sends may or may not send now: only a new connection is in step.
    if (expectsContinue(this.#options.head) || this.#framing.kind !== "length") return false;
    return this.#framing.length <= this.#options.context.limits.drainBytes;
  }

  /** Reads it and drops it. */
  async drain(): Promise<void> {
    const { client, context: { limits } } = this.#options;
    if (this.#framing.kind === "none") return;
    client.deadline.at = Date.now() + limits.lingerMs;
    await streamBody(client.reader, this.#framing, { sink: NOWHERE, progress: IGNORED });
    client.deadline.at = Infinity;
  }
}

const NOWHERE = { data: () => {}, end: () => {}, flush: () => {} };
const IGNORED = { piece: () => {} };

function expectsContinue(head: RequestHead): boolean {
  return headerValues(head.headers, "expect").some((value) =>
    value.toLowerCase() === "100-continue"
  );
}
