import assert from "node:assert/strict";
import { statusOf } from "../support/raw_client.ts";
import type { RawMessage } from "../support/raw_message.ts";
import type { TestBroker } from "./fixture.ts";

/** What a refusal is to look like (interfaces: Proxy). */
export interface ExpectedRefusal {
  readonly status: number;
  readonly code: string;
  /** Members beside the common four. */
  readonly extras?: Readonly<Record<string, unknown>>;
}

/** Checks an answer of the broker's own to the last member. @returns Its request id. */
export function assertRefusal(answer: RawMessage, expected: ExpectedRefusal): string {
  assert.equal(statusOf(answer), expected.status, answer.head + answer.text);
  assert.deepEqual(answer.values("x-broker-error"), [expected.code]);
  assert.deepEqual(answer.values("content-type"), ["application/json; charset=utf-8"]);
  assert.deepEqual(
    answer.values("proxy-authenticate"),
    expected.status === 407 ? ['Basic realm="broker"'] : [],
  );
  const { error, message, help, request_id, ...extras } = JSON.parse(answer.text);
  assert.equal(error, expected.code);
  assert.ok(typeof message === "string" && message.length > 0, answer.text);
  assert.ok(typeof help === "string" && help.length > 0, answer.text);
  assert.ok(typeof request_id === "string" && request_id.length > 0, answer.text);
  assert.deepEqual(extras, expected.extras ?? {});
  return request_id;
}

/** Checks that the refusal stands in the request log under its id. */
export async function assertLogged(
  broker: TestBroker,
  id: string,
  expected: ExpectedRefusal,
): Promise<void> {
  await broker.rowWritten(id);
  const row = broker.rows.find((candidate) => candidate.id === id)!;
  assert.equal(row.status, expected.status);
  assert.equal(row.errorCode, expected.code);
}

/** The extras of a refused host that an agent may ask for. */
export function proposalHint(host: string): Readonly<Record<string, unknown>> {
  return {
    proposal_hint: {
      host,
      endpoint: "POST /v1/proposals",
      supported_auth_types: ["bearer", "basic", "api-key", "custom", "passthrough"],
    },
  };
}
