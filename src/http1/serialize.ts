import type { HeaderList } from "./headers.ts";

/** The request line and fields of a request, with the blank line that ends its head. */
export function serializeRequestHead(
  line: { method: string; target: string },
  headers: HeaderList,
): string {
  return `${line.method} ${line.target} HTTP/1.1\r\n${serializeFields(headers)}\r\n`;
}

/** The status line and fields of a response, with the blank line that ends its head. */
export function serializeResponseHead(
  line: { status: number; reason: string },
  headers: HeaderList,
): string {
  return `HTTP/1.1 ${line.status} ${line.reason}\r\n${serializeFields(headers)}\r\n`;
}

/** Field lines, each with its CRLF. */
export function serializeFields(headers: HeaderList): string {
  let text = "";
  for (const [name, value] of headers) text += `${name}: ${value}\r\n`;
  return text;
}

/** The chunk-size line of a chunk of `length` bytes (RFC 9112 section 7.1). */
export function chunkSizeLine(length: number): string {
  return `${length.toString(16)}\r\n`;
}

/** The last chunk with its trailers. */
export function lastChunk(trailers: HeaderList): string {
  return `0\r\n${serializeFields(trailers)}\r\n`;
}
