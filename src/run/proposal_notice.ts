import type { Proposal } from "../model/proposal.ts";
import type { Notice } from "./desktop_notice.ts";

/** Services and keys that a notification names; more would be cut off. */
const NAMED = 2;

/**
 * What a person is told when a proposal arrives: hosts and keys, which the broker has checked, and none of
 * the agent's own words.
 */
export function proposalNotice({ id, vault, services, credentials }: Proposal): Notice {
  const hosts = services.map((one) =>
    one.action === "set" ? one.service.host : `delete ${one.name}`
  );
  const named = [...hosts, ...credentials.map(({ key }) => key)];
  const more = named.length > NAMED ? ` and ${named.length - NAMED} more` : "";
  return {
    title: `An agent asks for access (vault ${vault})`,
    text: `Proposal ${id}: ${named.slice(0, NAMED).join(", ")}${more}. ` +
      `To decide: broker vault proposal approve ${id} --vault ${vault}`,
  };
}
