/**
 * The composition root: joins store, TLS, proxy and API into one running broker. Whatever a request does
 * not need is imported when it is first needed, because `vault run` starts this before each program.
 */

import { BrokerError } from "./errors.ts";
import type { Logger } from "./log.ts";
import type { Proposal } from "./model/proposal.ts";
import type { RequestLogRow } from "./model/request_log_row.ts";
import type { SignInCode } from "./operator/sign_in_code.ts";
import type { TrafficPort } from "./api/ports.ts";
import { createAddressGuard } from "./proxy/address_guard.ts";
import type { ProxyLimits } from "./proxy/limits.ts";
import { Proxy } from "./proxy/proxy.ts";
import { createResolver, parseFixedNames } from "./proxy/resolve.ts";
import {
  parseRetention,
  type RequestCounts,
  RequestLogWriter,
} from "./store/request_log_writer.ts";
import type { Store } from "./store/store.ts";
import { TlsAcceptor } from "./tls/accept.ts";
import { Authority } from "./tls/authority.ts";
import { connectTls } from "./tls/connect.ts";
import { LeafCache } from "./tls/leaf_cache.ts";
import { upstreamRoots } from "./tls/trust_bundle.ts";
import { type ParentProxies, parseParentProxies, selectParent } from "./run/parent_proxy.ts";
import { VERSION } from "./version.ts";

/** What a broker is started with. */
export interface BrokerOptions {
  readonly store: Store;
  readonly log: Logger;
  /** The environment of this process, from which the network settings are read. */
  readonly environment: Readonly<Record<string, string>>;
  /** Address to listen on; loopback when left out. */
  readonly host?: string;
  /** 0 or left out: a port of the system's choosing. */
  readonly apiPort?: number;
  /** 0 or left out: a port of the system's choosing. */
  readonly proxyPort?: number;
  readonly limits?: Partial<ProxyLimits>;
  /** The code that was shown on the operator's terminal, with which a person signs in to the pages. */
  readonly signInCode?: SignInCode;
}

/** A running broker. */
export interface Broker {
  readonly apiUrl: string;
  /** Address and port of the proxy, as they stand in a URL. */
  readonly proxyAuthority: string;
  readonly proxyPort: number;
  readonly authority: Authority;
  /** What happened to its requests so far. */
  readonly counts: Readonly<RequestCounts>;
  /** Closes every listener and connection; settles when nothing runs any more. */
  stop(): Promise<void>;
}

const LOOPBACK = "127.0.0.1";

/**
 * Starts API and proxy in this process.
 *
 * @throws {BrokerError} for unusable network settings; {Deno.errors.AddrInUse} for a taken port.
 */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const { store, log, environment } = options;
  const host = options.host ?? LOOPBACK;
  const guard = createAddressGuard({
    allow: splitList(environment["BROKER_NETWORK_ALLOW"]),
    allowPrivate: environment["BROKER_ALLOW_PRIVATE"] === "1",
  });
  const parents = parseParentProxies(environment, {
    caseInsensitive: Deno.build.os === "windows",
  });
  refuseTlsParents(parents);
  const trusted = trustedRoots(await upstreamRoots(environment));
  const authority = await Authority.loadOrCreate(store.authority, {
    now: Date.now,
    ...whoAmI(environment),
  });
  const acceptor = new TlsAcceptor(new LeafCache(authority, { now: Date.now }));
  const requests = new RequestLogWriter({
    directory: store.directory,
    now: Date.now,
    retention: parseRetention(environment),
    enabled: environment["BROKER_REQUEST_LOG"] !== "off",
    warn: (message) => log.warn(message),
  });
  const stopping = new AbortController();
  const api = serveApi(options, { host, authority, requests, stopping: stopping.signal });
  store.proposals.forgetExpired();
  const proxy = Proxy.listen({ hostname: host, port: options.proxyPort ?? 0 }, {
    state: {
      revision: () => store.recentRevision(),
      findCaller: (token) => store.findCaller(token),
      snapshot: (vault) => store.snapshot(vault),
    },
    log: {
      record(row) {
        requests.record(row);
        if (log.isEnabled("debug")) log.debug("request", describe(row));
      },
    },
    acceptor,
    upstreamTls: {
      connect: async (tcp, hostname, signal) =>
        await connectTls(tcp, { hostname, signal, caCerts: await trusted() }),
    },
    resolve: createResolver(parseFixedNames(environment["BROKER_RESOLVE"] ?? ""), resolveName),
    guard,
    selectParent: (target) => selectParent(parents, target),
    ownPorts: [api.addr.port],
    ...(options.limits && { limits: options.limits }),
    onClientFault: (reason, host) => log.info("client TLS failed", { host, reason }),
    onDefect: (error, requestId) => log.error("proxy defect", { requestId, error: errorOf(error) }),
  });
  let stopped: Promise<void> | undefined;
  return {
    apiUrl: `http://${authorityOf(reachableAt(host), api.addr.port)}`,
    proxyAuthority: authorityOf(reachableAt(host), proxy.port),
    proxyPort: proxy.port,
    authority,
    counts: requests.counts,
    stop() {
      stopped ??= (async () => {
        stopping.abort();
        await proxy.stop();
        await api.shutdown();
        requests.close();
      })();
      return stopped;
    },
  };
}

