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
    path: "ca bundle",
    summary: "print the path of a file with the system's roots and the CA certificate",
    examples: ['SSL_CERT_FILE="$(broker ca bundle)" python3 app.py'],
    json: true,
    load: async () => (await import("../commands/ca.ts")).printBundlePath,
  },
];
