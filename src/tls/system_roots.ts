import { splitCertificates } from "../x509/pem.ts";

/** Where the roots of this machine come from. */
export interface SystemRoots {
  /** The file, or a word for what is no file. */
  readonly source: string;
  /** Changes when the roots may have changed; costs no reading of them. */
  readonly fingerprint: string;
  /** Reads them, each as PEM. */
  load(): Promise<string[]>;
}

/** What {@link findSystemRoots} looks at; the real machine unless told. */
export interface SystemRootsOptions {
  readonly os?: typeof Deno.build.os;
  /** Files to try, the first with a certificate wins. */
  readonly files?: readonly string[];
  /** Environment of this process: some settings change what the system's own interface answers. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Bundles of the Linux distributions and BSDs, the more common first. */
const BUNDLE_FILES = [
  "/etc/ssl/certs/ca-certificates.crt", // Debian, Ubuntu, Arch, Gentoo, NixOS
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // Fedora, RHEL
  "/etc/pki/tls/certs/ca-bundle.crt", // older RHEL
  "/etc/ssl/ca-bundle.pem", // openSUSE
  "/etc/pki/tls/cacert.pem", // OpenELEC
  "/etc/ssl/cert.pem", // Alpine, OpenBSD
  "/usr/local/share/certs/ca-root-nss.crt", // FreeBSD
];

/** Apple's own roots; the store that an administrator adds to lies in the other one. */
const APPLE_ROOTS = "/System/Library/Keychains/SystemRootCertificates.keychain";
const ADMIN_KEYCHAIN = "/Library/Keychains/System.keychain";

/**
 * Finds the roots of this machine: the distribution's bundle on Linux, the keychains on macOS, the
 * certificate store on Windows; the roots that are built into Deno where none of these can be read.
 */
export async function findSystemRoots(options: SystemRootsOptions = {}): Promise<SystemRoots> {
  switch (options.os ?? Deno.build.os) {
    case "darwin":
      return await keychains(options.environment ?? Deno.env.toObject());
    case "windows":
      return { source: "Windows", fingerprint: today(), load: loadPlatformRoots };
    default:
      return await bundleFile(options.files ?? BUNDLE_FILES);
  }
}

/**
 * The roots that this machine has and Deno has not, such as a company's: what upstream verification needs
 * to accept what the other programs of the machine accept.
 */
export async function rootsBeyondBuiltIn(roots: SystemRoots): Promise<string[]> {
  const builtIn = new Set(await loadBuiltInRoots());
  return (await roots.load()).filter((pem) => !builtIn.has(pem));
}

async function bundleFile(files: readonly string[]): Promise<SystemRoots> {
  for (const file of files) {
    const fingerprint = await fileFingerprint(file);
    if (fingerprint === undefined) continue;
    return {
      source: file,
      fingerprint,
      load: async () => {
        const roots = splitCertificates(await Deno.readTextFile(file));
        return roots.length > 0 ? roots : await loadBuiltInRoots();
      },
    };
  }
  return {
    source: "built-in",
    fingerprint: `deno ${Deno.version.deno}`,
    load: loadBuiltInRoots,
  };
}

async function keychains(environment: Readonly<Record<string, string>>): Promise<SystemRoots> {
  const states = await Promise.all([APPLE_ROOTS, ADMIN_KEYCHAIN].map(fileFingerprint));
  // These two make the system's interface answer with their content instead.
  const overridden = environment["SSL_CERT_FILE"] || environment["SSL_CERT_DIR"];
  return {
    source: "keychain",
    fingerprint: `${overridden ? "apple" : "all"} ${states.join(" ")}`,
    load: overridden ? exportAppleRoots : loadPlatformRoots,
  };
}

async function exportAppleRoots(): Promise<string[]> {
  try {
    const { stdout } = await new Deno.Command("/usr/bin/security", {
      args: ["find-certificate", "-a", "-p", APPLE_ROOTS],
      stdin: "null",
      stderr: "null",
    }).output();
    const roots = splitCertificates(new TextDecoder().decode(stdout));
    if (roots.length > 0) return roots;
  } catch {
    // Without the program the built-in roots have to do.
  }
  return await loadBuiltInRoots();
}

/** What the platform's own interface trusts, an administrator's additions and removals included. */
async function loadPlatformRoots(): Promise<string[]> {
  const { getCACertificates } = await import("node:tls");
  try {
    const roots = splitCertificates(getCACertificates("system").join("\n"));
    if (roots.length > 0) return roots;
  } catch {
    // The interface fails as a whole when one store cannot be read.
  }
  return await loadBuiltInRoots();
}

async function loadBuiltInRoots(): Promise<string[]> {
  const { rootCertificates } = await import("node:tls");
  return splitCertificates(rootCertificates.join("\n"));
}

/** Undefined when there is no such file or nothing in it. */
async function fileFingerprint(path: string): Promise<string | undefined> {
  try {
    const { isFile, size, mtime } = await Deno.stat(path);
    return isFile && size > 0 ? `${path} ${size} ${mtime?.getTime()}` : undefined;
  } catch {
    return undefined;
  }
}

/** A store that tells no time of change is read again once a day. */
function today(): string {
  return new Date().toISOString().slice(0, 10);
}