/** The API's routes are loaded with the first request: many runs never make one. */
function serveApi(
  options: BrokerOptions,
  { host, authority, requests, stopping }: {
    host: string;
    authority: Authority;
    requests: RequestLogWriter;
    stopping: AbortSignal;
  },
): Deno.HttpServer<Deno.NetAddr> {
  const { store, log } = options;
  let api: Promise<{ fetch(request: Request): Promise<Response> }> | undefined;
  const load = async (port: number) => {
    const [{ createApi }, { Operators }] = await Promise.all([
      import("./api/api.ts"),
      import("./operator/operators.ts"),
    ]);
    return createApi({
      version: VERSION,
      get hosts() {
        return ownAddresses(host).map((address) => authorityOf(address, port));
      },
      now: Date.now,
      callers: { find: (token) => store.findCaller(token) },
      operators: new Operators({
        now: Date.now,
        hasPassphrase: () => store.protection === "passphrase",
        isPassphrase: (typed) => store.isPassphrase(typed),
        code: options.signInCode,
      }),
      vaults: store.vaults,
      services: store.services,
      credentials: store.credentials,
      sessions: store.sessions,
      proposals: store.proposals,
      announce: (proposal) =>
        void announce(proposal, options).catch((error) =>
          log.debug("notice.failed", { error: errorOf(error) })
        ),
      requestLog: requests,
      traffic: trafficOf(requests),
      revision: () => store.revision(),
      stopping,
      certificatePem: authority.certificatePem,
      reportDefect: ({ error, ...where }) => log.error("api defect", { ...where, error }),
    });
  };
  const server = Deno.serve(
    { hostname: host, port: options.apiPort ?? 0, onListen: () => {} },
    async (request) => {
      api ??= load(server.addr.port);
      return await (await api).fetch(request);
    },
  );
  return server;
}

/** The log as the traffic page follows it: rows of every process that uses this data directory. */
function trafficOf(requests: RequestLogWriter): TrafficPort {
  return {
    newest(vault, limit) {
      const { cursor } = requests.follow({ vault, nobodys: true }, { after: Infinity, limit: 0 });
      const page = requests.page({ vault, nobodys: true }, { limit, before: cursor + 1 });
      return { rows: page.requests.map(({ row }) => row).reverse(), cursor, dropped: 0 };
    },
    after(vault, { cursor: after, limit }) {
      const found = requests.follow({ vault, nobodys: true }, { after, limit });
      return { ...found, rows: found.requests.map(({ row }) => row) };
    },
  };
}

/** Tells the person of a new proposal, on the desktop and never on the terminal of the child. */
async function announce(
  proposal: Proposal,
  { store, environment }: Pick<BrokerOptions, "store" | "environment">,
): Promise<void> {
  if (environment["BROKER_NOTIFY"] === "0") return;
  if (store.vaults.settings(proposal.vault).notifications === "off") return;
  const [{ showNotice }, { proposalNotice }] = await Promise.all([
    import("./run/desktop_notice.ts"),
    import("./run/proposal_notice.ts"),
  ]);
  await showNotice(proposalNotice(proposal), { os: Deno.build.os, environment });
}

function authorityOf(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function splitList(text: string | undefined): string[] {
  return (text ?? "").split(",").map((item) => item.trim()).filter((item) => item !== "");
}

function whoAmI(environment: Readonly<Record<string, string>>): { user: string; host: string } {
  return {
    user: environment["USER"] ?? environment["USERNAME"] ?? "user",
    host: Deno.hostname(),
  };
}

/**
 * The roots that upstream certificates are verified against beside Deno's own: those that the user named,
 * and the machine's (a company's, say). Looked up at the first upstream that needs them.
 */
function trustedRoots(named: readonly string[]): () => Promise<readonly string[]> {
  let found: Promise<readonly string[]> | undefined;
  const find = async () => {
    const { findSystemRoots, rootsBeyondBuiltIn } = await import("./tls/system_roots.ts");
    const system = await findSystemRoots();
    const load = async () => [...new Set([...named, ...await system.load()])];
    return await rootsBeyondBuiltIn({ ...system, load });
  };
  return () => found ??= find();
}

/** TLS to the parent and TLS to the upstream inside of it cannot be nested on this runtime. */
function refuseTlsParents({ http, https }: ParentProxies): void {
  const parent = [http, https].find((candidate) => candidate?.tls === true);
  if (parent === undefined) return;
  throw new BrokerError(
    "validation_failed",
    `${parent.variable} names a proxy that is reached over https, which is not supported`,
    { hint: `name its http port: export ${parent.variable}=http://${parent.hostname}:PORT` },
  );
}

/** What a row says, for the debug log. */
function describe(row: RequestLogRow): Record<string, string | number> {
  const { id, ingress, method, host, path, status, matchedService, errorCode } = row;
  return {
    id,
    ingress,
    method,
    host,
    path,
    status,
    service: matchedService ?? "-",
    error: errorCode ?? "-",
  };
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("Something that is no error was thrown");
}

/** Addresses that mean every address of this machine, and one that leads there. */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

function reachableAt(host: string): string {
  return EVERY_ADDRESS[host] ?? host;
}

/** What a client may call a listener by; interfaces come and go. */
function ownAddresses(host: string): string[] {
  const known = [reachableAt(host), "localhost"];
  if (EVERY_ADDRESS[host] === undefined) return known;
  return [...known, ...Deno.networkInterfaces().map(({ address }) => address)];
}

/** The system's own resolution, hosts file and VPN rules included. */
async function resolveName(hostname: string): Promise<readonly string[]> {
  const { lookup } = await import("node:dns/promises");
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}
