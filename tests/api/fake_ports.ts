import { BrokerError } from "../../src/errors.ts";
import type { VaultGrant } from "../../src/model/agent_grant.ts";
import type { RequestLogRow } from "../../src/model/request_log_row.ts";
import type { Service } from "../../src/model/service.ts";
import type { Caller } from "../../src/model/session.ts";
import { Secret } from "../../src/model/secret.ts";
import { DEFAULT_SETTINGS, type VaultSettings } from "../../src/model/vault.ts";
import { createApi } from "../../src/api/api.ts";
import { RecentRows } from "./recent_rows.ts";
import type { ApiPorts, Defect } from "../../src/api/ports.ts";
import { Operators } from "../../src/operator/operators.ts";
import { SignInCode } from "../../src/operator/sign_in_code.ts";

/** The listener's authority in these tests. */
export const HOST = "127.0.0.1:14321";

/** A moment at which the tests' callers are valid, in milliseconds since the epoch. */
export const NOW = Date.UTC(2030, 0, 1);

/** The value of every stored credential; no answer may hold it. */
export const CANARY = "canary-6f1d-value-that-no-answer-holds";

/** One token for each kind of bearer. */
export const TOKEN = {
  /** A vault-scoped session of "default". */
  session: "brk_sess_default",
  /** An agent token that may use "default" and "work", and read about "watched". */
  agent: "brk_agt_builder",
  /** An agent token without grants. */
  stranger: "brk_agt_stranger",
  /** A session whose time is up, in a store that still finds it. */
  expired: "brk_sess_expired",
  operator: "brk_op_person",
} as const;

const GRANTS: readonly VaultGrant[] = [
  { vault: "default", role: "proxy" },
  { vault: "work", role: "proxy" },
  { vault: "watched", role: "read" },
];

const CALLERS: Readonly<Record<string, Caller>> = {
  [TOKEN.session]: caller({ vaultName: "default" }),
  [TOKEN.agent]: caller({ actorType: "agent", actorName: "builder", grants: GRANTS }),
  [TOKEN.stranger]: caller({ actorType: "agent", actorName: "stranger" }),
  [TOKEN.expired]: caller({ vaultName: "default", expiresAt: NOW }),
};

function caller(change: Partial<Caller>): Caller {
  return {
    actorType: "session",
    actorName: "s1",
    vaultName: undefined,
    grants: [],
    expiresAt: NOW + 3_600_000,
    ...change,
  };
}

/** Builds a service; bearer with GITHUB_TOKEN unless told otherwise. */
export function service(change: Partial<Service> & Pick<Service, "name" | "host">): Service {
  return {
    enabled: true,
    auth: { type: "bearer", token: "GITHUB_TOKEN" },
    substitutions: [],
    ...change,
  };
}

/** The API over ports that live in memory, with what a test may look at. */
export interface Fake {
  readonly ports: ApiPorts;
  readonly services: Map<string, Service[]>;
  readonly credentials: Map<string, Map<string, Secret>>;
  readonly settings: Map<string, VaultSettings>;
  readonly minted: { vault: string; ttlSeconds: number }[];
  readonly defects: Defect[];
  /** The request log. */
  readonly traffic: RecentRows;
  readonly logged: RequestLogRow[];
  /** With which a person signs in to the pages. */
  readonly signInCode: SignInCode;
  /** Sends a request whose Host is the listener's own unless `headers` says otherwise. */
  call(method: string, path: string, options?: CallOptions): Promise<Response>;
  /** Signs in with the code as a browser does. */
  signIn(): Promise<SignedInBrowser>;
}

/** What a browser holds after signing in. */
export interface SignedInBrowser {
  /** `/op/PATH`, below which its pages lie. */
  readonly root: string;
  readonly path: string;
  /** The Cookie field that it sends there. */
  readonly cookie: string;
  readonly csrf: string;
}

/** What a test adds to a request. */
export interface CallOptions {
  readonly token?: string;
  readonly headers?: Record<string, string>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as a page of the broker sends it, with its Origin. */
  readonly form?: Record<string, string>;
  /** Sent as it stands, with the JSON media type. */
  readonly text?: string;
}

/** Signs in with a code; one token acts as the operator without a browser. */
class FakeOperators extends Operators {
  constructor(now: () => number, code: SignInCode) {
    super({ now, hasPassphrase: () => false, isPassphrase: () => Promise.resolve(false), code });
  }

  override has(token: string): boolean {
    return token === TOKEN.operator;
  }
}

