import { createHash, randomBytes } from "node:crypto";
import { BrokerError } from "../errors.ts";
import {
  APPROVAL_LINK_LIFE_MS,
  PENDING_PROPOSALS_MAX,
  type Proposal,
  PROPOSAL_LIFE_MS,
  type ProposalDraft,
  type ProposalStatus,
  type Proposer,
} from "../model/proposal.ts";
import { keysToProvide, type ProposalReview, reviewProposal } from "../model/proposal_review.ts";
import { Secret } from "../model/secret.ts";
import { encodeBase64Url } from "./base64url.ts";
import type { Credentials } from "./credentials.ts";
import type { Database } from "./database.ts";
import {
  decidedFault,
  parseProposalRow,
  PROPOSAL_COLUMNS,
  type ProposalRow,
  statusOf,
} from "./proposal_row.ts";
import { SealBrokenError, type SealedPlace, type Sealer } from "./sealer.ts";
import type { Services } from "./services.ts";
import type { VaultRow, Vaults } from "./vaults.ts";

/** Prefix of tokens that read one proposal (interfaces: Tokens). */
export const APPROVAL_TOKEN_PREFIX = "brk_appr_";

const TOKEN_BYTES = 32;

/** A new proposal. The token is shown here and never again. */
export interface CreatedProposal {
  readonly proposal: Proposal;
  /** Reads this proposal for 24 hours, and cannot decide about it. */
  readonly token: Secret;
}

/** A proposal with what approving it would do now. */
export interface ReviewedProposal {
  readonly proposal: Proposal;
  readonly review: ProposalReview;
  /** Changes whenever anything that the review shows does. */
  readonly digest: string;
}

/** What a person gives with an approval. */
export interface Approval {
  /** Values by key of slots of the proposal; they come before the agent's own. */
  readonly values: ReadonlyMap<string, Secret>;
  /** The digest of the review that was shown; what was not shown is then not applied. */
  readonly digest?: string | undefined;
}

/**
 * The proposals of each vault. Values that came with one are sealed at once and deleted when it is
 * decided or its time is up.
 */
export class Proposals {
  readonly #database: Database;
  readonly #vaults: Vaults;
  readonly #services: Services;
  readonly #credentials: Credentials;
  readonly #sealer: Sealer;
  readonly #now: () => number;

  constructor(database: Database, options: {
    readonly vaults: Vaults;
    readonly services: Services;
    readonly credentials: Credentials;
    readonly sealer: Sealer;
    readonly now: () => number;
  }) {
    this.#database = database;
    this.#vaults = options.vaults;
    this.#services = options.services;
    this.#credentials = options.credentials;
    this.#sealer = options.sealer;
    this.#now = options.now;
  }

