import { BrokerError } from "../errors.ts";
import { nearestWord } from "../model/nearest_word.ts";
import type { Service } from "../model/service.ts";
import type { Database, SqlValue } from "./database.ts";
import {
  bareHost,
  parseServiceRows,
  serializeService,
  type ServiceRow,
  type StoredService,
} from "./service_row.ts";
import type { Vaults } from "./vaults.ts";

const INSERT = `INSERT INTO services
  (name, host, auth, substitutions, enabled, vault_id, position) VALUES (?, ?, ?, ?, ?, ?, ?)`;

/** How many names a hint lists. */
const HINT_NAMES = 10;

/** The services of each vault, in declaration order. Callers pass services that the model has parsed. */
export class Services {
  readonly #database: Database;
  readonly #vaults: Vaults;

  constructor(database: Database, vaults: Vaults) {
    this.#database = database;
    this.#vaults = vaults;
  }

  /** All services, disabled ones included. @throws {BrokerError} `not_found` */
  list(vault: string): Service[] {
    return this.#database.read(() => this.ofVault(this.#vaults.row(vault).id));
  }

  /** The same by vault id. */
  ofVault(vaultId: string): Service[] {
    return this.#read(vaultId).map((stored) => stored.service);
  }

  /**
   * Replaces all services. An empty list clears the vault like {@link Services.clear}. Replacing
   * services by the same ones writes nothing.
   */
  replaceAll(vault: string, services: readonly Service[]): void {
    if (services.length === 0) return this.clear(vault);
    requireDistinctNames(services);
    this.#database.write(() => {
      const { id, cleared } = this.#vaults.row(vault);
      if (!cleared && isSame(this.#read(id), services)) return;
      this.#database.run("DELETE FROM services WHERE vault_id = ?", [id]);
      services.forEach((service, position) => this.#insert(service, id, position));
      this.#setCleared(id, false);
    });
  }

  /** Adds services at the end; one whose name there is already takes that one's place. */
  upsert(vault: string, services: readonly Service[]): void {
    if (services.length === 0) return;
    requireDistinctNames(services);
    this.#change(vault, (id, stored) => {
      const rowIds = new Map(stored.map(({ rowId, service }) => [service.name, rowId]));
      let position = this.#database.get<{ next: number }>(
        "SELECT coalesce(max(position) + 1, 0) AS next FROM services WHERE vault_id = ?",
        [id],
      )!.next;
      for (const service of services) {
        const rowId = rowIds.get(service.name);
        if (rowId === undefined) this.#insert(service, id, position++);
        else this.#update(service, rowId);
      }
      this.#setCleared(id, false);
    });
  }

  /** Removes the service of that canonical name and returns it. @throws {BrokerError} `not_found` */
  remove(vault: string, name: string): Service {
    return this.#change(vault, (_, stored) => {
      const { rowId, service } = getByName(stored, name);
      this.#database.run("DELETE FROM services WHERE id = ?", [rowId]);
      return service;
    });
  }

  /** Enables or disables the service of that canonical name. @throws {BrokerError} `not_found` */
  setEnabled(vault: string, name: string, enabled: boolean): Service {
    return this.#change(vault, (_, stored) => {
      const { rowId, service } = getByName(stored, name);
      if (service.enabled !== enabled) {
        this.#database.run("UPDATE services SET enabled = ? WHERE id = ?", [
          enabled ? 1 : 0,
          rowId,
        ]);
      }
      return { ...service, enabled };
    });
  }

  /** Removes all services; the vault refuses every request until one is configured (spec: Errors). */
  clear(vault: string): void {
    this.#database.write(() => {
      const { id } = this.#vaults.row(vault);
      this.#database.run("DELETE FROM services WHERE vault_id = ?", [id]);
      this.#setCleared(id, true);
    });
  }

  /**
   * The service that a person means: by canonical name, else by bare host, else by the whole host
   * pattern as written; without regard to case.
   *
   * @throws {BrokerError} `not_found`; `ambiguous_host` with `candidates` when several share the host
   */
  resolve(vault: string, nameOrHost: string): Service {
    const services = this.list(vault);
    const wanted = nameOrHost.toLowerCase();
    const named = services.find((service) => service.name === wanted);
    if (named !== undefined) return named;
    const onHost = services.filter((service) => bareHost(service.host) === wanted);
    const found = onHost.length > 0
      ? onHost
      : services.filter((service) => service.host === nameOrHost);
    const [first] = found;
    if (first === undefined) throw noSuchService(nameOrHost, services);
    if (found.length === 1) return first;
    // The spec gives this text: Errors, bare host of several path-scoped services.
    throw new BrokerError("ambiguous_host", `multiple services match host "${nameOrHost}"`, {
      hint: `use a name: ${found.map((service) => service.name).join(", ")}`,
      details: { candidates: found.map(({ name, host }) => ({ name, host })) },
    });
  }

  /** Makes slugs durable before it changes anything, so that they cannot move (spec: Versioning). */
  #change<T>(vault: string, change: (vaultId: string, stored: StoredService[]) => T): T {
    return this.#database.write(() => {
      const { id } = this.#vaults.row(vault);
      const stored = this.#read(id);
      for (const { rowId, isNameStored, service } of stored) {
        if (isNameStored) continue;
        this.#database.run("UPDATE services SET name = ? WHERE id = ?", [service.name, rowId]);
      }
      return change(id, stored);
    });
  }

  #read(vaultId: string): StoredService[] {
    return parseServiceRows(this.#database.all<ServiceRow>(
      `SELECT id, name, host, auth, substitutions, enabled FROM services
        WHERE vault_id = ? ORDER BY position, id`,
      [vaultId],
    ));
  }

  #insert(service: Service, vaultId: string, position: number): void {
    this.#database.run(INSERT, [...serializeService(service), vaultId, position]);
  }

  #update(service: Service, rowId: number): void {
    const values: SqlValue[] = [...serializeService(service), rowId];
    this.#database.run(
      `UPDATE services SET name = ?, host = ?, auth = ?, substitutions = ?, enabled = ?
        WHERE id = ?`,
      values,
    );
  }

  #setCleared(vaultId: string, cleared: boolean): void {
    const value = cleared ? 1 : 0;
    this.#database.run("UPDATE vaults SET cleared = ? WHERE id = ? AND cleared <> ?", [
      value,
      vaultId,
      value,
    ]);
  }
}

