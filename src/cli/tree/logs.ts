import type { CommandSpec } from "../command_spec.ts";

/** Commands for the request log. */
export const LOGS_COMMANDS: readonly CommandSpec[] = [
  {
    path: "vault logs list",
    summary: "list the latest requests (the same without a further word)",
    details:
      "Every request, tunnel and refusal, the newest last; never a query, a header, a body or a value.\n" +
      "STATUS is a status (404), a class (4xx), ok or error. TIME is a duration back from now (2h) or a\n" +
      "moment (2026-01-31T12:00). With --json each line is one row.",
    options: [
      { flags: "--service <NAME>", summary: "only requests that this service took" },
      { flags: "--status <STATUS>", summary: "only these outcomes" },
      { flags: "--actor <NAME>", summary: "only this agent or session" },
      {
        flags: "--host <HOST>",
        summary: "only this host, with its port unless it is the usual one",
      },
      { flags: "--since <TIME>", summary: "only from then on" },
      { flags: "--until <TIME>", summary: "only before then" },
      { flags: "--limit <N>", summary: "at most so many, default 50" },
      {
        flags: "-f, --follow",
        summary: "go on with new requests, of other terminals too, until Ctrl-C",
      },
    ],
    examples: [
      "broker vault logs",
      "broker vault logs --status error --since 1h",
      "broker vault logs -f --service github",
      "broker vault logs --json --limit 1000 | jq .host",
    ],
    isDefault: true,
    json: true,
    agent: true,
    load: async () => (await import("../commands/logs.ts")).listLogs,
  },
  {
    path: "vault logs explain",
    arguments: "<ID>",
    summary: "say which service took a request and why, or why none did",
    details:
      "ID is a request's id or its first 6 characters or more: the log shows them, and so does\n" +
      "request_id in an answer of the broker.",
    examples: ["broker vault logs explain 3f2a91bc"],
    json: true,
    load: async () => (await import("../commands/logs_explain.ts")).explainLog,
  },
];
