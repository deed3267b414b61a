import type { ProposalContent } from "../model/proposal.ts";
import type { Service } from "../model/service.ts";
import { visibleText } from "../model/visible_text.ts";

/** Services and keys that a title names; of more it gives the number. */
const NAMED_MAX = 3;

/**
 * What a proposal asks for, in one line, made from what it would do and not from what the agent says.
 *
 * @param existing The vault's services, which tell a new service from a changed one.
 */
export function proposalTitle(
  { services, credentials }: ProposalContent,
  existing: readonly Service[],
): string {
  if (services.length === 0) {
    const keys = credentials.map(({ key }) => key);
    return `Store ${keys.length > NAMED_MAX ? `${keys.length} credentials` : joined(keys)}`;
  }
  if (services.length > NAMED_MAX) return `Change ${services.length} services`;
  const known = new Set(existing.map(({ name }) => name));
  const hosts = services.flatMap((one) =>
    one.action === "set" && !known.has(one.service.name) ? [visibleText(one.service.host)] : []
  );
  const changes = services.flatMap((one) =>
    one.action === "delete"
      ? [`remove the service ${visibleText(one.name)}`]
      : known.has(one.service.name)
      ? [`change the service ${visibleText(one.service.name)}`]
      : []
  );
  const wishes = hosts.length === 0 ? changes : [`let the agent use ${joined(hosts)}`, ...changes];
  const title = joined(wishes);
  return title.slice(0, 1).toUpperCase() + title.slice(1);
}

function joined(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
