import { BrokerError } from "../errors.ts";
import { type CertificateFields, parseCertificateFields } from "../x509/certificate_fields.ts";
import { parseLeafName } from "../x509/leaf_name.ts";
import type { Issuer as SigningIssuer, Leaf, PrivateKeyText } from "./issuer.ts";

/** The authority as it is kept. */
export interface AuthorityRecord {
  readonly certificatePem: string;
  readonly privateKeyPkcs8Pem: PrivateKeyText;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Where the one authority of a home is kept. */
export interface AuthorityStore {
  /** Undefined before the first {@link AuthorityStore.save}. */
  load(): AuthorityRecord | undefined;
  /** Keeps the record unless there is one already; returns the one that is kept. */
  save(record: AuthorityRecord): AuthorityRecord;
}

/** What {@link Authority.loadOrCreate} needs beside the store. */
export interface AuthorityOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** For the name that a person finds in a trust store: "Broker Local CA (user@host)". */
  readonly user: string;
  readonly host: string;
}

/**
 * The local certificate authority of a home. Loading one costs no cryptography: that and the ASN.1
 * tables are imported when something has to be created or issued.
 */
export class Authority {
  /** The root certificate, PEM. */
  readonly certificatePem: string;
  readonly #privateKey: PrivateKeyText;
  readonly #root: CertificateFields;
  readonly #now: () => number;
  #issuer: Promise<SigningIssuer> | undefined;

  private constructor(record: AuthorityRecord, now: () => number) {
    this.certificatePem = record.certificatePem;
    this.#privateKey = record.privateKeyPkcs8Pem;
    this.#root = readRoot(record.certificatePem);
    this.#now = now;
    checkValidity(this.#root, now());
  }

  /**
   * Loads the authority, and creates it the first time. Of two processes that create it at once, both
   * end up with the one that was saved first.
   * @throws BrokerError `home_unusable` when what is stored is no certificate, `unavailable` when it is
   * not valid now.
   */
  static async loadOrCreate(store: AuthorityStore, options: AuthorityOptions): Promise<Authority> {
    const record = store.load() ?? store.save(await createRecord(options));
    return new Authority(record, options.now);
  }

  /**
   * Issues a leaf for a DNS name or an IP address, under a key of its own.
   * @throws BrokerError `validation_failed` when no certificate can name the host, `home_unusable` when
   * the stored key is not the root's.
   */
  async issueLeaf(hostname: string): Promise<Leaf> {
    const name = parseLeafName(hostname);
    this.#issuer ??= loadIssuer(this.#privateKey, this.#root);
    return (await this.#issuer).issueLeaf(name, new Date(this.#now()));
  }
}

async function createRecord({ now, user, host }: AuthorityOptions): Promise<AuthorityRecord> {
  const { createRoot } = await import("./issuer.ts");
  const createdAt = now();
  return {
    ...createRoot({ commonName: rootName(user, host), now: new Date(createdAt) }),
    createdAt,
  };
}

async function loadIssuer(
  privateKey: PrivateKeyText,
  root: CertificateFields,
): Promise<SigningIssuer> {
  const { Issuer } = await import("./issuer.ts");
  return new Issuer(privateKey, root);
}

/** Trust stores show this text; characters that no screen shows would only disguise it. */
function rootName(user: string, host: string): string {
  const shown = `${user}@${host}`.replace(/[\p{Cc}\p{Cf}]/gu, "");
  // The closing bracket must survive the limit of 64 characters.
  return `Broker Local CA (${Array.from(shown).slice(0, 46).join("")})`;
}

function readRoot(pem: string): CertificateFields {
  try {
    return parseCertificateFields(pem);
  } catch (cause) {
    throw new BrokerError("home_unusable", "Load CA: the stored certificate cannot be read", {
      hint: "restore the home from a backup, or start a new one with BROKER_HOME=DIRECTORY",
      cause,
    });
  }
}

function checkValidity({ notBefore, notAfter }: CertificateFields, now: number): void {
  const hint = "check this machine's clock; if it is right, start a new home with " +
    "BROKER_HOME=DIRECTORY";
  if (now > notAfter.getTime()) {
    const end = notAfter.toISOString().slice(0, 10);
    throw new BrokerError("unavailable", `Load CA: its certificate expired on ${end}`, { hint });
  }
  if (now < notBefore.getTime()) {
    const begin = notBefore.toISOString().slice(0, 10);
    throw new BrokerError("unavailable", `Load CA: its certificate begins on ${begin}`, { hint });
  }
}
