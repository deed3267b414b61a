import { BrokerError } from "../errors.ts";
import { compileAuth, type CompiledAuth } from "../inject/auth_slot.ts";
import { compileServices, type Matcher } from "../match/select.ts";
import { parseHostPattern } from "../model/host_pattern.ts";
import type { Secret } from "../model/secret.ts";
import type { Service } from "../model/service.ts";
import type { VaultSnapshot } from "../model/vault_snapshot.ts";
import { RefusalError } from "./refusal.ts";
import { type CompiledSubstitutions, compileSubstitutions } from "../substitute/compile.ts";

/** A service made ready: its header fields are built and its placeholders compiled. */
export interface CompiledService {
  readonly service: Service;
  readonly auth: CompiledAuth;
  readonly substitutions: CompiledSubstitutions;
  /** Every credential key that the service needs, once each. */
  readonly keys: readonly string[];
  /** Those of them that the vault does not hold. */
  readonly missing: readonly string[];
  /** The service's pattern names its port, which says that plain HTTP there is meant. */
  readonly namesPort: boolean;
}

/** A vault made ready for matching. */
export class CompiledVault {
  readonly matcher: Matcher;
  readonly #snapshot: VaultSnapshot;
  readonly #services = new Map<Service, CompiledService>();

  constructor(snapshot: VaultSnapshot) {
    this.#snapshot = snapshot;
    this.matcher = compileServices(snapshot.services);
  }

  /** Compiles a service at its first request; credentials that no request needs stay sealed. */
  service(service: Service): CompiledService {
    let compiled = this.#services.get(service);
    if (compiled === undefined) {
      compiled = compile(service, this.#snapshot);
      this.#services.set(service, compiled);
    }
    return compiled;
  }
}

/** One compiled form a snapshot, kept for as long as the snapshot is. */
const compiledVaults = new WeakMap<VaultSnapshot, CompiledVault>();

/** The compiled form of a snapshot; compiled once. */
export function compiledVault(snapshot: VaultSnapshot): CompiledVault {
  let compiled = compiledVaults.get(snapshot);
  if (compiled === undefined) {
    compiled = new CompiledVault(snapshot);
    compiledVaults.set(snapshot, compiled);
  }
  return compiled;
}

function compile(service: Service, snapshot: VaultSnapshot): CompiledService {
  const credential = (key: string) => snapshot.credential(key);
  const auth = compileCredentials(service, credential);
  const substitutions = compileSubstitutions(service.substitutions, credential);
  const substitutionKeys = substitutions.kind === "none" ? [] : substitutions.keys;
  const missing = [
    ...(auth.kind === "missing" ? auth.missing : []),
    ...(substitutions.kind === "missing" ? substitutions.missing : []),
  ];
  return {
    service,
    auth,
    substitutions,
    keys: [...new Set([...auth.keys, ...substitutionKeys])],
    missing: [...new Set(missing)],
    namesPort: parseHostPattern(service.host).port !== undefined,
  };
}

/** @throws {RefusalError} `credential_unusable` for a stored value that no header field can carry. */
function compileCredentials(
  service: Service,
  credential: (key: string) => Secret | undefined,
): CompiledAuth {
  try {
    return compileAuth(service.auth, credential);
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    throw new RefusalError({ code: "credential_unusable", message: error.message });
  }
}
