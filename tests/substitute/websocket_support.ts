import {
  ClientFrameRewriter,
  type FillRandom,
} from "../../src/substitute/client_frame_rewriter.ts";
import { bytesOf, joined, replacerOf } from "./support.ts";

/** The masking key that rewritten frames get in these tests. */
export const FRESH_KEY = Uint8Array.of(0xa1, 0xb2, 0xc3, 0xd4);

/** What a frame is to look like; a masked, unfragmented text frame unless told otherwise. */
export interface FrameOptions {
  readonly firstByte?: number;
  /** `undefined` for a frame without a mask. */
  readonly key?: Uint8Array | undefined;
  /** Further bytes of the length field: 0, 2 or 8; the shortest form when absent. */
  readonly lengthBytes?: 0 | 2 | 8;
}

const CLIENT_KEY = Uint8Array.of(0x12, 0x00, 0xff, 0x5f);

/** Builds a frame from RFC 6455 section 5.2 alone, apart from the code under test. */
export function frameOf(payload: Uint8Array | string, options: FrameOptions = {}): Uint8Array {
  const bytes = typeof payload === "string" ? bytesOf(payload) : payload;
  const { length } = bytes;
  const key = "key" in options ? options.key : CLIENT_KEY;
  const lengthBytes = options.lengthBytes ?? (length < 126 ? 0 : length < 65536 ? 2 : 8);
  const header = new DataView(new ArrayBuffer(2 + lengthBytes));
  header.setUint8(0, options.firstByte ?? 0x81);
  const form = lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127;
  header.setUint8(1, form + (key === undefined ? 0 : 128));
  if (lengthBytes === 2) header.setUint16(2, length);
  if (lengthBytes === 8) header.setBigUint64(2, BigInt(length));
  const masked = key === undefined ? bytes : bytes.map((byte, i) => byte ^ key[i % 4]!);
  return joined([new Uint8Array(header.buffer), key ?? new Uint8Array(0), masked]);
}

/** A rewriter of `__token__` (or the given placeholders) whose fresh key is {@link FRESH_KEY}. */
export function rewriterOf(
  values: Readonly<Record<string, string>> = { __token__: "secret" },
  fillRandom: FillRandom = (target) => target.set(FRESH_KEY),
): ClientFrameRewriter {
  return new ClientFrameRewriter(replacerOf(values), fillRandom);
}

/** Pushes the pieces between the cuts; each is overwritten afterwards, as a read buffer is. */
export function rewritten(
  rewriter: ClientFrameRewriter,
  bytes: Uint8Array,
  cuts: readonly number[] = [],
): Uint8Array {
  const passed: Uint8Array[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    const piece = bytes.slice(from, cut);
    passed.push(joined(rewriter.push(piece)));
    piece.fill(0xee);
    from = cut;
  }
  return joined(passed);
}
