import { startBroker } from "../app.ts";
import { createLogger } from "../log.ts";
import { Secret } from "../model/secret.ts";
import { childEnvironment, proxyUrl, userRootFiles } from "../run/environment.ts";
import { Store } from "../store/store.ts";
import { Authority } from "../tls/authority.ts";
import { ensureTrustFiles } from "../tls/trust_bundle.ts";

/** A name that no NO_PROXY covers by chance, and that nothing resolves but the laboratory's own broker. */
const HOST = "api.broker-doctor.test";
const VAULT = "default";
const KEY = "DOCTOR_KEY";

/** What git is told of a repository without a commit (gitprotocol-http, smart server response). */
const NO_REFS = `001e# service=git-upload-pack\n000000${(0x53).toString(16)}${
  "0".repeat(40)
} capabilities^{}\0agent=none object-format=sha1 symrefs\n0000`;

/**
 * A broker with one service, its own upstream and a home of its own, in which tools are tried; nothing of
 * the user's vaults is touched. A tool works when its request arrives with the credential, which the tool
 * never had.
 */
export class Lab implements AsyncDisposable {
  /** The environment that `vault run` would give a child. */
  readonly environment: Readonly<Record<string, string>>;
  /** Of the upstream; tools get a path below it. */
  readonly url: string;
  readonly directory: string;
  readonly #stack: AsyncDisposableStack;
  readonly #arrived: ReadonlySet<string>;

  private constructor(parts: {
    environment: Readonly<Record<string, string>>;
    url: string;
    directory: string;
    stack: AsyncDisposableStack;
    arrived: ReadonlySet<string>;
  }) {
    this.environment = parts.environment;
    this.url = parts.url;
    this.directory = parts.directory;
    this.#stack = parts.stack;
    this.#arrived = parts.arrived;
  }

  /** @param inherited The user's environment, in which tools have to work. */
  static async start(inherited: Readonly<Record<string, string>>): Promise<Lab> {
    await using stack = new AsyncDisposableStack();
    const directory = await Deno.makeTempDir({ prefix: "broker-doctor-" });
    stack.defer(() => Deno.remove(directory, { recursive: true }));
    const value = new Secret(crypto.randomUUID());
    const arrived = new Set<string>();
    const upstream = await startUpstream({ value, arrived });
    stack.defer(() => upstream.stop());
    const roots = `${directory}/upstream-roots.pem`;
    await Deno.writeTextFile(roots, upstream.certificatePem);

    const store = stack.use(await Store.create(`${directory}/home`));
    store.credentials.set(VAULT, [{ key: KEY, value }]);
    store.services.upsert(VAULT, [{
      name: "doctor",
      host: HOST,
      enabled: true,
      auth: { type: "bearer", token: KEY },
      substitutions: [],
    }]);
    const broker = await startBroker({
      store,
      log: createLogger({ level: "error", write: () => {} }),
      // None of the user's settings: a company's proxy has nothing to do with a server on this machine.
      environment: {
        BROKER_RESOLVE: `${HOST}=127.0.0.1`,
        BROKER_NETWORK_ALLOW: "127.0.0.0/8",
        BROKER_UPSTREAM_CA: roots,
        BROKER_REQUEST_LOG: "off",
      },
    });
    stack.defer(() => broker.stop());
    const { token } = store.sessions.create({ vault: VAULT, ttlSeconds: 3600 });
    const files = await ensureTrustFiles(store.directory, {
      certificatePem: broker.authority.certificatePem,
      userFiles: userRootFiles(inherited),
    });
    const { environment } = childEnvironment({
      inherited,
      token,
      apiUrl: broker.apiUrl,
      proxyUrl: proxyUrl({ token, vault: VAULT, port: broker.proxyPort }),
      vault: VAULT,
      caPath: files.additions,
      bundlePath: files.bundle,
      credentials: [{ key: KEY, value }],
      referencedKeys: [KEY],
      placeholders: true,
      caseInsensitive: Deno.build.os === "windows",
    });
    const url = `https://${HOST}:${upstream.port}`;
    return new Lab({ environment, url, directory, stack: stack.move(), arrived });
  }

  /** Whether a request below this path arrived with the credential. */
  hasArrived(path: string): boolean {
    return this.#arrived.has(path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** An HTTPS server that notes the first segment of each path that came with the credential. */
async function startUpstream(
  { value, arrived }: { readonly value: Secret; readonly arrived: Set<string> },
) {
  const authority = await Authority.loadOrCreate(
    { load: () => undefined, save: (stored) => stored },
    { now: Date.now, user: "doctor", host: "upstream" },
  );
  const leaf = await authority.issueLeaf(HOST);
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    cert: leaf.certificatePem,
    key: leaf.privateKeyPem,
    onListen() {},
  }, (request) => {
    const { pathname } = new URL(request.url);
    const isRight = request.headers.get("authorization") === `Bearer ${value.reveal()}`;
    if (isRight) arrived.add(pathname.split("/")[1] ?? "");
    if (!pathname.endsWith("/info/refs")) {
      return new Response("{}", { status: isRight ? 200 : 401 });
    }
    return new Response(NO_REFS, {
      headers: { "content-type": "application/x-git-upload-pack-advertisement" },
    });
  });
  return {
    port: server.addr.port,
    certificatePem: authority.certificatePem,
    stop: () => server.shutdown(),
  };
}
