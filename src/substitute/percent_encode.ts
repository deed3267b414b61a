/** What `encodeURIComponent` leaves although RFC 3986 section 2.2 reserves it. */
const RESERVED_REST = /[!'()*]/g;

/**
 * Percent-encodes every byte of the text's UTF-8 form but the unreserved characters `A-Z a-z 0-9 - . _ ~`
 * (RFC 3986 section 2.3). A blank becomes `%20` and not `+`: each reader of paths, queries and forms
 * takes `%20` for a blank, while `+` is one in forms only. Half a surrogate pair, which UTF-8 cannot
 * express, becomes U+FFFD.
 */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    RESERVED_REST,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
