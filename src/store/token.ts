import { createHash, randomBytes } from "node:crypto";
import { Secret } from "../model/secret.ts";
import { encodeBase64Url } from "./base64url.ts";

/** Random octets of a token (interfaces: Tokens, 256 bits). */
const TOKEN_BYTES = 32;

/** Makes a token with a prefix that says what it is for. It is shown once and never stored. */
export function createToken(prefix: string): Secret {
  return new Secret(prefix + encodeBase64Url(randomBytes(TOKEN_BYTES)));
}

/**
 * What is stored of a token, and looked up: its SHA-256. Neither the database nor the time of a lookup
 * tells anything about a token, because nobody can choose the hash of a guess.
 */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
