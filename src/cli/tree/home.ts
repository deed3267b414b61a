import type { CommandSpec } from "../command_spec.ts";

/** Commands for the data directory as a whole. */
export const HOME_COMMANDS: readonly CommandSpec[] = [
  {
    path: "init",
    summary: 'choose a passphrase or none, create the CA and the vault "default"',
    details:
      "Every command that needs the data directory does this itself the first time. The directory is\n" +
      "BROKER_HOME, else the place that the system keeps for a user's data. BROKER_PASSPHRASE holds the\n" +
      "passphrase where nobody can be asked.",
    examples: ["broker init", "BROKER_PASSPHRASE=... broker init"],
    json: true,
    load: async () => (await import("../commands/init.ts")).init,
  },
  {
    path: "passphrase set",
    summary: "protect a data directory that has no passphrase yet",
    examples: ["broker passphrase set"],
    json: true,
    load: async () => (await import("../commands/passphrase.ts")).setPassphrase,
  },
  {
    path: "passphrase change",
    summary: "replace the passphrase",
    details:
      "The new one is asked for, or read from the first line of standard input when it is a pipe.",
    examples: ["broker passphrase change"],
    json: true,
    load: async () => (await import("../commands/passphrase.ts")).changePassphrase,
  },
  {
    path: "passphrase remove",
    summary: "keep the key in a file beside the database instead of behind a passphrase",
    examples: ["broker passphrase remove"],
    options: [{ flags: "--yes", summary: "do not ask" }],
    json: true,
    load: async () => (await import("../commands/passphrase.ts")).removePassphrase,
  },
  {
    path: "doctor",
    summary: "say what works on this machine, tool by tool, and what to do about the rest",
    details:
      "Each tool that is found makes one request through a broker of its own to a server of its own, in the\n" +
      'environment that "vault run" gives; a tool works when the credential arrived, which it never had. The\n' +
      "data directory and the proxy settings are looked at, too. Nothing leaves the machine. Exit status 1\n" +
      "when something fails.",
    examples: ["broker doctor", "broker doctor --json"],
    json: true,
    load: async () => (await import("../commands/doctor.ts")).examine,
  },
  {
    path: "completions",
    arguments: "<SHELL>",
    summary: "print the completion script of bash, zsh, fish or powershell",
    details:
      "bash:        broker completions bash > ~/.local/share/bash-completion/completions/broker\n" +
      'zsh:         broker completions zsh > "${fpath[1]}/_broker"\n' +
      "fish:        broker completions fish > ~/.config/fish/completions/broker.fish\n" +
      "powershell:  broker completions powershell >> $PROFILE\n\n" +
      "Names of vaults, services, credentials, proposals and agents are offered too, except in a data\n" +
      "directory that has a passphrase.",
    examples: ["source <(broker completions bash)"],
    agent: true,
    load: async () => (await import("../commands/completions.ts")).printCompletions,
  },
  {
    path: "ca print",
    summary: "print the CA certificate as PEM",
    examples: ["broker ca print > broker-ca.pem"],
    json: true,
    load: async () => (await import("../commands/ca.ts")).printCertificate,
  },
  {
    path: "ca path",
    summary: "print the path of a file with the CA certificate alone",
    examples: ['NODE_EXTRA_CA_CERTS="$(broker ca path)" node app.js'],
    json: true,
    load: async () => (await import("../commands/ca.ts")).printCertificatePath,
  },
  {
    path: "ca java",
    summary: "print what a JVM has to be told: JAVA_TOOL_OPTIONS with trust store and proxy",
    details:
      "A JVM reads none of the usual variables. This writes the roots as a PKCS#12 trust store and prints a\n" +
      'line for the shell. Inside "vault run" it names the proxy too. Code that uses the JDK\'s own HTTP\n' +
      "clients must answer the proxy with an Authenticator, from http.proxyUser and http.proxyPassword;\n" +
      "Gradle, Maven and Apache's client do so by themselves.",
    examples: [`broker vault run -- sh -c 'eval "$(broker ca java)"; exec gradle build'`],
    agent: true,
    load: async () => (await import("../commands/ca_java.ts")).printJavaOptions,
  },
  {
    path: "ca bundle",
    summary: "print the path of a file with the system's roots and the CA certificate",
    examples: ['SSL_CERT_FILE="$(broker ca bundle)" python3 app.py'],
    json: true,
    load: async () => (await import("../commands/ca.ts")).printBundlePath,
  },
];
