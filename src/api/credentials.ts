import * as z from "zod";
import { BrokerError, type Issue } from "../errors.ts";
import { parseCredentialKey } from "../model/credential_key.ts";
import { checkCredentialValue } from "../model/credential_value.ts";
import { Secret } from "../model/secret.ts";
import { invalidBody, parseBody } from "./body_schema.ts";
import { readJsonBody } from "./json_body.ts";
import type { ApiPorts } from "./ports.ts";
import type { Route } from "./route.ts";
import { chooseVault } from "./vault_choice.ts";

const PATH = "/v1/credentials";

const SET_REQUEST = z.strictObject({
  vault: z.string().optional(),
  credentials: z.record(z.string(), z.string({ error: "Write the value as a string" }), {
    error: 'Write an object: {"KEY": "value"}',
  }).refine((map) => Object.keys(map).length > 0, { error: "Name at least one credential" }),
});

const DELETE_REQUEST = z.strictObject({
  vault: z.string().optional(),
  keys: z.array(z.string({ error: "Write the key as a string" }), {
    error: 'Write a list: ["KEY"]',
  }).min(1, { error: "Name at least one key" }),
});

/** `/v1/credentials`: keys for everyone, changes for operators, values for nobody. */
export function credentialRoutes(
  { credentials }: Pick<ApiPorts, "credentials">,
): readonly Route[] {
  return [
    {
      method: "GET",
      path: PATH,
      access: "authenticated",
      handle(c, by) {
        const vault = chooseVault(by, [c.req.query("vault"), c.req.header("X-Vault")]);
        return c.json({ keys: credentials.keys(vault) });
      },
    },
    {
      method: "POST",
      path: PATH,
      access: "operator",
      command: "broker vault credential set KEY",
      async handle(c, by) {
        const request = parseBody(SET_REQUEST, await readJsonBody(c.req.raw));
        const vault = chooseVault(by, [request.vault, c.req.header("X-Vault")]);
        const entries = parseEntries(request.credentials);
        credentials.set(vault, entries);
        return c.json({ set: entries.map(({ key }) => key) });
      },
    },
    {
      method: "DELETE",
      path: PATH,
      access: "operator",
      command: "broker vault credential delete KEY",
      async handle(c, by) {
        const request = parseBody(DELETE_REQUEST, await readJsonBody(c.req.raw));
        const vault = chooseVault(by, [request.vault, c.req.header("X-Vault")]);
        const keys = [...new Set(request.keys)];
        credentials.delete(vault, keys);
        return c.json({ deleted: keys });
      },
    },
  ];
}

/** Checks every key and value before the first one is stored, and names all faults at once. */
function parseEntries(map: Readonly<Record<string, string>>): { key: string; value: Secret }[] {
  const issues: Issue[] = [];
  const entries = Object.entries(map).map(([key, value]) => {
    try {
      checkCredentialValue(parseCredentialKey(key), value);
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
      issues.push({ path: ["credentials", key], message: error.message });
    }
    return { key, value: new Secret(value) };
  });
  if (issues.length > 0) throw invalidBody(issues);
  return entries;
}
