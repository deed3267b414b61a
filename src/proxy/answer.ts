import { HttpFault } from "../http1/fault.ts";
import { type Framing, responseFraming } from "../http1/framing.ts";
import { type HeaderField, headerValues } from "../http1/headers.ts";
import { forwardableResponseHeaders, isForbiddenTrailer } from "../http1/hop_by_hop.ts";
import type { RequestHead } from "../http1/request_head.ts";
import type { ResponseHead } from "../http1/response_head.ts";
import { serializeResponseHead } from "../http1/serialize.ts";
import { ChunkedSink, PlainSink, streamBody, Truncated } from "./body.ts";
import type { ClientConnection } from "./client_connection.ts";
import type { ProxyContext } from "./context.ts";
import { refusedByParent } from "./parent.ts";
import { ResponseHeads } from "./read_head.ts";
import type { Refusal } from "./refusal.ts";
import { persistenceFields, wantsKeepAlive } from "./reply.ts";
import type { RowDraft } from "./row_draft.ts";
import { type ByteRewriter, splice } from "./splice.ts";
import type { UpstreamConnection } from "./upstream_pool.ts";
import { closeQuietly } from "./wire.ts";

/** How far a request had come when its answer failed. */
export type AnswerStage = "nothing-sent" | "no-answer" | "within-answer";

/** The upstream did not answer, or not in a way that can be relayed. */
export class AnswerFailed extends Error {
  override readonly name = "AnswerFailed";
  readonly stage: AnswerStage;
  readonly refusal: Refusal;

  constructor(stage: AnswerStage, options: { cause?: unknown; refusal?: Refusal } = {}) {
    super("The upstream's answer failed", { cause: options.cause });
    this.stage = stage;
    this.refusal = options.refusal ?? CLOSED;
  }
}

const CLOSED: Refusal = {
  code: "upstream_protocol_error",
  message: "The upstream closed the connection without an answer",
};

/** What an {@link Answer} works with. */
export interface AnswerOptions {
  readonly client: ClientConnection;
  readonly upstream: UpstreamConnection;
  readonly head: RequestHead;
  readonly row: RowDraft;
  readonly context: ProxyContext;
  /** The request asked for a WebSocket. */
  readonly upgrade: boolean;
  /** True while nobody can tell whether the client will still send the body that it announced. */
  readonly withheldBody: () => boolean;
  /** Whether the request would be let through today as it was. @throws {RefusalError} when it would not. */
  readonly mayStay: () => boolean;
  /** Makes the rewriter of client frames, where the service substitutes in them. */
  readonly rewriteFrames: (() => ByteRewriter) | undefined;
}

/** One answer on its way from the upstream to the client. */
export class Answer {
  /** True once the client has been sent the beginning of the final answer. */
  started = false;
  /** True once the upstream's connection is in step for a further request. */
  reusable = false;
  readonly #options: AnswerOptions;
  #idleMs: number;
  #done = false;

  constructor(options: AnswerOptions) {
    this.#options = options;
    this.#idleMs = options.context.limits.upstreamIdleMs;
  }

  /**
   * Begins to read the client's next request while the answer is awaited: that is how a client that
   * leaves is noticed. A client that only closed its sending side still gets its answer, unless the
   * upstream stays silent.
   */
  watchClient(): void {
    const { client, upstream, context } = this.#options;
    if (this.#done || client.reader.buffered > 0) return;
    client.reader.fill().then((open) => {
      if (open || this.#done) return;
      this.#idleMs = context.limits.halfClosedIdleMs;
      this.#touch();
    }, () => {
      if (!this.#done) context.pool.discard(upstream);
    });
  }

  /**
   * Relays the answer, interim ones included, and says what becomes of the client's connection.
   *
   * @throws {AnswerFailed} when there is none that can be relayed.
   */
  async relay(): Promise<"keep" | "linger" | "close"> {
    const { reader } = this.#options.upstream;
    const heads = new ResponseHeads(reader);
    try {
      while (true) {
        const head = this.#take(heads);
        if (head === undefined) {
          try {
            if (!(await reader.fill())) throw new Truncated("The connection closed within a head");
          } catch (cause) {
            throw this.#noHead(cause);
          }
        } else if (head.status >= 200) {
          return await this.#relayFinal(head);
        } else if (head.status === 101) {
          return await this.#switchProtocols(head);
        } else {
          await this.#relayInterim(head);
        }
      }
    } finally {
      this.#done = true;
    }
  }

  #take(heads: ResponseHeads): ResponseHead | undefined {
    try {
      return heads.take();
    } catch (error) {
      throw error instanceof HttpFault ? this.#protocolError(error.message) : error;
    }
  }

  #noHead(cause: unknown): AnswerFailed {
    const { upstream } = this.#options;
    if (upstream.timedOut) {
      return new AnswerFailed("within-answer", {
        cause,
        refusal: { code: "upstream_timeout", message: "The upstream did not answer in time" },
      });
    }
    if (cause instanceof Deno.errors.InvalidData) {
      return new AnswerFailed("within-answer", {
        cause,
        refusal: {
          code: "upstream_tls_failed",
          message: `The upstream ended TLS: ${cause.message}`,
        },
      });
    }
    return new AnswerFailed(upstream.reader.buffered > 0 ? "within-answer" : "no-answer", {
      cause,
    });
  }

  async #relayInterim(answer: ResponseHead): Promise<void> {
    const { client, head } = this.#options;
    if (head.minorVersion === 0) return; // HTTP/1.0 knows no interim answers.
    client.writer.text(serializeResponseHead(answer, forwardableResponseHeaders(answer.headers)));
    await client.writer.flush();
  }