/** Two vaults, "default" with services and one credential and "work" empty. */
export function createFake(change: Partial<ApiPorts> = {}): Fake {
  const services = new Map<string, Service[]>([
    ["default", [
      service({ name: "github", host: "api.github.com" }),
      service({ name: "shop-a", host: "shop.test/a/*", auth: { type: "passthrough" } }),
      service({ name: "shop-b", host: "shop.test:8443/b/*", enabled: false }),
    ]],
    ["work", []],
  ]);
  const credentials = new Map([
    ["default", new Map([["GITHUB_TOKEN", new Secret(CANARY)]])],
    ["work", new Map<string, Secret>()],
  ]);
  const settings = new Map([["default", DEFAULT_SETTINGS], ["work", DEFAULT_SETTINGS]]);
  const minted: Fake["minted"] = [];
  const defects: Defect[] = [];
  const signInCode = new SignInCode();
  const traffic = new RecentRows();
  const logged: RequestLogRow[] = [];

  const noProposals = () => {
    throw new BrokerError("not_found", "Find the proposal: there is none", { hint: "GET" });
  };
  const ports: ApiPorts = {
    proposals: {
      create: noProposals,
      list: () => [],
      get: noProposals,
      review: noProposals,
      findByToken: () => undefined,
      approve: noProposals,
      reject: noProposals,
    },
    announce: () => {},
    version: "1.2.3",
    hosts: [HOST, "localhost:14321", "[::1]:14321"],
    now: () => NOW,
    reportDefect: (defect) => void defects.push(defect),
    certificatePem: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    callers: { find: (token) => CALLERS[token] },
    operators: new FakeOperators(() => NOW, signInCode),
    vaults: {
      list: () => [...services.keys()].map((name) => ({ name })),
      selected: () => "default",
      settings: (vault) => of(settings, vault),
      updateSettings(vault, part) {
        settings.set(vault, { ...of(settings, vault), ...part });
      },
    },
    services: {
      list: (vault) => of(services, vault),
      resolve(vault, nameOrHost) {
        const list = of(services, vault);
        const named = list.find(({ name }) => name === nameOrHost);
        if (named !== undefined) return named;
        const found = list.filter(({ host }) =>
          host === nameOrHost || host.split(/[:/]/)[0] === nameOrHost
        );
        if (found.length > 1) {
          throw new BrokerError(
            "ambiguous_host",
            `multiple services match host "${nameOrHost}"`,
            { details: { candidates: found.map(({ name, host }) => ({ name, host })) } },
          );
        }
        if (found[0] === undefined) throw new BrokerError("not_found", "Find the service: none");
        return found[0];
      },
      replaceAll: (vault, list) => void services.set(vault, [...list]),
      upsert(vault, list) {
        const merged = new Map(of(services, vault).map((one) => [one.name, one]));
        for (const one of list) merged.set(one.name, one);
        services.set(vault, [...merged.values()]);
      },
      remove(vault, name) {
        services.set(vault, of(services, vault).filter((one) => one.name !== name));
      },
      setEnabled(vault, name, enabled) {
        const list = of(services, vault);
        services.set(vault, list.map((one) => one.name === name ? { ...one, enabled } : one));
      },
      clear(vault) {
        of(services, vault);
        services.set(vault, []);
      },
    },
    credentials: {
      keys: (vault) => [...of(credentials, vault).keys()],
      set(vault, entries) {
        for (const { key, value } of entries) of(credentials, vault).set(key, value);
      },
      delete(vault, keys) {
        for (const key of keys) {
          if (!of(credentials, vault).delete(key)) {
            throw new BrokerError("not_found", `Find credential "${key}": there is none`);
          }
        }
      },
    },
    sessions: {
      create(options) {
        of(services, options.vault);
        minted.push(options);
        return {
          token: new Secret("brk_sess_minted"),
          expiresAt: NOW + options.ttlSeconds * 1000,
        };
      },
    },
    traffic,
    requestLog: {
      page: ({ vault }, { limit, before = Infinity, after = 0 }) => {
        const fitting = logged.map((row, index) => ({ seq: index + 1, row })).reverse()
          .filter(({ seq, row }) => row.vault === vault && seq < before && seq > after);
        const requests = fitting.slice(0, limit);
        return {
          requests,
          next: fitting.length > limit ? requests.at(-1)?.seq : undefined,
        };
      },
    },
    revision: () => 1,
    stopping: new AbortController().signal,
    ...change,
  };
  const api = createApi(ports);
  const call: Fake["call"] = (method, path, { token, headers = {}, json, text, form } = {}) => {
    const body = text ?? (form && new URLSearchParams(form).toString()) ??
      (json === undefined ? undefined : JSON.stringify(json));
    const fields = new Headers({ Host: HOST });
    if (token !== undefined) fields.set("Authorization", `Bearer ${token}`);
    if (body !== undefined) fields.set("Content-Type", "application/json");
    if (form !== undefined) {
      fields.set("Content-Type", "application/x-www-form-urlencoded");
      fields.set("Origin", `http://${HOST}`);
    }
    for (const [name, value] of Object.entries(headers)) {
      if (value === "") fields.delete(name);
      else fields.set(name, value);
    }
    const request = new Request(`http://${HOST}${path}`, {
      method,
      headers: fields,
      ...(body === undefined ? {} : { body }),
    });
    return api.fetch(request);
  };
  const signIn: Fake["signIn"] = async () => {
    const answer = await call("POST", "/sign-in", { form: { secret: signInCode.text.reveal() } });
    const cookie = answer.headers.get("Set-Cookie")?.split(";")[0] ?? "";
    const root = /^\/op\/[^/]+/.exec(answer.headers.get("Location") ?? "")?.[0] ?? "";
    const path = root.slice("/op/".length);
    const csrf = ports.operators.find(path, cookie.split("=")[1] ?? "", { use: true })?.csrf ?? "";
    return { root, path, cookie, csrf };
  };
  return {
    ports,
    services,
    credentials,
    settings,
    minted,
    defects,
    signInCode,
    traffic,
    logged,
    call,
    signIn,
  };
}

function of<T>(map: ReadonlyMap<string, T>, vault: string): T {
  const found = map.get(vault);
  if (found === undefined) {
    throw new BrokerError("not_found", `Find vault "${vault}": there is none`, {
      hint: "broker vault list",
    });
  }
  return found;
}
