import type { HostPattern } from "../model/host_pattern.ts";
import type { Service } from "../model/service.ts";
import type { PathGlob } from "./path_glob.ts";

/** What a request is matched by; nothing else of it counts (spec: Matching rules). */
export interface MatchTarget {
  /** Lower case, without brackets and without a trailing dot. */
  readonly hostname: string;
  readonly port: number;
  /** The target's path without the query, as the client sent it. */
  readonly path: string;
}

/** A service with its pattern taken apart. */
export interface CompiledRule {
  readonly service: Service;
  readonly pattern: HostPattern;
  readonly glob: PathGlob | undefined;
  /** Place in the service list. */
  readonly order: number;
}

/** A stored service whose pattern today's grammar does not accept; it matches nothing. */
export interface UnusableService {
  readonly service: Service;
  readonly message: string;
}
