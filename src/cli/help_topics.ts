/**
 * What `broker help TOPIC` prints besides the help of commands. The README has the same tables; a test
 * holds both to each other and to the code.
 */
import { REFUSAL_HELP, REFUSAL_STATUS, type RefusalCode } from "../model/refusal_code.ts";

/** A page that no single command owns. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly text: () => string;
}

type Row = readonly [name: string, meaning: string];

/** Exit statuses of every command. */
const EXIT_STATUSES: readonly Row[] = [
  ["0", "done"],
  ["1", "failed; stderr says why and what to type next"],
  ["2", "wrong usage; nothing was done"],
  ["126", "run: the program is there and cannot be executed"],
  ["127", "run: there is no such program"],
  ["128+N", "run: signal N ended the program"],
  ["130", "cancelled with Ctrl-C; nothing was changed"],
];

/** Variables that the broker reads. */
const OWN_VARIABLES: readonly Row[] = [
  ["BROKER_HOME", "where everything is kept"],
  ["BROKER_PASSPHRASE", "the passphrase, where no terminal can be asked"],
  ["BROKER_VAULT", "the vault, where --vault is not given"],
  ["BROKER_UPSTREAM_CA", "a PEM file of further roots for upstream certificates"],
  ["BROKER_NETWORK_ALLOW", "CIDRs that may be dialled although they are private"],
  ["BROKER_ALLOW_PRIVATE", "1: every private address may be dialled, metadata addresses never"],
  ["BROKER_RESOLVE", "fixed addresses for names: NAME=ADDRESS,..."],
  ["BROKER_NOTIFY", "0: no desktop notification when a proposal arrives"],
  ["BROKER_REQUEST_LOG", "off: no request is logged"],
  ["BROKER_LOG_DAYS", "days that logged requests are kept, default 30"],
  ["BROKER_LOG_ROWS", "logged requests that are kept, default 1000000"],
  ["BROKER_LOG", "error, warn (the default), info or debug; debug shows stack traces"],
  ["HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY", "a proxy that carries the broker's connections"],
  ["SSL_CERT_FILE, NODE_EXTRA_CA_CERTS", "further roots for upstream certificates"],
  ["NO_COLOR", "no colours"],
];

/** Variables that a program started by `vault run` gets. */
const CHILD_VARIABLES: readonly Row[] = [
  ["BROKER_TOKEN, BROKER_ADDR, BROKER_VAULT", "the session's token, the API's address, the vault"],
  ["HTTPS_PROXY, HTTP_PROXY, https_proxy, http_proxy", "the proxy, with the session's token"],
  ["OPENCLAW_PROXY_URL", "the same"],
  ["NO_PROXY, no_proxy", "what was there, loopback, and --no-proxy HOSTS"],
  ["NODE_USE_ENV_PROXY", "1"],
  ["NODE_EXTRA_CA_CERTS, DENO_CERT", "the broker's CA, and what was there"],
  [
    "SSL_CERT_FILE, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE,",
    "the system's roots, the broker's CA, and what was there",
  ],
  ["GIT_SSL_CAINFO, AWS_CA_BUNDLE, PIP_CERT,", ""],
  ["NPM_CONFIG_CAFILE, CARGO_HTTP_CAINFO,", ""],
  ["GRPC_DEFAULT_SSL_ROOTS_FILE_PATH,", ""],
  ["CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", ""],
  ["KEY, for each key that an enabled service uses", "a placeholder such as __key__"],
];

/** Every topic, in the order in which the help lists them. */
export const TOPICS: readonly Topic[] = [
  {
    name: "exit-codes",
    summary: "what the exit status of a command says",
    text: () => `${table(EXIT_STATUSES)}\n"run" otherwise gives the status of its program.\n`,
  },
  {
    name: "environment",
    summary: "variables that the broker reads, and those that it gives a program",
    text: () =>
      `The broker reads:\n\n${table(OWN_VARIABLES)}\n` +
      `A program of "broker vault run" gets, besides what it would have had:\n\n${
        table(CHILD_VARIABLES)
      }`,
  },
  {
    name: "errors",
    summary: "the codes of refused requests, and what to do about each",
    text: () =>
      "A request that the broker answers itself carries X-Broker-Error: CODE and a JSON body with error,\n" +
      `message, help and request_id.\n\n${errorLines()}\n` +
      '"broker vault logs explain ID" says more about one request.\n',
  },
];

/** The topic of `broker help TOPIC`, when the words ask for one. */
export function findTopic(args: readonly string[]): Topic | undefined {
  const [first, name, ...rest] = args.filter((arg) => arg !== "--no-color");
  return first === "help" && rest.length === 0
    ? TOPICS.find((topic) => topic.name === name)
    : undefined;
}

function errorLines(): string {
  return (Object.keys(REFUSAL_STATUS) as RefusalCode[])
    .map((code) => `  ${REFUSAL_STATUS[code]}  ${code}\n       ${REFUSAL_HELP[code]}\n`).join("");
}

function table(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`.trimEnd() + "\n")
    .join("");
}
