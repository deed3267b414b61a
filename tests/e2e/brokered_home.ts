import { testAuthority, testCertificate } from "../support/tls_fixture.ts";
import { startUpstream, type Upstream, type UpstreamOptions } from "../support/upstream.ts";
import { type CallOptions, type Finished, TestHome } from "../cli/test_home.ts";

/** The value that must reach the upstream and nothing else. */
export const SECRET = "canary-e2e-31c7-value";

/**
 * The real program in a home of its own, with a service for `api.test` and an HTTPS upstream under that
 * name: what a user has after the first five minutes.
 */
export class BrokeredHome implements AsyncDisposable {
  readonly home = new TestHome();
  readonly upstream: Upstream;
  readonly url: string;

  constructor(respond?: UpstreamOptions["respond"]) {
    this.upstream = startUpstream({
      tls: testCertificate("api.test"),
      ...(respond && { respond }),
    });
    this.url = `https://api.test:${this.upstream.port}`;
  }

  /** The settings that point names to this machine and trust the upstream's authority. */
  get env(): Record<string, string> {
    return {
      BROKER_UPSTREAM_CA: this.home.file("upstream-ca.pem", testAuthority().certificatePem),
      BROKER_RESOLVE: "api.test=127.0.0.1,other.test=127.0.0.1",
      BROKER_NETWORK_ALLOW: "127.0.0.0/8",
    };
  }

  /** Stores the credential and the service. */
  async prepare(auth = "type: bearer, token: API_KEY"): Promise<void> {
    await this.home.done(["vault", "credential", "set", "API_KEY"], { stdin: SECRET });
    await this.home.done(["vault", "credential", "set", "GIT_USER"], { stdin: "x-access-token" });
    await this.home.done(["vault", "service", "set", "-f", "-"], {
      stdin: `services: [{ name: api, host: api.test, auth: { ${auth} } }]`,
    });
  }

  /** Runs a program through `vault run`. */
  run(command: readonly string[], options: CallOptions = {}): Promise<Finished> {
    return this.home.broker(["vault", "run", "--quiet", "--", ...command], {
      ...options,
      env: { ...this.env, ...options.env },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.upstream.close();
    this.home[Symbol.dispose]();
  }
}
