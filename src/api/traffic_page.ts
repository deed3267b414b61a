import type { Context } from "hono";
import { BrokerError } from "../errors.ts";
import type { OperatorSession } from "../model/operator.ts";
import { trafficPage } from "../web/traffic_page.ts";
import { TRAFFIC_SCRIPT } from "../web/assets.ts";
import { answerPage, seeOther } from "./page_answer.ts";
import { listPending } from "./pending_proposals.ts";
import type { ApiPorts } from "./ports.ts";
import type { Route } from "./route.ts";
import { streamTraffic } from "./traffic_stream.ts";

/** Rows that a page shows without its script. */
const FIRST_ROWS = 50;

/** What a vault brokers, for a person who signed in. */
export function trafficRoutes(ports: ApiPorts): readonly Route[] {
  const { vaults, services, traffic } = ports;
  return [
    {
      method: "GET",
      path: "/op/:operator/",
      access: "page",
      handle(c, operator) {
        const names = vaults.list().map(({ name }) => name);
        const vault = c.req.query("vault") ?? vaults.selected();
        const found = services.list(vault);
        const rows = traffic.newest(vault, FIRST_ROWS).rows.toReversed();
        const pending = listPending(ports);
        const view = { operator, pending, vault, vaults: names, services: found, rows };
        return answerPage({
          title: `Vault ${vault}`,
          body: trafficPage(view),
          operator,
          vault,
          current: "traffic",
          width: "wide",
          scripts: [TRAFFIC_SCRIPT],
          stream: `/op/${operator.path}/traffic?vault=${encodeURIComponent(vault)}`,
        });
      },
    },
    {
      method: "GET",
      path: "/op/:operator/traffic",
      access: "page",
      handle(c, operator) {
        const vault = c.req.query("vault") ?? vaults.selected();
        // An unknown vault is told before the stream begins.
        services.list(vault);
        return streamTraffic(ports, {
          operator,
          vault,
          changesOnly: c.req.query("only") === "changes",
          lastEventId: c.req.header("Last-Event-ID"),
        });
      },
    },
    {
      method: "POST",
      path: "/op/:operator/services/:service",
      access: "form",
      handle(c, operator, form) {
        const vault = form.text("vault") ?? "";
        const enabled = form.text("enabled");
        if (enabled !== "true" && enabled !== "false") {
          throw new BrokerError("validation_failed", "Switch the service: neither on nor off", {
            hint: "Open the page again and use the button there",
          });
        }
        const { name } = services.resolve(vault, c.req.param("service") ?? "");
        services.setEnabled(vault, name, enabled === "true");
        return backTo(c, operator, vault);
      },
    },
  ];
}

/** A script that sent the form shows the change itself and needs no page. */
function backTo(c: Context, { path }: OperatorSession, vault: string): Response {
  if (c.req.header("Sec-Fetch-Mode") === "cors") return new Response(null, { status: 204 });
  return seeOther(`/op/${path}/?vault=${encodeURIComponent(vault)}`);
}
