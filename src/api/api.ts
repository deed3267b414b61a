import { Hono } from "hono";
import { approvalRoutes } from "./approval.ts";
import { approvalLinkRoutes } from "./approval_link.ts";
import { certificateRoutes } from "./certificate.ts";
import { credentialRoutes } from "./credentials.ts";
import { discoveryRoutes } from "./discovery.ts";
import {
  answerJson,
  describeDefect,
  describeKnownError,
  type ErrorAnswer,
} from "./error_answer.ts";
import { answerErrorPage } from "./error_page.ts";
import { checkRequestSource } from "./guard.ts";
import { healthRoutes } from "./health.ts";
import { wantsPage } from "./page_answer.ts";
import { operatorSessionRoutes } from "./operator_session.ts";
import type { ApiPorts } from "./ports.ts";
import { mountRoutes, type Route } from "./route.ts";
import { proposalRoutes } from "./proposals.ts";
import { serviceRoutes } from "./services.ts";
import { sessionRoutes } from "./sessions.ts";
import { logRoutes } from "./logs.ts";
import { skillRoutes } from "./skills.ts";
import { settingsRoutes } from "./settings.ts";
import { signInRoutes } from "./sign_in.ts";
import { trafficRoutes } from "./traffic_page.ts";

/** The HTTP API as one function, without a socket. */
export interface Api {
  /** Answers a request; never rejects. */
  fetch(request: Request, info?: unknown): Promise<Response>;
}

/** Every route of the API, in the order of the interface's table. */
export function apiRoutes(ports: ApiPorts): readonly Route[] {
  return [
    ...healthRoutes(ports),
    ...certificateRoutes(ports),
    ...discoveryRoutes(ports),
    ...proposalRoutes(ports),
    ...serviceRoutes(ports),
    ...logRoutes(ports),
    ...settingsRoutes(ports),
    ...credentialRoutes(ports),
    ...sessionRoutes(ports),
    ...operatorSessionRoutes(ports),
    ...skillRoutes(),
    ...signInRoutes(ports),
    ...trafficRoutes(ports),
    ...approvalLinkRoutes(ports),
    ...approvalRoutes(ports),
  ];
}

/** Creates the HTTP API (interfaces: HTTP API) over the given ports. */
export function createApi(ports: ApiPorts): Api {
  const app = new Hono();
  mountRoutes(app, apiRoutes(ports), ports);
  const describeError = (thrown: unknown, request: Request): ErrorAnswer => {
    const known = describeKnownError(thrown);
    if (known !== undefined) return known;
    const error = thrown instanceof Error
      ? thrown
      : new Error("Caught what is no Error", { cause: thrown });
    const requestId = crypto.randomUUID();
    const path = loggablePath(request.url);
    ports.reportDefect({ requestId, method: request.method, path, error });
    return describeDefect(requestId);
  };
  const answerError = async (thrown: unknown, request: Request): Promise<Response> => {
    const answer = describeError(thrown, request);
    if (!wantsPage(request)) return answerJson(answer);
    return await answerErrorPage(answer, ports.operators);
  };
  app.onError((error, c) => answerError(error, c.req.raw));

  return {
    async fetch(request) {
      let response: Response;
      try {
        checkRequestSource(request, ports.hosts);
        response = await app.fetch(request);
      } catch (error) {
        response = await answerError(error, request);
      }
      return finish(request, response);
    },
  };
}

/** The path without what only a person who signed in may know. */
function loggablePath(url: string): string {
  return (URL.parse(url)?.pathname ?? "").replace(/^\/op\/[^/]+/, "/op/-");
}

/** Adds what every answer carries, and leaves the body of an answer to HEAD out. */
function finish(request: Request, response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set("Cache-Control", "no-store");
  headers.set("X-Content-Type-Options", "nosniff");
  const body = request.method === "HEAD" ? null : response.body;
  return new Response(body, { status: response.status, headers });
}
