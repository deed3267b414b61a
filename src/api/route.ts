import type { Context, Hono } from "hono";
import { BrokerError } from "../errors.ts";
import { HttpFault } from "./http_fault.ts";
import type { OperatorSession } from "../model/operator.ts";
import type { Form } from "./form_body.ts";
import { authenticate, type Identity, requireOperator } from "./identity.ts";
import { readOperatorForm, requireOperatorSession } from "./operator_access.ts";
import type { ApiPorts } from "./ports.ts";

/** A method that a route may take; HEAD follows GET (RFC 9110, 9.3.2). */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

interface RouteBase {
  readonly method: Method;
  /** Hono's pattern; a `:parameter` is one segment and arrives percent-decoded. */
  readonly path: string;
}

type Answer = Response | Promise<Response>;

/**
 * One method of one path, and who may use it: `anyone` without a token, `authenticated` with any valid
 * one, `operator` only an operator's token. A `page` and a `form` are for a person who signed in with a
 * browser; their path begins with `/op/:operator/`, and a form comes from a page of that person. A handler
 * never sees a request that its access forbids.
 */
export type Route =
  & RouteBase
  & (
    | { readonly access: "anyone"; readonly handle: (c: Context) => Answer }
    | { readonly access: "authenticated"; readonly handle: (c: Context, by: Identity) => Answer }
    | {
      readonly access: "page";
      readonly handle: (c: Context, session: OperatorSession) => Answer;
    }
    | {
      readonly access: "form";
      readonly handle: (c: Context, session: OperatorSession, form: Form) => Answer;
    }
    | {
      readonly access: "operator";
      /** What a person types to do the same; agents are told. */
      readonly command: string;
      readonly handle: (c: Context, by: Identity) => Answer;
    }
  );

/** Adds routes to an app, with a JSON 405 for the other methods of their paths and a 404 for the rest. */
export function mountRoutes(app: Hono, routes: readonly Route[], ports: ApiPorts): void {
  const methodsOf = new Map<string, Method[]>();
  for (const route of routes) {
    app.on(route.method, route.path, (c) => runRoute(route, c, ports));
    methodsOf.set(route.path, [...methodsOf.get(route.path) ?? [], route.method]);
  }
  for (const [path, methods] of methodsOf) {
    const allow = methods.flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]);
    app.all(path, (c) => {
      throw new HttpFault(
        "method_not_allowed",
        `Serve ${c.req.method}: this path does not take it`,
        {
          hint: `Use ${methods.join(", ")}`,
          headers: { Allow: allow.join(", ") },
        },
      );
    });
  }
  app.notFound((c) => {
    throw new BrokerError("not_found", `Find the route: nothing is at "${c.req.path}"`, {
      hint: "GET /discover lists what a token reaches; a host in a path is percent-encoded",
    });
  });
}

function runRoute(route: Route, c: Context, ports: ApiPorts): Answer {
  if (route.access === "anyone") return route.handle(c);
  if (route.access === "page" || route.access === "form") {
    const session = requireOperatorSession(c, ports.operators);
    if (route.access === "page") return route.handle(c, session);
    return readOperatorForm(c, session).then((form) => route.handle(c, session, form));
  }
  const identity = authenticate(c.req.raw.headers, ports);
  if (route.access === "operator") requireOperator(identity, route.command);
  return route.handle(c, identity);
}