  #protocolError(reason: string): AnswerFailed {
    return new AnswerFailed("within-answer", {
      refusal: {
        code: "upstream_protocol_error",
        message: `The upstream's answer cannot be relayed: ${reason}`,
      },
    });
  }

  #framingOf(answer: ResponseHead): Framing {
    try {
      return responseFraming(answer, this.#options.head.method);
    } catch (error) {
      if (error instanceof HttpFault) throw this.#protocolError(error.message);
      throw error;
    }
  }

  async #relayFinal(answer: ResponseHead): Promise<"keep" | "linger"> {
    const { client, upstream, head, row } = this.#options;
    if (answer.status === 407 && upstream.parent !== undefined) {
      // The client has no credentials for the parent and would take the challenge for the broker's.
      const { refusal } = refusedByParent(upstream.parent, answer.status);
      throw new AnswerFailed("within-answer", { refusal });
    }
    const framing = this.#framingOf(answer);
    const chunked = head.minorVersion === 1 &&
      (framing.kind === "chunked" || framing.kind === "until-close");
    const endsWithClose = !chunked &&
      (framing.kind === "chunked" || framing.kind === "until-close");
    const keepAlive = wantsKeepAlive(head) && !endsWithClose && !this.#options.withheldBody();
    const fields: HeaderField[] = forwardableResponseHeaders(answer.headers);
    if (chunked) fields.push(["Transfer-Encoding", "chunked"]);
    fields.push(...persistenceFields(head, keepAlive));
    this.started = true;
    row.status = answer.status;
    client.writer.text(serializeResponseHead(answer, fields));
    await this.#streamBody(
      framing,
      chunked
        ? new ChunkedSink(client.writer, (name) => !isForbiddenTrailer(name))
        : new PlainSink(client.writer),
    );
    this.reusable = framing.kind !== "until-close" && upstream.reader.buffered === 0 &&
      wantsKeepAlive({ ...answer, method: "", target: "" });
    return keepAlive ? "keep" : "linger";
  }

  async #streamBody(framing: Framing, sink: PlainSink | ChunkedSink): Promise<void> {
    const { upstream, row } = this.#options;
    try {
      await streamBody(upstream.reader, framing, {
        sink,
        progress: {
          piece: (length) => {
            row.responseBytes += length;
            this.#touch();
          },
        },
      });
    } catch (cause) {
      if (upstream.timedOut) {
        throw new AnswerFailed("within-answer", {
          cause,
          refusal: { code: "upstream_timeout", message: "The upstream stopped within its answer" },
        });
      }
      throw new AnswerFailed("within-answer", { cause });
    }
  }

  /** From here on the connection is no longer HTTP (RFC 9110 section 15.2.2). */
  async #switchProtocols(answer: ResponseHead): Promise<"close"> {
    const { client, upstream, row, context, upgrade, rewriteFrames, mayStay } = this.#options;
    if (!upgrade) throw this.#protocolError("it switches protocols without having been asked");
    this.started = true;
    row.status = 101;
    const protocol = headerValues(answer.headers, "upgrade")[0] ?? "websocket";
    client.writer.text(serializeResponseHead(answer, [
      ...forwardableResponseHeaders(answer.headers),
      ["Connection", "Upgrade"],
      ["Upgrade", protocol],
    ]));
    await client.writer.flush();
    this.#idleMs = context.limits.tunnelIdleMs;
    this.#touch();
    const rewriter = rewriteFrames?.();
    const toUpstream = {
      piece: (length: number) => {
        row.requestBytes += length;
        this.#touch();
      },
    };
    // No further request comes on it, so nothing else would notice that the session has ended.
    const close = () => {
      closeQuietly(client.stream);
      closeQuietly(upstream.stream);
    };
    const tunnel = { mayStay, close };
    context.tunnels.add(tunnel);
    try {
      await splice(client, upstream, {
        toUpstream: rewriter === undefined ? toUpstream : { ...toUpstream, rewriter },
        toClient: {
          piece: (length) => {
            row.responseBytes += length;
            this.#touch();
          },
        },
      });
    } finally {
      context.tunnels.remove(tunnel);
    }
    return "close";
  }

  /** The other side is alive: its time begins anew. */
  #touch(): void {
    this.#options.upstream.deadline.at = Date.now() + this.#idleMs;
  }
}
