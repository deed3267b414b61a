/** Longest request or response head, request line and blank line included (interfaces: Limits). */
export const MAX_HEAD_BYTES = 64 * 1024;

/** Most fields in one head or trailer section (interfaces: Limits). */
export const MAX_FIELDS = 200;

/** Longest method token; the longest registered one (RFC 9110 section 18.2) has 17 characters. */
export const MAX_METHOD_LENGTH = 32;

/** Longest chunk-size line with its extensions; extensions are unused in practice, so a line that is longer is an attack. */
export const MAX_CHUNK_LINE_BYTES = 1024;

/** Longest trailer section; trailers carry checksums and gRPC statuses, not documents. */
export const MAX_TRAILER_BYTES = 16 * 1024;
