import type { Context } from "hono";
import * as z from "zod";
import { parseBody } from "./body_schema.ts";
import { readJsonBody } from "./json_body.ts";
import type { ApiPorts } from "./ports.ts";
import type { Route } from "./route.ts";
import { vaultOfPath } from "./vault_choice.ts";

const PATH = "/v1/vaults/:vault/settings";

const CHANGE = z.strictObject({
  unmatched_host_policy: z.enum(["passthrough", "deny"], {
    error: 'Write "passthrough" or "deny"',
  }),
});

/** A vault's settings, for operators (spec: What the service does, 4). */
export function settingsRoutes({ vaults }: Pick<ApiPorts, "vaults">): readonly Route[] {
  const answer = (c: Context, vault: string): Response =>
    c.json({ unmatched_host_policy: vaults.settings(vault).unmatchedHostPolicy });
  return [
    {
      method: "GET",
      path: PATH,
      access: "operator",
      command: "broker vault settings",
      handle: (c, by) => answer(c, vaultOfPath(c, by)),
    },
    {
      method: "PATCH",
      path: PATH,
      access: "operator",
      command: "broker vault settings set unmatched_host_policy VALUE",
      async handle(c, by) {
        const vault = vaultOfPath(c, by);
        const change = parseBody(CHANGE, await readJsonBody(c.req.raw));
        vaults.updateSettings(vault, { unmatchedHostPolicy: change.unmatched_host_policy });
        return answer(c, vault);
      },
    },
  ];
}
