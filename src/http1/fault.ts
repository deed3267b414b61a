/** Why a message cannot be framed or read. */
export type FaultKind = "malformed" | "head_too_large";

/**
 * A message that breaks HTTP/1.1's grammar, or that could be framed in more than one way. The
 * connection that it came on is out of step from here on and has to be closed.
 */
export class HttpFault extends Error {
  override readonly name = "HttpFault";
  readonly kind: FaultKind;

  /** @param reason What is wrong, fit to be shown to the sender; never holds a header value. */
  constructor(reason: string, kind: FaultKind = "malformed") {
    super(reason);
    this.kind = kind;
  }
}
