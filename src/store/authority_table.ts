import { BrokerError } from "../errors.ts";
import type { Secret } from "../model/secret.ts";
import type { Database } from "./database.ts";
import { SealBrokenError, type SealedPlace, type Sealer } from "./sealer.ts";

/** The certificate authority of a home. */
export interface StoredAuthority {
  readonly certificatePem: string;
  readonly privateKeyPkcs8Pem: Secret;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

interface AuthorityRow {
  readonly certificate: string;
  readonly sealed_private_key: Uint8Array;
  readonly created_at: number;
}

const PLACE: SealedPlace = { table: "authority", vault: "", key: "private_key" };

/** The one row that keeps the CA; its private key is sealed. */
export class AuthorityTable {
  readonly #database: Database;
  readonly #sealer: Sealer;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  /** The CA, or `undefined` before there is one. @throws {BrokerError} `home_unusable` */
  load(): StoredAuthority | undefined {
    const row = this.#database.get<AuthorityRow>("SELECT * FROM authority");
    if (row === undefined) return undefined;
    return {
      certificatePem: row.certificate,
      privateKeyPkcs8Pem: this.#open(row.sealed_private_key),
      createdAt: row.created_at,
    };
  }

  /** Keeps a CA unless there is one already; returns the one that is kept. */
  save(authority: StoredAuthority): StoredAuthority {
    return this.#database.write(() => {
      const existing = this.load();
      if (existing !== undefined) return existing;
      this.#database.run(
        `INSERT INTO authority (id, certificate, sealed_private_key, created_at)
          VALUES (1, ?, ?, ?)`,
        [
          authority.certificatePem,
          this.#sealer.seal(authority.privateKeyPkcs8Pem, PLACE),
          authority.createdAt,
        ],
      );
      return authority;
    });
  }

  #open(sealed: Uint8Array): Secret {
    try {
      return this.#sealer.open(sealed, PLACE);
    } catch (cause) {
      if (!(cause instanceof SealBrokenError)) throw cause;
      throw new BrokerError("home_unusable", "The stored CA key does not open: it was changed", {
        hint: `put a backup of "${this.#database.path}" back`,
        cause,
      });
    }
  }
}
