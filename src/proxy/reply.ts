import type { HeaderField } from "../http1/headers.ts";
import type { RequestHead } from "../http1/request_head.ts";
import { serializeResponseHead } from "../http1/serialize.ts";
import { listMembers } from "../http1/framing.ts";
import { REFUSAL_STATUS } from "../model/refusal_code.ts";
import { REASON, type Refusal, refusalBody } from "./refusal.ts";
import type { WireWriter } from "./wire.ts";

/** How an answer of the broker's own is sent. */
export interface ReplyOptions {
  readonly requestId: string;
  /** The request, when its head could be read. */
  readonly head: RequestHead | undefined;
  /** False when the connection closes behind the answer. */
  readonly keepAlive: boolean;
}

const encoder = new TextEncoder();

/** Answers a request that goes no further (interfaces: Proxy). */
export async function replyRefusal(
  writer: WireWriter,
  refusal: Refusal,
  options: ReplyOptions,
): Promise<void> {
  const status = REFUSAL_STATUS[refusal.code];
  const body = encoder.encode(refusalBody(refusal, options.requestId));
  const headers: HeaderField[] = [
    ["Content-Type", "application/json; charset=utf-8"],
    ["Content-Length", String(body.length)],
    ["Cache-Control", "no-store"],
    ["X-Broker-Error", refusal.code],
  ];
  if (status === 407) headers.push(["Proxy-Authenticate", 'Basic realm="broker"']);
  headers.push(...persistenceFields(options.head, options.keepAlive));
  writer.text(serializeResponseHead({ status, reason: REASON[status]! }, headers));
  if (options.head?.method !== "HEAD") await writer.data(body);
  await writer.flush();
}

/** Says whether the connection stays open, where the version's own rule would say otherwise. */
export function persistenceFields(
  head: RequestHead | undefined,
  keepAlive: boolean,
): readonly HeaderField[] {
  if (!keepAlive) return CLOSE;
  return head?.minorVersion === 0 ? KEEP_ALIVE : NOTHING;
}

const CLOSE: readonly HeaderField[] = [["Connection", "close"]];
const KEEP_ALIVE: readonly HeaderField[] = [["Connection", "keep-alive"]];
const NOTHING: readonly HeaderField[] = [];

/** True when the client wants the connection kept (RFC 9112 section 9.3). */
export function wantsKeepAlive(head: RequestHead): boolean {
  for (const [name] of head.headers) {
    if (name.length === 10 && name.toLowerCase() === "connection") {
      const options = listMembers(head.headers, "connection");
      if (options.includes("close")) return false;
      return head.minorVersion === 1 || options.includes("keep-alive");
    }
  }
  return head.minorVersion === 1;
}