  /**
   * Stores a proposal that the model has parsed.
   *
   * @throws {BrokerError} `not_found` for the vault; `too_many_proposals` when 20 are pending
   */
  create(vaultName: string, draft: ProposalDraft, proposer: Proposer): CreatedProposal {
    const token = new Secret(APPROVAL_TOKEN_PREFIX + encodeBase64Url(randomBytes(TOKEN_BYTES)));
    return this.#database.write(() => {
      const vault = this.#vaults.row(vaultName);
      const now = this.#now();
      this.#dropValuesOfExpired(now);
      if (this.#countPending(vault.id, now) >= PENDING_PROPOSALS_MAX) throw tooMany(vault.name);
      const id = this.#database.get<{ next: number }>(
        "SELECT coalesce(max(id), 0) + 1 AS next FROM proposals WHERE vault_id = ?",
        [vault.id],
      )!.next;
      this.#database.run(
        `INSERT INTO proposals (vault_id, id, status, content, proposer_type, proposer_name,
          created_at, expires_at, token_hash, token_expires_at)
          VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?)`,
        [
          ...[vault.id, id, JSON.stringify(draft.content), proposer.type, proposer.name],
          ...[now, now + PROPOSAL_LIFE_MS, hashToken(token.reveal()), now + APPROVAL_LINK_LIFE_MS],
        ],
      );
      for (const [key, value] of draft.values) {
        this.#database.run(
          "INSERT INTO proposal_values (vault_id, proposal_id, key, sealed) VALUES (?, ?, ?, ?)",
          [vault.id, id, key, this.#sealer.seal(value, valuePlace(vault.id, id, key))],
        );
      }
      return { proposal: this.#get(vault, id), token };
    });
  }

  /** Newest first. @throws {BrokerError} `not_found` for the vault */
  list(vaultName: string, options: { readonly status?: ProposalStatus } = {}): Proposal[] {
    return this.#database.read(() => {
      const vault = this.#vaults.row(vaultName);
      const rows = this.#database.all<ProposalRow>(
        `SELECT ${PROPOSAL_COLUMNS} FROM proposals WHERE vault_id = ? ORDER BY id DESC`,
        [vault.id],
      );
      const now = this.#now();
      return rows.filter((row) => !options.status || statusOf(row, now) === options.status)
        .map((row) => parseProposalRow(row, { vault: vault.name, now }));
    });
  }

  /** How many proposals of the vault wait for a decision. @throws {BrokerError} `not_found` */
  pendingCount(vaultName: string): number {
    return this.#database.read(() =>
      this.#countPending(this.#vaults.row(vaultName).id, this.#now())
    );
  }

  /** @throws {BrokerError} `not_found` for the vault or the proposal */
  get(vaultName: string, id: number): Proposal {
    return this.#database.read(() => this.#get(this.#vaults.row(vaultName), id));
  }

  /** The proposal with what approving it would do to the vault as it is now. */
  review(vaultName: string, id: number): ReviewedProposal {
    return this.#database.read(() => this.#review(this.#vaults.row(vaultName), id));
  }

  /** The proposal that an approval link's token reads, while the token lives. */
  findByToken(token: string): { readonly vault: string; readonly id: number } | undefined {
    if (!token.startsWith(APPROVAL_TOKEN_PREFIX)) return undefined;
    const row = this.#database.get<{ vault: string; id: number }>(
      `SELECT vaults.name AS vault, proposals.id FROM proposals
        JOIN vaults ON vaults.id = vault_id WHERE token_hash = ? AND token_expires_at > ?`,
      [hashToken(token), this.#now()],
    );
    return row && { vault: row.vault, id: row.id };
  }

  /**
   * Applies a proposal: its services and credentials together, or nothing.
   *
   * @throws {BrokerError} `not_found`; `proposal_applied`, `proposal_rejected`, `proposal_expired`;
   * `vault_changed` when something else than what the digest stands for would be applied, or it no
   * longer can be; `values_missing` with the keys; `validation_failed` for a value or a foreign key
   */
  approve(vaultName: string, id: number, approval: Approval): Proposal {
    return this.#database.write(() => {
      const vault = this.#vaults.row(vaultName);
      const { proposal, review, digest } = this.#review(vault, id);
      const fault = decidedFault(id, proposal.status);
      if (fault !== undefined) throw fault;
      const [conflict] = review.conflicts;
      if (conflict !== undefined || (approval.digest ?? digest) !== digest) {
        throw vaultChanged(id, conflict);
      }
      const values = this.#collectValues(vault.id, proposal, approval.values);
      for (const change of proposal.services) {
        if (change.action === "delete") this.#services.remove(vault.name, change.name);
      }
      this.#services.upsert(
        vault.name,
        proposal.services.flatMap((one) => one.action === "set" ? [one.service] : []),
      );
      this.#credentials.set(vault.name, values);
      return this.#decide(vault, id, { status: "applied" });
    });
  }

  /**
   * Rejects a proposal.
   *
   * @throws {BrokerError} `not_found`; `proposal_applied`, `proposal_rejected`, `proposal_expired`
   */
  reject(vaultName: string, id: number, reason: string): Proposal {
    return this.#database.write(() => {
      const vault = this.#vaults.row(vaultName);
      const fault = decidedFault(id, statusOf(this.#row(vault, id), this.#now()));
      if (fault !== undefined) throw fault;
      return this.#decide(vault, id, { status: "rejected", reason });
    });
  }

  /** Deletes values of proposals whose time is up; costs a query when there are none. */
  forgetExpired(): void {
    const now = this.#now();
    if (this.#database.get(`SELECT 1 FROM proposal_values WHERE ${OF_EXPIRED} LIMIT 1`, [now])) {
      this.#database.write(() => this.#dropValuesOfExpired(now));
    }
  }

  #decide(
    vault: VaultRow,
    id: number,
    outcome: { readonly status: "applied" | "rejected"; readonly reason?: string },
  ): Proposal {
    this.#database.run(
      `UPDATE proposals SET status = ?, reviewed_at = ?, reject_reason = ?
        WHERE vault_id = ? AND id = ?`,
      [outcome.status, this.#now(), outcome.reason || null, vault.id, id],
    );
    this.#database.run("DELETE FROM proposal_values WHERE vault_id = ? AND proposal_id = ?", [
      vault.id,
      id,
    ]);
    return this.#get(vault, id);
  }

  #get(vault: VaultRow, id: number): Proposal {
    return parseProposalRow(this.#row(vault, id), { vault: vault.name, now: this.#now() });
  }

  #row(vault: VaultRow, id: number): ProposalRow {
    const row = this.#database.get<ProposalRow>(
      `SELECT ${PROPOSAL_COLUMNS} FROM proposals WHERE vault_id = ? AND id = ?`,
      [vault.id, id],
    );
    if (row !== undefined) return row;
    throw new BrokerError("not_found", `There is no proposal ${id} in vault "${vault.name}"`, {
      hint: "broker vault proposal list",
    });
  }

  #review(vault: VaultRow, id: number): ReviewedProposal {
    const proposal = this.#get(vault, id);
    const review = reviewProposal(proposal, {
      services: this.#services.ofVault(vault.id),
      keys: this.#credentials.keys(vault.name),
      plaintextCredentials: vault.settings.plaintextCredentials,
    });
    const { services, credentials, message, userMessage } = proposal;
    const shown = [vault.id, id, { services, credentials, message, userMessage }, review];
    const digest = createHash("sha256").update(JSON.stringify(shown)).digest("base64url");
    return { proposal, review, digest };
  }

  #collectValues(vaultId: string, proposal: Proposal, given: ReadonlyMap<string, Secret>) {
    const keys = proposal.credentials.map((slot) => slot.key);
    const foreign = [...given.keys()].filter((key) => !keys.includes(key));
    if (foreign.length > 0) throw foreignKeys(proposal.id, foreign, keys);
    const missing = keysToProvide(proposal).filter((key) => !given.has(key));
    if (missing.length > 0) throw valuesMissing(proposal.id, missing);
    return keys.map((key) => ({
      key,
      value: given.get(key) ?? this.#suppliedValue(vaultId, proposal.id, key),
    }));
  }

  #suppliedValue(vaultId: string, id: number, key: string): Secret {
    const row = this.#database.get<{ sealed: Uint8Array }>(
      "SELECT sealed FROM proposal_values WHERE vault_id = ? AND proposal_id = ? AND key = ?",
      [vaultId, id, key],
    );
    try {
      if (row !== undefined) return this.#sealer.open(row.sealed, valuePlace(vaultId, id, key));
    } catch (cause) {
      if (!(cause instanceof SealBrokenError)) throw cause;
    }
    throw new BrokerError(
      "home_unusable",
      `The value of "${key}" in proposal ${id} does not open: it was changed outside of broker`,
      { hint: `broker vault proposal reject ${id}` },
    );
  }

  #countPending(vaultId: string, now: number): number {
    return this.#database.get<{ count: number }>(
      `SELECT count(*) AS count FROM proposals
        WHERE vault_id = ? AND status = 'pending' AND expires_at > ?`,
      [vaultId, now],
    )!.count;
  }

  #dropValuesOfExpired(now: number): void {
    this.#database.run(`DELETE FROM proposal_values WHERE ${OF_EXPIRED}`, [now]);
  }
}

