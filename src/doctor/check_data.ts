import { statfsSync } from "node:fs";
import { BrokerError } from "../errors.ts";
import { serviceKeys } from "../model/credential_refs.ts";
import { hostPatternIssue, parseHostPattern } from "../model/host_pattern.ts";
import type { Secret } from "../model/secret.ts";
import { Store } from "../store/store.ts";
import { parseCertificateFields } from "../x509/certificate_fields.ts";
import type { Finding } from "./finding.ts";

/** Bytes below which a disk is said to be nearly full: a few thousand logged requests and their log. */
const LOW_DISK_BYTES = 64 * 1024 * 1024;

/** Bits of a mode that let others than the owner in. */
const OTHERS = 0o077;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days before its end at which the CA is said to end soon. */
const SOON_DAYS = 30;

/** Files of a data directory that hold secrets, in whatever form. */
const PRIVATE_FILES = ["broker.db", "broker.db-wal", "key", "requests.db", "requests.db-wal"];

/** How the data directory is looked into. */
export interface DataOptions {
  /** Absolute path. */
  readonly home: string;
  /** What `BROKER_PASSPHRASE` held; nobody is asked for one. */
  readonly passphrase: Secret | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What was found, and the hosts of the services where they could be read. */
export interface DataReport {
  readonly findings: readonly Finding[];
  readonly serviceHostnames: readonly string[];
}

/** Looks into the data directory. */
export async function checkData(options: DataOptions): Promise<DataReport> {
  const serviceHostnames: string[] = [];
  const findings = await findAll(options, serviceHostnames);
  return { findings, serviceHostnames };
}

async function findAll(options: DataOptions, hostnames: string[]): Promise<Finding[]> {
  const { home } = options;
  // First, because opening the home mends what it can.
  const modes = checkModes(home);
  const state = inspect(home);
  if ("fault" in state) return [state.fault];
  if (!state.isPresent) {
    return [{
      area: "data",
      name: "directory",
      state: "note",
      text: `${home} is not there yet`,
      remedy: "broker init",
    }];
  }
  const found = [
    { area: "data", name: "directory", state: "ok", text: home } as const,
    ...modes,
    ...checkDisk(home),
  ];
  if (state.needsPassphrase && options.passphrase === undefined) {
    return [...found, {
      area: "data",
      name: "contents",
      state: "note",
      text: "not looked into: they are protected by the passphrase",
      remedy: "set BROKER_PASSPHRASE for this command",
    }];
  }
  return [...found, ...await checkContents(options, hostnames)];
}

function inspect(
  home: string,
): { readonly isPresent: boolean; readonly needsPassphrase: boolean } | {
  readonly fault: Finding;
} {
  try {
    const state = Store.inspect(home);
    return {
      isPresent: state.kind === "present",
      needsPassphrase: state.kind === "present" && state.protection === "passphrase",
    };
  } catch (error) {
    return { fault: faultOf("directory", error) };
  }
}

function checkModes(home: string): Finding[] {
  if (Deno.build.os === "windows") return [];
  const open = [home, ...PRIVATE_FILES.map((name) => `${home}/${name}`)].filter((path) => {
    try {
      return ((Deno.statSync(path).mode ?? 0) & OTHERS) !== 0;
    } catch {
      return false;
    }
  });
  if (open.length === 0) {
    return [{ area: "data", name: "permissions", state: "ok", text: "for you alone" }];
  }
  return [{
    area: "data",
    name: "permissions",
    state: "fault",
    text: `others may use ${open.join(", ")}`,
    remedy: `chmod go= ${open.join(" ")}`,
  }];
}

function checkDisk(home: string): Finding[] {
  try {
    const { bavail, bsize } = statfsSync(home);
    const free = bavail * bsize;
    const text = `${Math.floor(free / 1024 / 1024).toLocaleString("en")} MiB free`;
    if (free >= LOW_DISK_BYTES) return [{ area: "data", name: "disk", state: "ok", text }];
    return [{ area: "data", name: "disk", state: "fault", text, remedy: "make room on that disk" }];
  } catch {
    return [];
  }
}

async function checkContents(
  { home, passphrase, now }: DataOptions,
  hostnames: string[],
): Promise<Finding[]> {
  try {
    using store = await Store.open(home, {
      ...(passphrase && { passphrase: () => Promise.resolve(passphrase) }),
    });
    for (const { name } of store.vaults.list()) {
      const enabled = store.services.list(name).filter((service) => service.enabled);
      hostnames.push(
        ...enabled.filter(({ host }) => hostPatternIssue(host) === undefined)
          .map(({ host }) => parseHostPattern(host).hostname),
      );
    }
    return [...checkAuthority(store, now), ...checkVaults(store)];
  } catch (error) {
    return [faultOf("contents", error)];
  }
}

function checkAuthority(store: Store, now: number): Finding[] {
  const stored = store.authority.load();
  if (stored === undefined) return [];
  const { notAfter } = parseCertificateFields(stored.certificatePem);
  const days = Math.floor((notAfter.getTime() - now) / DAY_MS);
  const text = `the CA is valid until ${notAfter.toISOString().slice(0, 10)}`;
  if (days >= SOON_DAYS) return [{ area: "data", name: "authority", state: "ok", text }];
  return [{
    area: "data",
    name: "authority",
    state: days < 0 ? "fault" : "note",
    text,
    remedy: "check this machine's clock, or start a new home: BROKER_HOME=DIRECTORY broker init",
  }];
}

function checkVaults(store: Store): Finding[] {
  return store.vaults.list().map(({ name }): Finding => {
    const services = store.services.list(name);
    const known = new Set(store.credentials.keys(name));
    const missing = [...new Set(services.flatMap((service) => serviceKeys(service)))]
      .filter((key) => !known.has(key));
    const count = services.length === 1 ? "1 service" : `${services.length} services`;
    if (missing.length === 0) {
      return { area: "data", name: `vault ${name}`, state: "ok", text: count };
    }
    return {
      area: "data",
      name: `vault ${name}`,
      state: "note",
      text: `${count}; not in the vault: ${missing.join(", ")}`,
      remedy: `broker vault credential set --vault ${name} ${missing.join(" ")}`,
    };
  });
}

function faultOf(name: string, error: unknown): Finding {
  if (!(error instanceof BrokerError)) throw error;
  return {
    area: "data",
    name,
    state: "fault",
    text: error.message,
    ...(error.hint !== undefined && { remedy: error.hint }),
  };
}
