import { BrokerError } from "../errors.ts";
import { isSlug, slugFault, slugify } from "./slug.ts";

/** Longest name of an agent, in characters: it stands in a column of the request log. */
export const AGENT_NAME_MAX = 64;

/**
 * Reads an agent's name: 1 to 64 lower-case letters, digits and single inner hyphens.
 *
 * @throws BrokerError `validation_failed` when it is no such name, with one that would do.
 */
export function parseAgentName(text: string): string {
  if (text.length <= AGENT_NAME_MAX && isSlug(text)) return text;
  const fault = text === ""
    ? "is empty"
    : slugFault(text) ?? `is too long: ${text.length} characters`;
  const near = slugify(text).slice(0, AGENT_NAME_MAX).replace(/-$/, "");
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  const issue = `The agent name ${JSON.stringify(shown)} ${fault}: write 1 to ${AGENT_NAME_MAX} ` +
    `lower-case letters, digits and single hyphens inside, such as "${near || "builder"}"`;
  throw new BrokerError("validation_failed", issue, { issues: [{ path: [], message: issue }] });
}
