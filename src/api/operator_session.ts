import * as z from "zod";
import { Secret } from "../model/secret.ts";
import { parseBody } from "./body_schema.ts";
import { HttpFault } from "./http_fault.ts";
import { bearerToken } from "./identity.ts";
import { readJsonBody } from "./json_body.ts";
import type { ApiPorts } from "./ports.ts";
import type { Route } from "./route.ts";
import { problemOf } from "./sign_in_problem.ts";

const PATH = "/v1/operator/session";

const REQUEST = z.strictObject({
  secret: z.string({ error: "Write the passphrase, or the sign-in code from the terminal" }),
});

/** `/v1/operator/session`: lets a person's program act as the operator, by what signs in to the pages. */
export function operatorSessionRoutes(
  { operators }: Pick<ApiPorts, "operators">,
): readonly Route[] {
  return [
    {
      method: "POST",
      path: PATH,
      access: "anyone",
      async handle(c) {
        const { secret } = parseBody(REQUEST, await readJsonBody(c.req.raw));
        const outcome = await operators.signInProgram(new Secret(secret));
        if (outcome.kind === "signed_in") {
          const { token, expiresAt } = outcome.session;
          const expires_at = new Date(expiresAt).toISOString();
          return c.json({ token: token.reveal(), expires_at }, 201);
        }
        const { text, headers = {} } = problemOf(outcome);
        const code = outcome.kind === "wait" ? "too_many_attempts" : "sign_in_refused";
        throw new HttpFault(code, text, { headers, hint: "Send what signs in to the pages" });
      },
    },
    {
      method: "DELETE",
      path: PATH,
      access: "operator",
      command: "broker server",
      handle(c) {
        operators.endToken(bearerToken(c.req.raw.headers) ?? "");
        return c.json({ ended: true });
      },
    },
  ];
}
