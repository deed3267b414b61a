import type { Context } from "hono";
import * as z from "zod";
import { BrokerError, type Issue } from "../errors.ts";
import { credentialKeyIssue } from "../model/credential_key.ts";
import { checkCredentialValue } from "../model/credential_value.ts";
import {
  type Proposal,
  PROPOSAL_STATUSES,
  type ProposalStatus,
  type Proposer,
  REJECT_REASON_MAX,
} from "../model/proposal.ts";
import { serializeProposal, serializeReview } from "../model/proposal_document.ts";
import { parseProposal } from "../model/proposal_schema.ts";
import { Secret } from "../model/secret.ts";
import { invalidBody, parseBody } from "./body_schema.ts";
import type { Identity } from "./identity.ts";
import { readJsonBody } from "./json_body.ts";
import type { ApiPorts } from "./ports.ts";
import { answerDecision, parseWait } from "./proposal_wait.ts";
import type { Route } from "./route.ts";
import { chooseVault, requireProxyRole } from "./vault_choice.ts";

const LIST_PATH = "/v1/proposals";
const ONE_PATH = "/v1/proposals/:id";

const APPROVE_REQUEST = z.strictObject({
  credentials: z.record(z.string(), z.string({ error: "Write the value as a string" }), {
    error: 'Write an object: {"KEY": "value"}',
  }).default({}),
  digest: z.string({ error: "Write the digest that came with the review" }).optional(),
});

const REJECT_REQUEST = z.strictObject({
  reason: z.string({ error: "Write the reason as text" }).max(REJECT_REASON_MAX, {
    error: `Write at most ${REJECT_REASON_MAX} characters`,
  }).default(""),
});

type Ports = Pick<
  ApiPorts,
  "proposals" | "services" | "credentials" | "hosts" | "revision" | "stopping" | "announce"
>;

/** `/v1/proposals`: agents ask and look, operators decide (spec: Proposal). No answer holds a value. */
export function proposalRoutes(ports: Ports): readonly Route[] {
  const { proposals } = ports;
  return [
    {
      method: "POST",
      path: LIST_PATH,
      access: "authenticated",
      async handle(c, by) {
        const vault = vaultOf(c, by);
        requireProxyRole(by, vault);
        const body = await readJsonBody(c.req.raw);
        const draft = parseProposal(body, {
          existing: ports.services.list(vault),
          keys: ports.credentials.keys(vault),
        });
        const { proposal, token } = proposals.create(vault, draft, proposerOf(by));
        ports.announce(proposal);
        return c.json(createdAnswer(proposal, ports.hosts, token), 201);
      },
    },
    {
      method: "GET",
      path: LIST_PATH,
      access: "authenticated",
      handle(c, by) {
        const vault = vaultOf(c, by);
        const status = parseStatus(c.req.query("status"));
        const found = proposals.list(vault, status === undefined ? {} : { status });
        return c.json({ vault, proposals: found.map(serializeProposal) });
      },
    },
    {
      method: "GET",
      path: ONE_PATH,
      access: "authenticated",
      handle(c, by) {
        const vault = vaultOf(c, by);
        const id = parseId(c);
        const seconds = parseWait(c.req.query("wait"));
        const read = () => proposals.get(vault, id);
        const show = (one: Proposal) => ({ ...serializeProposal(one), ...reviewFor(by, one) });
        const proposal = read();
        if (seconds === 0 || proposal.status !== "pending") return c.json(show(proposal));
        const { revision, stopping } = ports;
        return answerDecision(proposal, read, { seconds, revision, stopping, show });
      },
    },
    {
      method: "POST",
      path: `${ONE_PATH}/approve`,
      access: "operator",
      command: "broker vault proposal approve ID",
      async handle(c, by) {
        const vault = vaultOf(c, by);
        const id = parseId(c);
        const { credentials, digest } = parseBody(APPROVE_REQUEST, await readJsonBody(c.req.raw));
        const values = parseValues(credentials);
        return c.json(serializeProposal(proposals.approve(vault, id, { values, digest })));
      },
    },
    {
      method: "POST",
      path: `${ONE_PATH}/reject`,
      access: "operator",
      command: "broker vault proposal reject ID",
      async handle(c, by) {
        const vault = vaultOf(c, by);
        const id = parseId(c);
        const { reason } = parseBody(REJECT_REQUEST, await readJsonBody(c.req.raw));
        return c.json(serializeProposal(proposals.reject(vault, id, reason)));
      },
    },
  ];

  /** What an operator needs in order to decide; an agent asked for it and knows. */
  function reviewFor(by: Identity, { vault, id, status }: Proposal) {
    if (by.kind !== "operator" || status !== "pending") return {};
    const { review, digest } = proposals.review(vault, id);
    return { review: serializeReview(review), digest };
  }
}

function vaultOf(c: Context, by: Identity): string {
  return chooseVault(by, [c.req.query("vault"), c.req.header("X-Vault")]);
}

function proposerOf(by: Identity): Proposer {
  return by.kind === "operator"
    ? { type: "operator", name: "operator" }
    : { type: by.caller.actorType, name: by.caller.actorName };
}

function createdAnswer(
  { id, status, vault }: Proposal,
  hosts: readonly string[],
  token: Secret,
) {
  return {
    id,
    status,
    vault,
    approval_url: `http://${hosts[0] ?? "127.0.0.1"}/approve/${id}?token=${token.reveal()}`,
    message: "Show approval_url to the person, or ask them to type in another terminal: " +
      `broker vault proposal approve ${id} --vault ${vault}. ` +
      `Then poll GET /v1/proposals/${id}?wait=60 until status leaves "pending".`,
  };
}

function parseId(c: Context): number {
  const text = c.req.param("id") ?? "";
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  throw new BrokerError("not_found", "Find the proposal: its id is a whole number", {
    hint: "GET /v1/proposals lists them",
  });
}

function parseStatus(text: string | undefined): ProposalStatus | undefined {
  if (text === undefined) return undefined;
  const status = PROPOSAL_STATUSES.find((one) => one === text);
  if (status !== undefined) return status;
  const message = `Write one of ${PROPOSAL_STATUSES.join(", ")}`;
  throw new BrokerError("validation_failed", `Read the query's status: ${message}`, {
    hint: "GET /v1/proposals?status=pending",
    issues: [{ path: ["status"], message }],
  });
}

/** Checks every value before anything is stored, and names all faults at once. */
function parseValues(map: Readonly<Record<string, string>>): Map<string, Secret> {
  const issues: Issue[] = [];
  for (const [key, value] of Object.entries(map)) {
    const keyFault = credentialKeyIssue(key);
    if (keyFault !== undefined) {
      // The key is not repeated: it may be a value in the wrong place.
      issues.push({ path: ["credentials"], message: keyFault });
      continue;
    }
    try {
      checkCredentialValue(key, value);
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
      issues.push({ path: ["credentials", key], message: error.message });
    }
  }
  if (issues.length > 0) throw invalidBody(issues);
  return new Map(Object.entries(map).map(([key, value]) => [key, new Secret(value)]));
}
