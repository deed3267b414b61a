import type { ApiPorts } from "./ports.ts";
import type { Route } from "./route.ts";

/** `/healthz`: says that the broker answers, and which version. */
export function healthRoutes({ version }: Pick<ApiPorts, "version">): readonly Route[] {
  return [{
    method: "GET",
    path: "/healthz",
    access: "anyone",
    handle: (c) => c.json({ status: "ok", version }),
  }];
}
