import type { CommandSpec } from "../command_spec.ts";

const SHOW: Omit<CommandSpec, "path" | "examples"> = {
  arguments: "<ID>",
  summary: "show a proposal and, to the operator, all that approving it would do",
  json: true,
  agent: true,
  load: async () => (await import("../commands/proposal.ts")).showProposal,
};

/** Commands for what agents ask for and people decide. */
export const PROPOSAL_COMMANDS: readonly CommandSpec[] = [
  {
    path: "vault proposal list",
    summary: "list the proposals, newest first",
    options: [{
      flags: "--status <STATUS>",
      summary: "only these: pending, applied, rejected or expired",
    }],
    examples: ["broker vault proposal list", "broker vault proposal list --status pending --json"],
    json: true,
    agent: true,
    load: async () => (await import("../commands/proposal.ts")).listProposals,
  },
  { ...SHOW, path: "vault proposal show", examples: ["broker vault proposal show 3"] },
  {
    ...SHOW,
    path: "vault proposal get",
    summary: 'the same as "show"',
    examples: ["broker vault proposal get 3 --json"],
  },
  {
    path: "vault proposal create",
    summary: "ask for services and credentials; a person decides",
    details:
      'Flags describe one service, as those of "service add" do, and slots for credentials that the\n' +
      "vault lacks. A file holds JSON with more than one, with deletions or with values:\n" +
      '{"services": [{"action": "set", "name": "stripe", "host": "api.stripe.com",\n' +
      '  "auth": {"type": "bearer", "token": "STRIPE_KEY"}}, {"action": "delete", "name": "old"}],\n' +
      ' "credentials": [{"key": "STRIPE_KEY", "description": "...", "obtain": "https://...",\n' +
      '  "obtain_instructions": "...", "value": "only to store one that you hold"}],\n' +
      ' "message": "for developers", "user_message": "for the person who decides"}',
    options: [
      { flags: "-f, --file <FILE>", summary: "read the JSON from a file, or - for standard input" },
      { flags: "--service-name <NAME>", summary: "name of the service" },
      { flags: "--host <HOST>", summary: "hosts and paths that it stands for" },
      { flags: "--auth-type <TYPE>", summary: "bearer, basic, api-key, custom or passthrough" },
      { flags: "--token-key <KEY>", summary: "bearer: key of the token" },
      { flags: "--username-key <KEY>", summary: "basic: key of the user name" },
      { flags: "--password-key <KEY>", summary: "basic: key of the password" },
      { flags: "--api-key-key <KEY>", summary: "api-key: key of the API key" },
      {
        flags: "--api-key-header <NAME>",
        summary: "api-key: header to set, default Authorization",
      },
      { flags: "--api-key-prefix <TEXT>", summary: "api-key: text before the value" },
      {
        flags: "--header <'NAME: TEMPLATE'>",
        summary: "custom: header to set, with {{ KEY }} for values; may be repeated",
        repeated: true,
      },
      {
        flags: "--slot <KEY[=DESCRIPTION]>",
        summary: "a credential that the person gives; may be repeated",
        repeated: true,
      },
      { flags: "--message <TEXT>", summary: "why, for developers" },
      { flags: "--user-message <TEXT>", summary: "why, for the person who decides" },
    ],
    examples: [
      'broker vault proposal create --service-name stripe --host api.stripe.com --token-key STRIPE_KEY --slot STRIPE_KEY="a restricted key" --user-message "I need Stripe for the checkout"',
      "broker vault proposal create -f proposal.json",
    ],
    json: true,
    agent: true,
    load: async () => (await import("../commands/proposal_create.ts")).createProposal,
  },
  {
    path: "vault proposal wait",
    arguments: "<ID>",
    summary: "wait for the decision: exit status 0 when it was approved, else 1",
    options: [{ flags: "--timeout <DURATION>", summary: "how long, default 10m" }],
    examples: ["broker vault proposal wait 3", "broker vault proposal wait 3 --timeout 1h"],
    json: true,
    agent: true,
    load: async () => (await import("../commands/proposal.ts")).waitForProposal,
  },
  {
    path: "vault proposal review",
    summary: "go through the proposals that wait: approve, reject or skip each",
    examples: ["broker vault proposal review", "broker vault proposal review --vault work"],
    load: async () => (await import("../commands/proposal_review.ts")).reviewProposals,
  },
  {
    path: "vault proposal approve",
    arguments: "<ID>",
    summary: "show a proposal, ask for its values, and apply it",
    details:
      "Values are asked for without showing them, or read as KEY=VALUE lines when standard input is a\n" +
      "pipe; they come before values of the agent's own. Nothing is stored before the yes.",
    options: [{ flags: "--yes", summary: "do not ask" }],
    examples: [
      "broker vault proposal approve 3",
      'printf "STRIPE_KEY=%s\\n" "$KEY" | broker vault proposal approve 3 --yes',
    ],
    json: true,
    load: async () => (await import("../commands/proposal_decide.ts")).approveProposal,
  },
  {
    path: "vault proposal reject",
    arguments: "<ID>",
    summary: "reject a proposal",
    options: [{ flags: "--reason <TEXT>", summary: "why; the agent reads it" }],
    examples: ['broker vault proposal reject 3 --reason "use the test account"'],
    json: true,
    load: async () => (await import("../commands/proposal_decide.ts")).rejectProposal,
  },
];
