import { BrokerError } from "../errors.ts";
import { splitCertificates } from "../x509/pem.ts";
import { findSystemRoots, type SystemRoots } from "./system_roots.ts";
import { writeAtomically } from "./write_atomically.ts";

/** Paths of the files that clients are pointed to. */
export interface TrustFiles {
  /** The authority's certificate alone. */
  readonly certificate: string;
  /** The same with what the user's own additions hold, for programs that add it to their store. */
  readonly additions: string;
  /** Every root, for programs whose store it replaces. */
  readonly bundle: string;
}

/**
 * Files of the user's own, in variables that a child finds pointing to the broker's. What is in them goes
 * into those, so that a host which is not intercepted is reached as before.
 */
export interface UserRootFiles {
  /** Added by programs to a store of their own, which need not be the machine's. */
  readonly adding: readonly string[];
  /** Taken by programs in place of their store. */
  readonly replacing: readonly string[];
}

/** What the files are made of. */
export interface TrustFilesInput {
  /** The authority's certificate, PEM. */
  readonly certificatePem: string;
  /** What the user set; none unless given. */
  readonly userFiles?: UserRootFiles;
  /** The roots of this machine; found unless given. */
  readonly systemRoots?: SystemRoots;
}

/** The user's own roots for upstreams; the broker verifies with them too. */
const UPSTREAM_VARIABLES = ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "BROKER_UPSTREAM_CA"];

/** Changes with what the bundle holds, so that a newer program writes it anew. */
const FORMAT = "1";

/** The beginning of a bundle that tells what it was made of; programs skip text outside PEM blocks. */
const HEADER = "# Roots of this machine and the local CA of broker, inputs ";

/** Readable for a child that runs as another user; nothing in them is secret. */
const MODE = 0o644;

/**
 * Writes the files into a directory, unless they are there and made of the same inputs. One with roots of
 * the user's own gets a name of its own, so that two runs with different environments do not overwrite
 * each other's.
 * @throws BrokerError `home_unusable` or `disk_full` when they cannot be written.
 */
export async function ensureTrustFiles(
  directory: string,
  input: TrustFilesInput,
): Promise<TrustFiles> {
  const { certificatePem, userFiles = { adding: [], replacing: [] } } = input;
  const certificate = `${directory}/ca.pem`;
  await ensureFile(certificate, certificatePem);
  const added = await addedRoots(userFiles, { except: certificatePem });
  const additions = added.length === 0
    ? certificate
    : `${directory}/ca${await suffixOf(added)}.pem`;
  if (added.length > 0) await ensureFile(additions, certificatePem + added.join(""));

  const system = input.systemRoots ?? await findSystemRoots();
  const own = await userRoots(userFiles, { system, except: certificatePem });
  const bundle = `${directory}/bundle${own.length === 0 ? "" : await suffixOf(own)}.pem`;
  const inputs = await digest([FORMAT, system.fingerprint, certificatePem, ...own]);
  const header = `${HEADER}${inputs}\n`;
  if (await readStart(bundle, header.length) !== header) {
    const roots = new Set([...await system.load(), ...own, certificatePem]);
    await writeAtomically(bundle, header + [...roots].join(""), { mode: MODE });
  }
  return { certificate, additions, bundle };
}

/**
 * The roots that the user trusts for upstreams beside the built-in ones, one PEM certificate each, from
 * the files named in `SSL_CERT_FILE`, `NODE_EXTRA_CA_CERTS` and `BROKER_UPSTREAM_CA`.
 * @throws BrokerError `validation_failed` when a named file cannot be read or holds no certificate.
 */
export async function upstreamRoots(
  environment: Readonly<Record<string, string>>,
): Promise<string[]> {
  const roots = new Set<string>();
  const seen = new Set<string>();
  for (const variable of UPSTREAM_VARIABLES) {
    const path = environment[variable];
    if (!path || seen.has(path)) continue;
    seen.add(path);
    for (const root of await readRoots(variable, path)) roots.add(root);
  }
  return [...roots];
}

async function readRoots(variable: string, path: string): Promise<string[]> {
  const place = `Read roots of ${variable}: ${JSON.stringify(path)}`;
  const hint = `set ${variable} to a PEM file of certificates, or unset it`;
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (cause) {
    const reason = cause instanceof Deno.errors.NotFound ? "does not exist" : "cannot be read";
    throw new BrokerError("validation_failed", `${place} ${reason}`, { hint, cause });
  }
  const roots = usableRoots(splitCertificates(text));
  if (roots.length > 0) return roots;
  throw new BrokerError("validation_failed", `${place} holds no certificate`, { hint });
}

/** The user's roots that the machine does not have. */
async function userRoots(
  { adding, replacing }: UserRootFiles,
  { system, except }: { readonly system: SystemRoots; readonly except: string },
): Promise<string[]> {
  const roots = await rootsIn([...adding, ...replacing].filter((path) => path !== system.source));
  roots.delete(except);
  if (roots.size === 0) return [];
  return [...roots.difference(new Set(await system.load()))].sort();
}

/** What the user adds to the stores of programs, the machine's roots too: their stores may lack those. */
async function addedRoots(
  { adding }: UserRootFiles,
  { except }: { readonly except: string },
): Promise<string[]> {
  const roots = await rootsIn(adding);
  roots.delete(except);
  return usableRoots([...roots].sort());
}

/** A file that its own program could not read either is skipped. */
async function rootsIn(paths: readonly string[]): Promise<Set<string>> {
  const texts = await Promise.all(
    [...new Set(paths)].map((path) => Deno.readTextFile(path).catch(() => "")),
  );
  return new Set(texts.flatMap(splitCertificates));
}

async function ensureFile(path: string, text: string): Promise<void> {
  if (await readStart(path, text.length + 1) === text) return;
  await writeAtomically(path, text, { mode: MODE });
}

async function suffixOf(roots: readonly string[]): Promise<string> {
  return `-${(await digest(roots)).slice(0, 12)}`;
}

/** Leaves out what Deno's TLS cannot read: one such block would make every handshake fail. */
function usableRoots(roots: string[]): string[] {
  return areUsable(roots) ? roots : roots.filter((root) => areUsable([root]));
}

function areUsable(caCerts: string[]): boolean {
  try {
    Deno.createHttpClient({ caCerts }).close();
    return true;
  } catch {
    return false;
  }
}

/** The first octets of a file as text; empty when it cannot be read. */
async function readStart(path: string, length: number): Promise<string> {
  try {
    using file = await Deno.open(path);
    const octets = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const count = await file.read(octets.subarray(filled));
      if (count === null) break;
      filled += count;
    }
    return new TextDecoder().decode(octets.subarray(0, filled));
  } catch {
    return "";
  }
}

async function digest(parts: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
