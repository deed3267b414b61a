import type { ApiPorts } from "./ports.ts";
import type { Route } from "./route.ts";
import { chooseVault } from "./vault_choice.ts";

/** `/discover`: what an agent reaches, by name only (spec: Discovery result). */
export function discoveryRoutes(
  { services, credentials }: Pick<ApiPorts, "services" | "credentials">,
): readonly Route[] {
  return [{
    method: "GET",
    path: "/discover",
    access: "authenticated",
    handle(c, by) {
      const vault = chooseVault(by, [c.req.header("X-Vault")]);
      const reachable = services.list(vault).filter((service) => service.enabled);
      return c.json({
        vault,
        services: reachable.map(({ name, host }) => ({ name, host })),
        available_credentials: credentials.keys(vault),
      });
    },
  }];
}
