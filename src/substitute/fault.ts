/**
 * A credential's value cannot stand where its placeholder was found. It is returned and not thrown, so
 * that the compiler makes every caller refuse the request before anything goes upstream.
 */
export class SubstitutionFault {
  readonly surface: "path" | "header";
  /** The credential whose value does not fit. */
  readonly key: string;
  /** What is wrong and what to do, for people; never holds the value. */
  readonly message: string;

  constructor(surface: "path" | "header", options: { key: string; reason: string }) {
    this.surface = surface;
    this.key = options.key;
    this.message = `The value of the credential "${options.key}" ${options.reason}: ` +
      "correct it with: broker vault credential set";
  }
}