const OF_EXPIRED = `EXISTS (SELECT 1 FROM proposals
  WHERE proposals.vault_id = proposal_values.vault_id AND id = proposal_id AND expires_at <= ?)`;

function valuePlace(vaultId: string, id: number, key: string): SealedPlace {
  // A key holds no slash, so no two values share a place.
  return { table: "proposal_values", vault: vaultId, key: `${id}/${key}` };
}

function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

function tooMany(vault: string): BrokerError {
  return new BrokerError(
    "too_many_proposals",
    `${PENDING_PROPOSALS_MAX} proposals of vault "${vault}" wait for a decision already`,
    { hint: "ask the person to decide them first: broker vault proposal review" },
  );
}

function vaultChanged(id: number, conflict: string | undefined): BrokerError {
  return new BrokerError(
    "vault_changed",
    conflict === undefined
      ? `The vault changed since proposal ${id} was shown`
      : `Proposal ${id} does not fit the vault any more: ${conflict}`,
    {
      hint: conflict === undefined
        ? `look at it again: broker vault proposal show ${id}`
        : `broker vault proposal reject ${id}, and let the agent make a new one`,
    },
  );
}

function valuesMissing(id: number, missing: readonly string[]): BrokerError {
  return new BrokerError(
    "values_missing",
    `Proposal ${id} needs a value of ${missing.join(", ")}`,
    {
      hint: `send {"credentials": {"${
        missing[0]
      }": "..."}}, or type: broker vault proposal approve ${id}`,
      issues: missing.map((key) => ({
        path: ["credentials", key],
        message: "The value is missing",
      })),
      details: { missing },
    },
  );
}

function foreignKeys(
  id: number,
  foreign: readonly string[],
  keys: readonly string[],
): BrokerError {
  const takes = keys.length === 0 ? "it takes no values" : `it takes ${keys.join(", ")}`;
  return new BrokerError("validation_failed", `Proposal ${id} has no slot for some values`, {
    hint: takes,
    // What stands before "=" may be a value that somebody pasted, so it is not repeated.
    issues: foreign.map(() => ({ path: ["credentials"], message: `A key is no slot: ${takes}` })),
  });
}
