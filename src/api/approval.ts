import type { Context } from "hono";
import { BrokerError } from "../errors.ts";
import { checkCredentialValue } from "../model/credential_value.ts";
import type { OperatorSession } from "../model/operator.ts";
import { type Proposal, REJECT_REASON_MAX } from "../model/proposal.ts";
import { keysToProvide } from "../model/proposal_review.ts";
import { Secret } from "../model/secret.ts";
import { type FormProblem, valueField } from "../web/approval_form.ts";
import { decisionPage } from "../web/approval_page.ts";
import { APPROVAL_SCRIPT } from "../web/assets.ts";
import { decidedPage } from "../web/decided_page.ts";
import { pendingPath } from "../web/pending_list.ts";
import { proposalTitle } from "../web/proposal_title.ts";
import { dangersOf } from "../web/review_sections.ts";
import { ApprovalDrafts, type DraftPlace } from "./approval_drafts.ts";
import { decidedStatus } from "./approval_link.ts";
import type { Form } from "./form_body.ts";
import { answerPage, seeOther } from "./page_answer.ts";
import { listPending } from "./pending_proposals.ts";
import type { ApiPorts } from "./ports.ts";
import type { Route } from "./route.ts";

/** Codes of a proposal that somebody else decided, or time did. */
const DECIDED: ReadonlySet<string> = new Set([
  "proposal_applied",
  "proposal_rejected",
  "proposal_expired",
]);

/** A person's decision about a proposal (interfaces: Operator in a browser). */
export function approvalRoutes(ports: ApiPorts): readonly Route[] {
  const drafts = new ApprovalDrafts(ports.now);
  const page = new ApprovalPages(ports, drafts);
  return [
    {
      method: "GET",
      path: "/op/:operator/approve/:id",
      access: "page",
      handle: (c, operator) => page.show(placeOf(c, operator, c.req.query("vault")), operator),
    },
    {
      method: "POST",
      path: "/op/:operator/approve/:id/approve",
      access: "form",
      handle: (c, operator, form) =>
        page.approve(placeOf(c, operator, form.text("vault")), { operator, form }),
    },
    {
      method: "POST",
      path: "/op/:operator/approve/:id/reject",
      access: "form",
      handle: (c, operator, form) =>
        page.reject(placeOf(c, operator, form.text("vault")), { operator, form }),
    },
  ];
}

class ApprovalPages {
  readonly #ports: ApiPorts;
  readonly #drafts: ApprovalDrafts;

  constructor(ports: ApiPorts, drafts: ApprovalDrafts) {
    this.#ports = ports;
    this.#drafts = drafts;
  }

