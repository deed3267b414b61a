/** How a secret shows itself wherever it is printed. */
const MASK = "[secret]";

/**
 * A credential value, passphrase or token on its way through the program. Printing, serializing or
 * inspecting it gives `[secret]`; only {@link Secret.reveal} gives the text, so that `reveal(` is what
 * a reviewer has to search for.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself. Call it only where the value leaves for its destination. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.for("Deno.customInspect")](): string {
    return MASK;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return MASK;
  }
}
