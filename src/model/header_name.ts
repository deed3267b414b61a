/** `token` of RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Longest header name, in characters; servers of note refuse longer ones. */
const NAME_MAX = 128;

const CONNECTION = "it concerns one connection only and is never forwarded";
const FRAMING = "the broker sets it itself, from the request's target and body";
const BROKER = "it authenticates to the broker and is never forwarded";

/** Fields that no service may set, with the reason (spec: Header forwarding, 1 and 2). */
const RESERVED: ReadonlyMap<string, string> = new Map([
  ["connection", CONNECTION],
  ["keep-alive", CONNECTION],
  ["proxy-authenticate", CONNECTION],
  ["proxy-connection", CONNECTION],
  ["te", CONNECTION],
  ["trailer", CONNECTION],
  ["upgrade", CONNECTION],
  ["transfer-encoding", FRAMING],
  ["content-length", FRAMING],
  ["host", FRAMING],
  ["proxy-authorization", BROKER],
  ["x-vault", BROKER],
]);

/** What keeps a name from being a header that a service sets, or `undefined` when nothing does. */
export function headerNameIssue(name: string): string | undefined {
  if (name === "") return 'The header name is empty: write one such as "X-Api-Key"';
  if (name.length > NAME_MAX) {
    return `The header name has ${name.length} characters: write at most ${NAME_MAX}`;
  }
  if (!TOKEN.test(name)) {
    const at = [...name].findIndex((char) => !TOKEN.test(char));
    const meant = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):/.exec(name)?.[1];
    const fix = meant === undefined
      ? 'letters, digits and hyphens, such as "X-Api-Key"'
      : `"${meant}", and its value apart`;
    return `The header name has ${JSON.stringify([...name][at])} at column ${at + 1}: write ${fix}`;
  }
  const reason = RESERVED.get(name.toLowerCase());
  if (reason === undefined) return undefined;
  return `A service cannot set the header "${name}", because ${reason}: leave it out`;
}

/** What keeps a text from standing in a header value, without the text, or `undefined`. */
export function headerTextIssue(text: string): string | undefined {
  const at = text.search(CONTROL);
  if (at !== -1) {
    return `A control character stands at column ${at + 1}: a header value is one line of text`;
  }
  return text.isWellFormed() ? undefined : "It is not valid Unicode text";
}

// deno-lint-ignore no-control-regex -- control characters are what it looks for
const CONTROL = /[\x00-\x1f\x7f]/;
