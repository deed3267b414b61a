import { CR, HEX_VALUE, IS_FIELD_VALUE, LF } from "./chars.ts";
import { HttpFault } from "./fault.ts";
import { parseFields } from "./fields.ts";
import type { HeaderList } from "./headers.ts";
import { MAX_CHUNK_LINE_BYTES, MAX_TRAILER_BYTES } from "./limits.ts";

type State =
  | "size"
  | "extension"
  | "size-lf"
  | "data"
  | "data-cr"
  | "data-lf"
  | "trailer"
  | "done";

/** Most hexadecimal digits of a chunk size: 13 digits are 52 bits, which a number holds exactly. */
const MAX_SIZE_DIGITS = 13;

const EMPTY = new Uint8Array(0);
const SEMICOLON = 0x3b;

/**
 * Takes the chunked coding off a body, wherever the stream is cut (RFC 9112 section 7.1). Call
 * {@link ChunkedDecoder.step} with what has arrived until it consumes nothing more or is done; each step
 * leaves at most one slice of data in {@link ChunkedDecoder.data}.
 */
export class ChunkedDecoder {
  #state: State = "size";
  #size = 0;
  #digits = 0;
  #lineLength = 0;
  #trailer: number[] = [];
  #trailers: HeaderList = [];

  /** The data of the last step: a view into the bytes that were passed in, perhaps empty. */
  data: Uint8Array = EMPTY;

  /** True once the last chunk and the trailer section have been read. */
  get done(): boolean {
    return this.#state === "done";
  }

  /** The trailer fields; complete once {@link ChunkedDecoder.done} is true. */
  get trailers(): HeaderList {
    return this.#trailers;
  }

  /**
   * Reads on in `bytes[start, end)` and returns how many bytes it consumed; bytes behind the body's end
   * are left alone.
   *
   * @throws {HttpFault} for a malformed size, an over-long line, data that is not followed by CRLF and
   * invalid trailers.
   */
  step(bytes: Uint8Array, range: { start: number; end: number }): number {
    this.data = EMPTY;
    let at = range.start;
    while (at < range.end && this.#state !== "done") {
      const byte = bytes[at]!;
      switch (this.#state) {
        case "size":
          this.#readSize(byte);
          at++;
          break;
        case "extension":
          this.#readExtension(byte);
          at++;
          break;
        case "size-lf":
          expect(byte, LF, "a chunk size line ends in CR without LF");
          this.#state = this.#size === 0 ? "trailer" : "data";
          at++;
          break;
        case "data": {
          const length = Math.min(this.#size, range.end - at);
          this.data = bytes.subarray(at, at + length);
          this.#size -= length;
          at += length;
          if (this.#size === 0) this.#state = "data-cr";
          return at - range.start;
        }
        case "data-cr":
          expect(byte, CR, "a chunk's data is longer than its size");
          this.#state = "data-lf";
          at++;
          break;
        case "data-lf":
          expect(byte, LF, "a chunk's data is not followed by CRLF");
          this.#beginSize();
          at++;
          break;
        case "trailer":
          this.#readTrailer(byte);
          at++;
          break;
      }
    }
    return at - range.start;
  }

  #beginSize(): void {
    this.#state = "size";
    this.#size = 0;
    this.#digits = 0;
    this.#lineLength = 0;
  }

  #readSize(byte: number): void {
    const digit = HEX_VALUE[byte]!;
    if (digit !== 255) {
      if (++this.#digits > MAX_SIZE_DIGITS) throw new HttpFault("a chunk size is too large");
      this.#size = this.#size * 16 + digit;
      return;
    }
    if (this.#digits === 0) throw new HttpFault("a chunk size is not a hexadecimal number");
    if (byte === CR) this.#state = "size-lf";
    else if (byte === SEMICOLON) this.#state = "extension";
    else throw new HttpFault("a chunk size is not a hexadecimal number");
  }

  /** Extensions concern one hop and are dropped (RFC 9112 section 7.1.1). */
  #readExtension(byte: number): void {
    if (byte === CR) {
      this.#state = "size-lf";
      return;
    }
    if (IS_FIELD_VALUE[byte] !== 1) {
      throw new HttpFault("a chunk extension contains a control character");
    }
    if (++this.#lineLength > MAX_CHUNK_LINE_BYTES) {
      throw new HttpFault("a chunk size line is too long");
    }
  }

  #readTrailer(byte: number): void {
    const section = this.#trailer;
    section.push(byte);
    if (section.length > MAX_TRAILER_BYTES) {
      throw new HttpFault(`the trailers are larger than ${MAX_TRAILER_BYTES} bytes`);
    }
    if (byte !== LF) return;
    const length = section.length;
    if (section[length - 2] !== CR) throw new HttpFault("a trailer line ends in LF without CR");
    const lineIsEmpty = length === 2 || section[length - 3] === LF;
    if (!lineIsEmpty) return;
    this.#trailers = parseFields(Uint8Array.from(section), { start: 0, end: length - 2 });
    this.#trailer = [];
    this.#state = "done";
  }
}

function expect(byte: number, wanted: number, fault: string): void {
  if (byte !== wanted) throw new HttpFault(fault);
}
