import * as z from "zod";
import { BrokerError } from "../errors.ts";
import { SESSION_TTL_DEFAULT_SECONDS, sessionTtlIssue } from "../model/session_ttl.ts";
import { parseBody } from "./body_schema.ts";
import type { Identity } from "./identity.ts";
import { readJsonBody } from "./json_body.ts";
import type { ApiPorts } from "./ports.ts";
import type { Route } from "./route.ts";
import { chooseVault, requireProxyRole } from "./vault_choice.ts";

const REQUEST = z.strictObject({
  vault: z.string().optional(),
  ttl_seconds: z.custom<number>((input) => ttlIssue(input) === undefined, {
    error: ({ input }) => ttlIssue(input),
  }).default(SESSION_TTL_DEFAULT_SECONDS),
});

/** `/v1/sessions`: mints a vault-scoped token, for operators and agent tokens. */
export function sessionRoutes(
  { sessions, now }: Pick<ApiPorts, "sessions" | "now">,
): readonly Route[] {
  return [{
    method: "POST",
    path: "/v1/sessions",
    access: "authenticated",
    async handle(c, by) {
      refuseSession(by);
      const request = parseBody(REQUEST, await readJsonBody(c.req.raw));
      const vault = chooseVault(by, [request.vault, c.req.header("X-Vault")]);
      const ttlSeconds = Math.min(request.ttl_seconds, lifeLeftSeconds(by, now()));
      requireProxyRole(by, vault);
      const { token, expiresAt } = sessions.create({
        vault,
        ttlSeconds,
        ...(by.kind === "agent" && { agent: by.caller.actorName }),
      });
      return c.json({
        token: token.reveal(),
        expires_at: new Date(expiresAt).toISOString(),
        vault,
      });
    },
  }];
}

/** A session that could mint its successor would never end. */
function refuseSession(by: Identity): void {
  if (by.kind === "agent" && by.caller.vaultName !== undefined) {
    throw new BrokerError("forbidden", "Create a session: a session's token cannot mint another", {
      hint: 'Ask the person who runs the broker to type "broker vault run" in another terminal',
    });
  }
}

/** What a token mints does not outlive it. */
function lifeLeftSeconds(by: Identity, now: number): number {
  return by.kind === "agent" ? Math.floor((by.caller.expiresAt - now) / 1000) : Infinity;
}

function ttlIssue(input: unknown): string | undefined {
  return sessionTtlIssue(typeof input === "number" ? input : NaN);
}
