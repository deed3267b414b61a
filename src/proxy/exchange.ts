import { HttpFault } from "../http1/fault.ts";
import type { RequestHead } from "../http1/request_head.ts";
import { type Authority, hostField } from "../http1/request_target.ts";
import { serializeRequestHead } from "../http1/serialize.ts";
import type { Ingress } from "../model/request_log_row.ts";
import type { ByteReplacer } from "../substitute/byte_replacer.ts";
import type { Access, AccessCheck } from "./access.ts";
import { Truncated } from "./body.ts";
import type { ClientConnection } from "./client_connection.ts";
import type { CompiledService } from "./compiled_vault.ts";
import { Answer, AnswerFailed } from "./answer.ts";
import type { ProxyContext } from "./context.ts";
import type { DialTarget } from "./dial.ts";
import {
  checkHostFields,
  connectionFields,
  isWebSocketUpgrade,
  type OutboundHead,
  outboundHead,
  withContentLength,
} from "./outbound.ts";
import { absoluteForm } from "./parent.ts";
import { REFUSAL_STATUS, type RefusalCode } from "../model/refusal_code.ts";
import { type Refusal, RefusalError } from "./refusal.ts";
import { RequestBody } from "./request_body.ts";
import { replyRefusal, wantsKeepAlive } from "./reply.ts";
import { type Route, routeRequest } from "./route_request.ts";
import { RowDraft } from "./row_draft.ts";
import type { ByteRewriter } from "./splice.ts";
import type { UpstreamConnection } from "./upstream_pool.ts";

/** One request as it reached the proxy, its destination decided. */
export interface InboundRequest {
  readonly head: RequestHead;
  readonly ingress: Ingress;
  readonly scheme: "http" | "https";
  readonly authority: Authority;
  readonly pathAndQuery: string;
  readonly access: AccessCheck;
  /** Given instead of an answer, whatever is asked: the tunnel was opened only to say this. */
  readonly refusal?: Refusal;
}

/** What becomes of the client's connection: `linger` lets it read its answer before the close. */
export type After = "keep" | "close" | "linger";

/** Methods that may be sent twice (RFC 9110 section 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(
  ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"],
);

/** Refusals of what cannot be read on: where the message ends is unknown, or far away. */
const ENDS_CONNECTION: ReadonlySet<RefusalCode> = new Set(["bad_request", "request_too_large"]);

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Brokers one request: check, match, inject, forward, answer, log. The body of this class is the one
 * list of calls; each decision has its own file.
 */
export class Exchange {
  readonly #client: ClientConnection;
  readonly #request: InboundRequest;
  readonly #context: ProxyContext;
  readonly #row: RowDraft;
  readonly #body: RequestBody;
  #answer: Answer | undefined;

  constructor(client: ClientConnection, request: InboundRequest, context: ProxyContext) {
    this.#client = client;
    this.#request = request;
    this.#context = context;
    this.#row = new RowDraft(request.ingress);
    this.#body = new RequestBody({ client, head: request.head, row: this.#row, context });
  }

  /** Runs the exchange to its end; never rejects. */
  async run(): Promise<After> {
    try {
      return await this.#broker();
    } catch (error) {
      return await this.#fail(error);
    } finally {
      this.#context.log.record(this.#row.finish());
    }
  }

