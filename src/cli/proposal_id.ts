import { BrokerError } from "../errors.ts";

/** Reads a proposal's number. @throws {BrokerError} `usage` */
export function parseProposalId(text: string | undefined): number {
  if (text !== undefined && /^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  throw new BrokerError("usage", `Read the proposal's id ${JSON.stringify(text ?? "")}`, {
    hint: "it is a whole number; broker vault proposal list shows it",
  });
}