  /** The page as it is now, with why a form came back. */
  async show(
    place: DraftPlace,
    operator: OperatorSession,
    problem?: FormProblem & { readonly status: number },
  ): Promise<Response> {
    const reviewed = this.#ports.proposals.review(place.vault, place.id);
    const { proposal } = reviewed;
    if (proposal.status !== "pending") return await this.#showDecided(proposal, operator);
    const title = proposalTitle(proposal, this.#ports.services.list(place.vault));
    const body = decisionPage({
      ...reviewed,
      title,
      operator,
      now: this.#ports.now(),
      kept: new Set(this.#drafts.find(place).keys()),
      pending: listPending(this.#ports, proposal),
      problem,
    });
    const { vault } = proposal;
    return await answerPage({
      title,
      body,
      operator,
      vault,
      scripts: [APPROVAL_SCRIPT],
      stream: `/op/${operator.path}/traffic?vault=${encodeURIComponent(vault)}&only=changes`,
    }, { status: problem?.status ?? 200 });
  }

  async approve(
    place: DraftPlace,
    { operator, form }: { readonly operator: OperatorSession; readonly form: Form },
  ): Promise<Response> {
    const { proposals } = this.#ports;
    const { proposal, review, digest } = proposals.review(place.vault, place.id);
    if (proposal.status !== "pending") return await this.#showLate(place, operator, "approve");
    const { values, faults } = this.#collectValues(place, { proposal, form });
    this.#drafts.keep(place, values);
    if (form.text("digest") !== digest) return await this.show(place, operator, CHANGED);
    for (const key of keysToProvide(proposal)) {
      if (!values.has(key) && !faults.has(key)) faults.set(key, "Type a value.");
    }
    if (faults.size > 0) return await this.show(place, operator, faulty(faults));
    if (dangersOf(review).length > 0 && form.text("understood") !== "yes") {
      return await this.show(place, operator, UNCONFIRMED);
    }
    try {
      proposals.approve(place.vault, place.id, { values, digest });
    } catch (error) {
      // Another process was faster than this one after all.
      if (!(error instanceof BrokerError)) throw error;
      if (error.code === "vault_changed") return await this.show(place, operator, CHANGED);
      if (DECIDED.has(error.code)) return await this.#showLate(place, operator, "approve");
      throw error;
    }
    this.#drafts.forget(place);
    return seeOther(pendingPath(place, operator));
  }

  async reject(
    place: DraftPlace,
    { operator, form }: { readonly operator: OperatorSession; readonly form: Form },
  ): Promise<Response> {
    const reason = (form.text("reason") ?? "").trim();
    if (reason.length > REJECT_REASON_MAX) {
      throw new BrokerError(
        "validation_failed",
        `Read the reason: over ${REJECT_REASON_MAX} characters`,
        {
          hint: "Go back and shorten it",
        },
      );
    }
    try {
      this.#ports.proposals.reject(place.vault, place.id, reason);
    } catch (error) {
      if (!(error instanceof BrokerError) || !DECIDED.has(error.code)) throw error;
      return await this.#showLate(place, operator, "reject");
    }
    this.#drafts.forget(place);
    return seeOther(pendingPath(place, operator));
  }

  /** What was typed now or before, and what is wrong with it; faulty values are not kept. */
  #collectValues(
    place: DraftPlace,
    { proposal, form }: { readonly proposal: Proposal; readonly form: Form },
  ): { values: Map<string, Secret>; faults: Map<string, string> } {
    const values = new Map(this.#drafts.find(place));
    const faults = new Map<string, string>();
    for (const { key } of proposal.credentials) {
      const text = form.text(valueField(key)) ?? "";
      if (text === "") continue;
      const fault = valueFault(key, text);
      if (fault === undefined) values.set(key, new Secret(text));
      else {
        values.delete(key);
        faults.set(key, fault);
      }
    }
    return { values, faults };
  }

  async #showLate(
    { vault, id }: DraftPlace,
    operator: OperatorSession,
    attempt: "approve" | "reject",
  ): Promise<Response> {
    return await this.#showDecided(this.#ports.proposals.get(vault, id), operator, attempt);
  }

  async #showDecided(
    proposal: Proposal,
    operator: OperatorSession,
    attempt?: "approve" | "reject",
  ): Promise<Response> {
    // What it did is in the vault by now, where it would look like a change of itself.
    const title = proposalTitle(proposal, []);
    const body = decidedPage({
      title,
      proposal,
      operator,
      attempt,
      now: this.#ports.now(),
      pending: listPending(this.#ports, proposal),
    });
    const status = attempt === undefined ? decidedStatus(proposal) : 409;
    return await answerPage({ title, body, operator, vault: proposal.vault }, { status });
  }
}

const CHANGED = {
  text: "The vault changed since you looked: look again. This page shows what would happen now.",
  faults: new Map<string, string>(),
  status: 409,
};

const UNCONFIRMED = {
  text: "This proposal is dangerous. Read the red part, and tick its box if you want it.",
  faults: new Map<string, string>(),
  unconfirmed: true,
  status: 400,
};

function faulty(faults: ReadonlyMap<string, string>) {
  return { text: "Some values are missing or cannot be stored.", faults, status: 400 };
}

function valueFault(key: string, text: string): string | undefined {
  try {
    checkCredentialValue(key, text);
    return undefined;
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    return `This cannot be stored: ${error.issues[0]?.message ?? error.message}.`;
  }
}

function placeOf(
  c: Context,
  { path }: OperatorSession,
  vault: string | undefined,
): DraftPlace {
  const text = c.req.param("id") ?? "";
  if (!/^[1-9]\d{0,14}$/.test(text)) {
    throw new BrokerError("not_found", "Find the proposal: its id is a whole number", {
      hint: "Go to the first page, which lists what waits",
    });
  }
  return { operatorPath: path, vault: vault ?? "", id: Number(text) };
}
