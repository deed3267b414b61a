import { BrokerError } from "../errors.ts";
import type { Auth, Service, Substitution } from "../model/service.ts";
import { slugFromHost } from "../model/service_name.ts";
import type { SqlValue } from "./database.ts";

/** A row of `services`. */
export interface ServiceRow {
  readonly id: number;
  /** `null` in rows from before services had names. */
  readonly name: string | null;
  readonly host: string;
  readonly auth: string;
  readonly substitutions: string;
  readonly enabled: number;
}

/** A service with the row that holds it. */
export interface StoredService {
  readonly rowId: number;
  /** False while the name is a slug that only reading made. */
  readonly isNameStored: boolean;
  readonly service: Service;
}

const AUTH_TYPES: ReadonlySet<unknown> = new Set<Auth["type"]>([
  "bearer",
  "basic",
  "api-key",
  "custom",
  "passthrough",
]);

/**
 * Reads rows in declaration order; a row without a name gets a slug of its host that no other row has
 * (spec: Versioning). The same rows give the same slugs.
 *
 * @throws {BrokerError} `home_unusable` for a row that holds no service
 */
export function parseServiceRows(rows: readonly ServiceRow[]): StoredService[] {
  const taken = new Set(rows.map((row) => row.name).filter((name) => name !== null));
  return rows.map((row) => {
    const name = row.name ?? slugFromHost(row.host, taken);
    taken.add(name);
    return {
      rowId: row.id,
      isNameStored: row.name !== null,
      service: {
        name,
        host: row.host,
        enabled: row.enabled === 1,
        auth: parseAuth(row, name),
        substitutions: parseSubstitutions(row, name),
      },
    };
  });
}

/** What is stored of a service: name, host, auth, substitutions, enabled. */
export function serializeService(service: Service): SqlValue[] {
  return [
    service.name,
    service.host,
    JSON.stringify(service.auth),
    JSON.stringify(service.substitutions),
    service.enabled ? 1 : 0,
  ];
}

/** The host pattern's host: up to the first `/` or `:`, in lower case; an IPv6 literal is kept whole. */
export function bareHost(pattern: string): string {
  const end = pattern.startsWith("[") ? pattern.indexOf("]") + 1 : pattern.search(/[/:]/);
  return (end <= 0 ? pattern : pattern.slice(0, end)).toLowerCase();
}

function parseAuth(row: ServiceRow, name: string): Auth {
  const auth = parseJson(row.auth) as { type?: unknown } | null | undefined;
  if (!AUTH_TYPES.has(auth?.type)) throw unreadable(name);
  return auth as Auth;
}

function parseSubstitutions(row: ServiceRow, name: string): Substitution[] {
  const list = parseJson(row.substitutions);
  if (!Array.isArray(list)) throw unreadable(name);
  return list as Substitution[];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreadable(name: string): BrokerError {
  return new BrokerError("home_unusable", `The stored service "${name}" cannot be read`, {
    hint: "broker vault service set -f FILE, to replace all services",
  });
}
