import * as z from "zod";
import { parseServices } from "../model/service_schema.ts";
import type { Service } from "../model/service.ts";
import { parseBody } from "./body_schema.ts";
import { readJsonBody } from "./json_body.ts";
import type { ApiPorts } from "./ports.ts";
import type { Route } from "./route.ts";
import { vaultOfPath } from "./vault_choice.ts";

const LIST_PATH = "/v1/vaults/:vault/services";
/** The last segment is a name or a host; a host's slashes and colon arrive percent-encoded. */
const ONE_PATH = "/v1/vaults/:vault/services/:service";

const CHANGE = z.strictObject({ enabled: z.boolean({ error: "Write true or false" }) });

/** A vault's services (spec: Service): readable with any token, changed by operators. */
export function serviceRoutes({ services }: Pick<ApiPorts, "services">): readonly Route[] {
  return [
    {
      method: "GET",
      path: LIST_PATH,
      access: "authenticated",
      handle(c, by) {
        const vault = vaultOfPath(c, by);
        const name = c.req.query("name");
        const found = services.list(vault).filter((one) => name === undefined || one.name === name);
        return c.json({ vault, services: found.map(showService) });
      },
    },
    {
      method: "POST",
      path: LIST_PATH,
      access: "operator",
      command: "broker vault service add",
      async handle(c, by) {
        const vault = vaultOfPath(c, by);
        const body = await readJsonBody(c.req.raw);
        const changed = parseServices(body, { existing: services.list(vault) });
        services.upsert(vault, changed);
        return c.json({
          vault,
          upserted: changed.map(({ name }) => name),
          services_count: services.list(vault).length,
        });
      },
    },
    {
      method: "PUT",
      path: LIST_PATH,
      access: "operator",
      command: "broker vault service set -f FILE",
      async handle(c, by) {
        const vault = vaultOfPath(c, by);
        const body = await readJsonBody(c.req.raw);
        services.replaceAll(vault, parseServices(body, { existing: services.list(vault) }));
        return c.json({ vault, services_count: services.list(vault).length });
      },
    },
    {
      method: "DELETE",
      path: LIST_PATH,
      access: "operator",
      command: "broker vault service clear",
      handle(c, by) {
        const vault = vaultOfPath(c, by);
        services.clear(vault);
        return c.json({ vault, cleared: true });
      },
    },
    {
      method: "PATCH",
      path: ONE_PATH,
      access: "operator",
      command: "broker vault service enable NAME",
      async handle(c, by) {
        const vault = vaultOfPath(c, by);
        const { enabled } = parseBody(CHANGE, await readJsonBody(c.req.raw));
        const { name } = services.resolve(vault, c.req.param("service") ?? "");
        services.setEnabled(vault, name, enabled);
        return c.json(showService(services.resolve(vault, name)));
      },
    },
    {
      method: "DELETE",
      path: ONE_PATH,
      access: "operator",
      command: "broker vault service remove NAME",
      handle(c, by) {
        const vault = vaultOfPath(c, by);
        const { name, host } = services.resolve(vault, c.req.param("service") ?? "");
        services.remove(vault, name);
        return c.json({
          vault,
          removed: name,
          removed_host: host,
          services_count: services.list(vault).length,
        });
      },
    },
  ];
}

/** A service as the interface lists its members; nothing that a store adds later slips through. */
function showService({ name, host, enabled, auth, substitutions }: Service) {
  return { name, host, enabled, auth, substitutions };
}
