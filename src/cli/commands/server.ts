import { type Broker, type BrokerOptions, startBroker } from "../../app.ts";
import { BrokerError } from "../../errors.ts";
import { createLogger, parseLogLevel, writeToStandardError } from "../../log.ts";
import type { Invocation } from "../command_spec.ts";
import { openHome } from "../home.ts";
import { openOperatorTerminal } from "../operator_terminal.ts";

/** Where `server` listens when nothing else is said (interfaces: CLI). */
const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_API_PORT = 14321;
const DEFAULT_PROXY_PORT = 14322;
const MAX_PORT = 65_535;

/** Serves API and proxy until SIGINT, SIGTERM or SIGHUP. */
export async function server({ context, options }: Invocation): Promise<void> {
  const host = await parseHost(options["host"]);
  const apiPort = parsePort("--port", options["port"]) ?? DEFAULT_API_PORT;
  const proxyPort = parsePort("--proxy-port", options["proxyPort"]) ?? DEFAULT_PROXY_PORT;
  using store = await openHome(context);
  const terminal = openOperatorTerminal(context.output, store);
  const broker = await start({
    store,
    ...(terminal.signInCode && { signInCode: terminal.signInCode }),
    log: createLogger({
      level: parseLogLevel(context.env["BROKER_LOG"]),
      write: writeToStandardError,
    }),
    environment: context.env,
    host,
    apiPort,
    proxyPort,
  });
  // Whoever reads that it listens may end it at once.
  const ended = endSignal();
  try {
    const proxyAddress = `http://${broker.proxyAuthority}`;
    context.output.print({ api: broker.apiUrl, proxy: proxyAddress }, () => {
      context.output.note(`API on ${broker.apiUrl}, proxy on ${proxyAddress}; Ctrl-C ends it`);
    });
    if (!LOOPBACK.test(host)) {
      context.output.warn(
        `"${host}" is not of this machine alone: whoever reaches it and has a token uses the vault, ` +
          "and tokens travel there unencrypted",
      );
    }
    terminal.introduce(broker.apiUrl);
    await ended;
  } finally {
    await broker.stop();
  }
}

/** Addresses that no other machine reaches. */
const LOOPBACK = /^(?:localhost|127\.[0-9.]+|::1)$/;

async function parseHost(value: unknown): Promise<string> {
  if (typeof value !== "string") return DEFAULT_HOST;
  const { isIP } = await import("node:net");
  if (value === "localhost" || isIP(value) !== 0) return value;
  throw new BrokerError("usage", `Read --host: "${value}" is no address`, {
    hint: "--host takes localhost or an IP address of this machine, such as 127.0.0.1 or ::1",
  });
}

async function start(options: BrokerOptions): Promise<Broker> {
  try {
    return await startBroker(options);
  } catch (cause) {
    const problem = PROBLEMS.find(([type]) => cause instanceof type);
    if (problem === undefined) throw cause;
    const [, reason, hint] = problem;
    throw new BrokerError(
      "unavailable",
      `Listen on "${options.host}", ports ${options.apiPort} and ${options.proxyPort}: ${reason}`,
      { hint, cause },
    );
  }
}

const FREE_PORTS = "broker server --port 0 --proxy-port 0 takes free ports";

/** Why the system does not let a program listen, and what to type instead. */
const PROBLEMS: readonly (readonly [type: new () => Error, reason: string, hint: string])[] = [
  [Deno.errors.AddrInUse, "a port is taken", FREE_PORTS],
  [Deno.errors.PermissionDenied, "the system does not allow the port", FREE_PORTS],
  [
    Deno.errors.AddrNotAvailable,
    "the address is not one of this machine",
    "leave --host out, or name an address that this machine has",
  ],
];

function parsePort(flag: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const port = typeof value === "string" && /^\d{1,5}$/.test(value) ? Number(value) : NaN;
  if (port <= MAX_PORT) return port;
  throw new BrokerError("usage", `Read ${flag}: it is no port number`, {
    hint: `${flag} takes 0 (any free port) to ${MAX_PORT}`,
  });
}

function endSignal(): Promise<void> {
  const signals: readonly Deno.Signal[] = Deno.build.os === "windows"
    ? ["SIGINT", "SIGBREAK"]
    : ["SIGINT", "SIGTERM", "SIGHUP"];
  return new Promise((resolve) => {
    const end = (): void => {
      for (const signal of signals) Deno.removeSignalListener(signal, end);
      resolve();
    };
    for (const signal of signals) Deno.addSignalListener(signal, end);
  });
}
