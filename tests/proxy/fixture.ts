import type { RequestLogRow } from "../../src/model/request_log_row.ts";
import { Secret } from "../../src/model/secret.ts";
import type { Service } from "../../src/model/service.ts";
import type { Caller } from "../../src/model/session.ts";
import { DEFAULT_SETTINGS, type VaultSettings } from "../../src/model/vault.ts";
import type { VaultSnapshot } from "../../src/model/vault_snapshot.ts";
import { createAddressGuard } from "../../src/proxy/address_guard.ts";
import type { ProxyLimits } from "../../src/proxy/limits.ts";
import type { AddressGuard, ParentSelector, Resolver } from "../../src/proxy/ports.ts";
import { Proxy } from "../../src/proxy/proxy.ts";
import { TlsAcceptor } from "../../src/tls/accept.ts";
import { connectTls } from "../../src/tls/connect.ts";
import type { Leaf } from "../../src/tls/issuer.ts";
import { LeafCache } from "../../src/tls/leaf_cache.ts";
import { proxyBasic, RawClient } from "../support/raw_client.ts";
import { createTestAuthority, testAuthority } from "../support/tls_fixture.ts";
import { eventually } from "./eventually.ts";

/** The authority that stands for the broker's own CA in these tests. */
const brokerAuthority = createTestAuthority("Test broker authority");

/** What a vault of a {@link TestBroker} holds. */
export interface TestVault {
  readonly services?: readonly (Partial<Service> & Pick<Service, "host">)[];
  readonly credentials?: Readonly<Record<string, string>>;
  readonly settings?: Partial<VaultSettings>;
  readonly cleared?: boolean;
}

/** What a {@link TestBroker} is started with: the vault called `default`, and the network around it. */
export interface TestBrokerOptions extends TestVault {
  /** Further vaults by name. */
  readonly vaults?: Readonly<Record<string, TestVault>>;
  readonly limits?: Partial<ProxyLimits>;
  /** Answers for names; every name is 127.0.0.1 when left out. */
  readonly resolve?: Resolver;
  /** The guard of the program, with nothing allowed, unless told. */
  readonly guard?: AddressGuard;
  /** Limit for TLS handshakes with upstreams, in milliseconds; ten seconds when left out. */
  readonly handshakeMs?: number;
  readonly ownPorts?: readonly number[];
  readonly selectParent?: ParentSelector;
}

/** The data plane on real sockets, over a vault in memory. */
export class TestBroker implements AsyncDisposable {
  static readonly token = "brk_sess_test";
  readonly rows: RequestLogRow[] = [];
  readonly defects: unknown[] = [];
  /** `HOST: REASON` of each client whose TLS failed. */
  readonly clientFaults: string[] = [];
  readonly proxy: Proxy;
  readonly authorization: string = proxyBasic(TestBroker.token, "default");
  /** The certificate that clients trust in intercepted tunnels, PEM. */
  readonly caPem: string = brokerAuthority.certificatePem;
  readonly #callers = new Map<string, Caller>();
  readonly #vaults = new Map<string, VaultSnapshot>();
  #revision = 1;

  constructor(options: TestBrokerOptions = {}) {
    this.change(options);
    for (const [name, vault] of Object.entries(options.vaults ?? {})) this.change(vault, name);
    this.addCaller(TestBroker.token, { vaultName: "default" });
    this.proxy = Proxy.listen({ hostname: "127.0.0.1", port: 0 }, {
      state: {
        revision: () => this.#revision,
        findCaller: (token) => this.#callers.get(token),
        snapshot: (name) => this.#vaults.get(name),
      },
      log: { record: (row) => this.rows.push(row) },
      acceptor: new TlsAcceptor(new LeafCache({ issueLeaf }, { now: Date.now })),
      upstreamTls: {
        connect: (tcp, hostname, signal) =>
          connectTls(tcp, {
            hostname,
            signal,
            caCerts: [testAuthority().certificatePem],
            timeoutMs: options.handshakeMs ?? 10_000,
          }),
      },
      resolve: options.resolve ?? (() => Promise.resolve(["127.0.0.1"])),
      guard: options.guard ?? createAddressGuard({ allow: [], allowPrivate: false }),
      onDefect: (error) => this.defects.push(error),
      onClientFault: (reason, host) => this.clientFaults.push(`${host}: ${reason}`),
      ...(options.ownPorts && { ownPorts: options.ownPorts }),
      ...(options.limits && { limits: options.limits }),
      ...(options.selectParent && { selectParent: options.selectParent }),
    });
  }

  /** Makes another token valid; a session unless it has grants. */
  addCaller(token: string, caller: Partial<Caller>): void {
    this.#callers.set(token, {
      actorType: caller.grants === undefined ? "session" : "agent",
      actorName: "tester",
      vaultName: undefined,
      grants: [],
      expiresAt: Infinity,
      ...caller,
    });
    this.#revision++;
  }

  /** Takes a token back, as `vault run` does at its end. */
  revoke(token: string): void {
    this.#callers.delete(token);
    this.#revision++;
  }

  /** Replaces a vault, as a command in another terminal would. */
  change(vault: TestVault, name = "default"): void {
    this.#vaults.set(name, snapshotOf(vault, name));
    this.#revision++;
  }

  /** A connection to the proxy's port. */
  connect(): Promise<RawClient> {
    return RawClient.connect(this.proxy.port);
  }

  /** A connection through CONNECT, with TLS under the broker's authority inside. */
  async tunnel(target: string, authorization = this.authorization): Promise<RawClient> {
    const client = await this.connect();
    await client.openTunnel(target, { authorization, caCerts: [this.caPem] });
    return client;
  }

  /** Resolves once the rows have reached a number: a row is written after its answer was sent. */
  async rowsReach(count: number): Promise<readonly RequestLogRow[]> {
    await eventually(() => this.rows.length >= count, () => `row ${count}`);
    return this.rows;
  }

  /** Resolves once the row of a request is there. */
  async rowWritten(id: string): Promise<void> {
    await eventually(() => this.rows.some((row) => row.id === id), `row ${id}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.proxy.stop();
    if (this.defects.length > 0) throw new AggregateError(this.defects, "The proxy had defects");
  }
}

function issueLeaf(hostname: string): Promise<Leaf> {
  const { cert, key } = brokerAuthority.issue([hostname]);
  return Promise.resolve({ certificatePem: cert, privateKeyPem: key, expiresAt: Infinity });
}

function snapshotOf(options: TestVault, name: string): VaultSnapshot {
  const secrets = new Map(
    Object.entries(options.credentials ?? {}).map(([key, value]) => [key, new Secret(value)]),
  );
  return {
    id: `id of ${name}`,
    name,
    settings: { ...DEFAULT_SETTINGS, ...options.settings },
    cleared: options.cleared ?? false,
    services: (options.services ?? []).map((service, index) => ({
      name: `service-${index + 1}`,
      enabled: true,
      auth: { type: "passthrough" },
      substitutions: [],
      ...service,
    })),
    credential: (key) => secrets.get(key),
  };
}