  async #broker(): Promise<After> {
    const { head, scheme, authority, pathAndQuery } = this.#request;
    const path = withoutQuery(pathAndQuery);
    this.#row.describe({ method: head.method, host: hostField(scheme, authority), path });
    checkHostFields(head);
    this.#body.readFraming();
    const access = this.#request.access.check();
    this.#row.access = access;
    if (this.#request.refusal !== undefined) throw new RefusalError(this.#request.refusal);
    const route = routeRequest(access.vault, authority, path);
    this.#row.service = route.service;
    const outbound = outboundHead(head, { ...this.#request, service: route.service });
    const replacer = this.#bodyReplacer(route.service);
    if (replacer === undefined) return await this.#forward(outbound, access, route);
    const headers = withContentLength(outbound.headers, await this.#body.collect(replacer));
    return await this.#forward({ ...outbound, headers }, access, route);
  }

  /** What replaces placeholders in the body, where the service asks for it; otherwise the body streams. */
  #bodyReplacer(service: CompiledService | undefined): ByteReplacer | undefined {
    if (service?.substitutions.kind !== "ready") return undefined;
    if (this.#body.framing.kind === "none") return undefined;
    return service.substitutions.body?.(this.#request.head.headers);
  }

  async #forward(outbound: OutboundHead, access: Access, route: Route): Promise<After> {
    const target = this.#dialTarget(access, route);
    const key = `${access.vault.id}|${target.scheme}|${target.authority.hostname}|` +
      `${target.authority.port}|${target.exactHost}|${target.localOnly}`;
    const pooled = this.#context.pool.take(key);
    if (pooled !== undefined) {
      try {
        return await this.#converse(pooled, outbound, route);
      } catch (error) {
        if (!this.#mayRetry(error)) throw error;
      }
    }
    return await this.#converse(await this.#context.pool.connect(key, target), outbound, route);
  }

  #dialTarget(access: Access, route: Route): DialTarget {
    const { scheme, authority } = this.#request;
    const service = route.service;
    const plaintext = scheme === "http" && service !== undefined && service.keys.length > 0;
    return {
      scheme,
      authority,
      exactHost: route.exactHost,
      localOnly: plaintext && access.vault.settings.plaintextCredentials === "local" &&
        !service.namesPort,
    };
  }

  /** Sends the request on a connection and relays its answer. */
  async #converse(
    upstream: UpstreamConnection,
    outbound: OutboundHead,
    route: Route,
  ): Promise<After> {
    const { pool, limits } = this.#context;
    const answer = new Answer({
      client: this.#client,
      upstream,
      head: this.#request.head,
      row: this.#row,
      context: this.#context,
      upgrade: isWebSocketUpgrade(this.#request.head),
      withheldBody: () => this.#body.withheld,
      rewriteFrames: frameRewriter(route.service),
      mayStay: () => this.#wouldTakeSameRoute(route),
    });
    this.#answer = answer;
    upstream.deadline.at = Date.now() + limits.upstreamIdleMs;
    try {
      await this.#send(upstream, outbound, route);
      if (!this.#body.streams) answer.watchClient();
      const after = await answer.relay();
      if (answer.reusable && this.#body.complete) pool.release(upstream);
      else pool.discard(upstream);
      return this.#body.complete ? after : await this.#abandonBody(after);
    } catch (error) {
      pool.discard(upstream);
      throw error;
    }
  }

  async #send(upstream: UpstreamConnection, outbound: OutboundHead, route: Route): Promise<void> {
    const headers = connectionFields(outbound.headers, {
      framing: this.#body.framing,
      upgrade: isWebSocketUpgrade(this.#request.head),
    });
    upstream.writer.text(this.#serialize(upstream, { ...outbound, headers }));
    await this.#body.send(upstream, {
      reserved: route.service?.auth.kind === "ready" ? route.service.auth.slotNames : NO_NAMES,
      onComplete: () => this.#answer?.watchClient(),
    });
  }

  /** Whether today's services, asked again, give the request to the service that has it. */
  #wouldTakeSameRoute(route: Route): boolean {
    const { access, authority, pathAndQuery } = this.#request;
    const today = routeRequest(access.check().vault, authority, withoutQuery(pathAndQuery));
    return today.service?.service.name === route.service?.service.name;
  }

  /** A parent proxy is told the whole URL and who asks; an upstream only the path. */
  #serialize({ parent }: UpstreamConnection, { method, target, headers }: OutboundHead): string {
    if (parent === undefined) return serializeRequestHead({ method, target }, headers);
    const { authorization } = parent;
    return serializeRequestHead(
      { method, target: absoluteForm(this.#request.authority, target) },
      authorization === undefined
        ? headers
        : [...headers, ["Proxy-Authorization", authorization.reveal()]],
    );
  }

  /** The answer is out; whether the connection lives on depends on the rest of the body. */
  async #abandonBody(after: After): Promise<After> {
    return await this.#body.abandon({ halfClose: after === "linger" }) ? after : "close";
  }

  /**
   * A connection that waited in the pool may have been closed by the upstream at the moment it was
   * used. The request goes out once more when the upstream cannot have acted on it: nothing could be
   * written, or nothing came back and the method may be repeated; never once body bytes are gone.
   */
  #mayRetry(error: unknown): boolean {
    if (!(error instanceof AnswerFailed) || this.#body.streams) return false;
    if (this.#client.reader.failed) return false;
    if (error.stage === "nothing-sent") return true;
    return error.stage === "no-answer" && IDEMPOTENT.has(this.#request.head.method);
  }

  /** Answers a failure where an answer is still possible. */
  async #fail(error: unknown): Promise<After> {
    const refusal = this.#refusalFor(error);
    this.#row.errorCode = refusal?.code;
    const disabled = refusal?.code === "service_disabled" ? refusal.extras?.["service"] : undefined;
    if (typeof disabled === "string") this.#row.disabledService = disabled;
    if (refusal === undefined || this.#answer?.started === true) return "close";
    this.#row.status = REFUSAL_STATUS[refusal.code];
    try {
      return await this.#refuse(refusal);
    } catch {
      return "close"; // The client left while it was being answered.
    }
  }

  #refusalFor(error: unknown): Refusal | undefined {
    if (this.#client.writer.failed) return undefined; // The client left.
    const { failure, streams } = this.#body;
    if (this.#client.reader.failed && !streams) return undefined;
    if (failure !== undefined) return failure === "left" ? undefined : malformed(failure);
    if (error instanceof RefusalError) return error.refusal;
    if (error instanceof AnswerFailed) return error.refusal;
    if (error instanceof HttpFault) return malformed(error);
    if (error instanceof Truncated) return undefined;
    this.#context.onDefect(error, this.#row.id);
    return { code: "internal_error", message: "The broker failed; its log has the reason" };
  }

  async #refuse(refusal: Refusal): Promise<After> {
    const { head } = this.#request;
    // A tunnel's own refusal may no longer hold for the next CONNECT to the same host.
    const lasting = this.#request.refusal === undefined;
    const keepAlive = lasting && !ENDS_CONNECTION.has(refusal.code) && this.#body.drainable &&
      wantsKeepAlive(head);
    await replyRefusal(this.#client.writer, refusal, { requestId: this.#row.id, head, keepAlive });
    if (this.#body.streams) return await this.#abandonBody("linger");
    if (!keepAlive) return "linger";
    await this.#body.drain();
    return "keep";
  }
}

/** A refusal for a message that breaks HTTP's grammar. */
export function malformed(fault: HttpFault): Refusal {
  return {
    code: fault.kind === "head_too_large" ? "headers_too_large" : "bad_request",
    message: `The request is malformed: ${fault.message}`,
  };
}

/** Makes the rewriter of a WebSocket's client frames, where the service substitutes in them. */
function frameRewriter(service: CompiledService | undefined): (() => ByteRewriter) | undefined {
  const substitutions = service?.substitutions;
  if (substitutions?.kind !== "ready" || substitutions.websocket === undefined) return undefined;
  const begin = substitutions.websocket;
  return () => begin((bytes) => crypto.getRandomValues(bytes));
}

function withoutQuery(pathAndQuery: string): string {
  const mark = pathAndQuery.indexOf("?");
  return mark === -1 ? pathAndQuery : pathAndQuery.slice(0, mark);
}
