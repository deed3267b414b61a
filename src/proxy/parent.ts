import { encodeLatin1 } from "../http1/latin1.ts";
import { type Authority, hostField } from "../http1/request_target.ts";
import { parseResponseHead, type ResponseHead } from "../http1/response_head.ts";
import { MAX_HEAD_BYTES } from "../http1/limits.ts";
import { HttpFault } from "../http1/fault.ts";
import type { ParentProxy } from "./ports.ts";
import { RefusalError } from "./refusal.ts";
import { type ByteStream, writeAll } from "./wire.ts";

const CR = 0x0d;
const LF = 0x0a;

/**
 * Asks a parent proxy for a tunnel on a connection to it (RFC 9110 section 9.3.6).
 *
 * @throws {RefusalError} `upstream_unreachable` when the parent refuses, answers something else than
 * HTTP or closes.
 */
export async function openParentTunnel(
  stream: ByteStream,
  parent: ParentProxy,
  authority: Authority,
): Promise<void> {
  const { hostname, port } = authority;
  const target = `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
  const credentials = parent.authorization === undefined
    ? ""
    : `Proxy-Authorization: ${parent.authorization.reveal()}\r\n`;
  await writeAll(
    stream,
    encodeLatin1(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${credentials}\r\n`),
  );
  const head = await readHead(stream, parent);
  if (head.status >= 200 && head.status < 300) return;
  throw refusedByParent(parent, head.status);
}

/** What a status of the parent's own means for the client. */
export function refusedByParent(parent: ParentProxy, status: number): RefusalError {
  const where = `The parent proxy "${parent.hostname}:${parent.port}" (${parent.variable})`;
  const reason = status === 407
    ? `wants other credentials: put USER:PASSWORD@ into ${parent.variable}`
    : `refused the connection with status ${status}`;
  return new RefusalError({ code: "upstream_unreachable", message: `${where} ${reason}` });
}

/** The absolute-form of a request's target, as a parent proxy needs it (RFC 9112 section 3.2.2). */
export function absoluteForm(authority: Authority, pathAndQuery: string): string {
  // OPTIONS * has no path in absolute-form.
  const rest = pathAndQuery === "*" ? "" : pathAndQuery;
  return `http://${hostField("http", authority)}${rest}`;
}

/**
 * Reads the head of the parent's answer a byte at a time: what follows it belongs to the tunnel, and a
 * server that speaks first may have its bytes in the same packet.
 */
async function readHead(stream: ByteStream, parent: ParentProxy): Promise<ResponseHead> {
  const head: number[] = [];
  const byte = new Uint8Array(1);
  while (!endsInBlankLine(head)) {
    if (head.length === MAX_HEAD_BYTES || (await stream.read(byte)) === null) {
      throw notHttp(parent, undefined);
    }
    head.push(byte[0]!);
  }
  try {
    return parseResponseHead(Uint8Array.from(head), { start: 0, end: head.length });
  } catch (error) {
    if (error instanceof HttpFault) throw notHttp(parent, error);
    throw error;
  }
}

function endsInBlankLine(bytes: readonly number[]): boolean {
  const { length } = bytes;
  return bytes[length - 1] === LF && bytes[length - 2] === CR && bytes[length - 3] === LF;
}

function notHttp(parent: ParentProxy, cause: unknown): RefusalError {
  return new RefusalError({
    code: "upstream_unreachable",
    message: `The parent proxy "${parent.hostname}:${parent.port}" (${parent.variable}) ` +
      "did not answer CONNECT as a proxy does",
  }, { cause });
}
