import { Authority, type AuthorityRecord, type AuthorityStore } from "../../src/tls/authority.ts";

/** An authority store in memory that counts its writes. */
export class MemoryStore implements AuthorityStore {
  record: AuthorityRecord | undefined;
  saves = 0;

  load(): AuthorityRecord | undefined {
    return this.record;
  }

  save(record: AuthorityRecord): AuthorityRecord {
    this.saves += 1;
    return this.record ??= record;
  }
}

let shared: Promise<Authority> | undefined;

/** The one authority of this test process. */
export function sharedAuthority(): Promise<Authority> {
  return shared ??= createAuthority();
}

/** An authority of its own. */
export function createAuthority(now: () => number = Date.now): Promise<Authority> {
  return Authority.loadOrCreate(new MemoryStore(), { now, user: "ann", host: "laptop" });
}
