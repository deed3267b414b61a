import { BrokerError } from "../errors.ts";
import { bypassesProxy } from "../run/no_proxy.ts";
import { parseParentProxies } from "../run/parent_proxy.ts";
import type { Finding } from "./finding.ts";

/** What the network settings are checked against. */
export interface NetworkOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** Hosts of the services, as far as they are known. */
  readonly serviceHostnames: readonly string[];
}

/** Looks at the variables that decide how the broker and its programs reach the network. */
export function checkNetwork({ environment, serviceHostnames }: NetworkOptions): Finding[] {
  const caseInsensitive = Deno.build.os === "windows";
  const findings: Finding[] = [];
  let noProxy = "";
  try {
    const parents = parseParentProxies(environment, { caseInsensitive });
    noProxy = parents.noProxy;
    const parent = parents.https ?? parents.http;
    findings.push(
      parent === undefined
        ? { area: "network", name: "proxy", state: "ok", text: "upstreams are dialled directly" }
        : {
          area: "network",
          name: "proxy",
          state: "ok",
          text:
            `upstreams are reached through ${parent.hostname}:${parent.port} (${parent.variable})`,
        },
    );
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    findings.push({
      area: "network",
      name: "proxy",
      state: "fault",
      text: error.message,
      ...(error.hint !== undefined && { remedy: error.hint }),
    });
  }
  const hidden = [...new Set(serviceHostnames)].filter((host) => bypassesProxy(noProxy, host));
  if (hidden.length > 0) {
    findings.push({
      area: "network",
      name: "NO_PROXY",
      state: "fault",
      text: `it covers ${hidden.join(", ")}: programs reach ${
        hidden.length === 1 ? "it" : "them"
      } without the broker`,
      remedy: "take the entry out of NO_PROXY",
    });
  }
  return findings;
}
