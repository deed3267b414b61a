/**
 * Who is signed in, in the memory of the process that serves the pages: they end with it. A session is
 * found only by both its path and its token. The token travels in a cookie that the browser sends to
 * that path alone, because a browser does not keep the cookies of two ports of one host apart: without
 * the path, a program that listens on another port could have itself sent the cookie.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { OperatorSession } from "../model/operator.ts";
import { Secret } from "../model/secret.ts";

/** Prefix of operators' tokens (interfaces: Tokens). */
export const OPERATOR_TOKEN_PREFIX = "brk_op_";

/** Longest time between two requests, in milliseconds. */
export const IDLE_LIMIT_MS = 30 * 60 * 1000;

/** Longest time from signing in, in milliseconds. */
export const LIFE_LIMIT_MS = 12 * 60 * 60 * 1000;

/** Browsers that may be signed in at once; the one longest unused makes room. */
const SESSION_LIMIT = 16;

const TOKEN_BYTES = 32;
const PATH_BYTES = 16;

/** A new session. The token is shown here and never again. */
export interface CreatedOperatorSession extends OperatorSession {
  readonly token: Secret;
}

interface StoredSession extends OperatorSession {
  readonly tokenHash: Uint8Array;
  readonly createdAt: number;
  expiresAt: number;
}

/** The sessions of one process. */
export class OperatorSessions {
  readonly #now: () => number;
  /** By path; the order is that of last use. */
  readonly #sessions = new Map<string, StoredSession>();

  constructor(now: () => number) {
    this.#now = now;
  }

  create(): CreatedOperatorSession {
    this.#dropExpired();
    for (const path of [...this.#sessions.keys()]) {
      if (this.#sessions.size >= SESSION_LIMIT) this.#sessions.delete(path);
    }
    const token = OPERATOR_TOKEN_PREFIX + randomBytes(TOKEN_BYTES).toString("base64url");
    const now = this.#now();
    const stored: StoredSession = {
      path: randomBytes(PATH_BYTES).toString("base64url"),
      csrf: randomBytes(TOKEN_BYTES).toString("base64url"),
      tokenHash: hash(token),
      createdAt: now,
      expiresAt: now + IDLE_LIMIT_MS,
    };
    this.#sessions.set(stored.path, stored);
    return { ...shown(stored), token: new Secret(token) };
  }

  /** The session of that path whose token this is; its idle time starts anew with `use`. */
  find(path: string, token: string, { use }: { use: boolean }): OperatorSession | undefined {
    this.#dropExpired();
    const stored = this.#sessions.get(path);
    if (stored === undefined || !timingSafeEqual(stored.tokenHash, hash(token))) return undefined;
    if (!use) return shown(stored);
    stored.expiresAt = Math.min(this.#now() + IDLE_LIMIT_MS, stored.createdAt + LIFE_LIMIT_MS);
    this.#sessions.delete(path);
    this.#sessions.set(path, stored);
    return shown(stored);
  }

  /** Whether the session still holds; does not count as use, so that an open page may ask. */
  isCurrent(path: string): boolean {
    this.#dropExpired();
    return this.#sessions.has(path);
  }

  /** Signs out. */
  end(path: string): void {
    this.#sessions.delete(path);
  }

  #dropExpired(): void {
    const now = this.#now();
    for (const { path, expiresAt } of this.#sessions.values()) {
      if (expiresAt <= now) this.#sessions.delete(path);
    }
  }
}

function shown({ path, csrf, expiresAt }: StoredSession): OperatorSession {
  return { path, csrf, expiresAt };
}

function hash(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}