function getByName(stored: readonly StoredService[], name: string): StoredService {
  const found = stored.find(({ service }) => service.name === name);
  if (found === undefined) throw noSuchService(name, stored.map(({ service }) => service));
  return found;
}

function isSame(stored: readonly StoredService[], services: readonly Service[]): boolean {
  return stored.length === services.length && stored.every(({ isNameStored, service }, index) => {
    const other = serializeService(services[index]!);
    return isNameStored && serializeService(service).every((value, at) => value === other[at]);
  });
}

function requireDistinctNames(services: readonly Service[]): void {
  const seen = new Set<string>();
  const issues = services.flatMap(({ name }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ path: ["services", index, "name"], message: `The name "${name}" is used twice` }];
  });
  if (issues.length === 0) return;
  throw new BrokerError("validation_failed", issues[0]!.message, {
    hint: "give every service a name of its own",
    issues,
  });
}

function noSuchService(wanted: string, services: readonly Service[]): BrokerError {
  const names = services.map((service) => service.name);
  const near = nearestWord(wanted, [...names, ...services.map(({ host }) => bareHost(host))]);
  const shown = names.slice(0, HINT_NAMES).join(", ") + (names.length > HINT_NAMES ? ", ..." : "");
  const hint = near !== undefined
    ? `did you mean "${near}"?`
    : names.length > 0
    ? `there are: ${shown}`
    : "broker vault service add";
  return new BrokerError("not_found", `There is no service "${wanted}"`, { hint });
}
