import assert from "node:assert/strict";
import type { RawClient } from "../support/raw_client.ts";
import { testCertificate } from "../support/tls_fixture.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";
import { TestBroker, type TestBrokerOptions } from "../proxy/fixture.ts";

/** The value that every attempt is after. */
export const SECRET = "canary-5f1d7c2e-value";

/** A service for `api.test` that injects the secret, as a bearer token. */
export const API_SERVICE = {
  name: "api",
  host: "api.test",
  auth: { type: "bearer", token: "KEY" },
} as const;

/** A broker that holds the secret, and an upstream under the name that it is meant for. */
export class Scene implements AsyncDisposable {
  readonly broker: TestBroker;
  readonly upstream: Upstream;

  constructor(options: TestBrokerOptions = {}) {
    this.upstream = startUpstream({ tls: testCertificate("api.test") });
    this.broker = new TestBroker({
      services: [API_SERVICE],
      credentials: { KEY: SECRET },
      ...options,
    });
  }

  /** A tunnel to the upstream under a name. */
  tunnel(hostname = "api.test"): Promise<RawClient> {
    return this.broker.tunnel(`${hostname}:${this.upstream.port}`);
  }

  /** Fails when the secret reached any request of the upstream, in whatever part of it. */
  assertNothingInjected(): void {
    for (const request of this.upstream.requests) {
      assert.ok(!request.head.includes(SECRET), `injected into ${request.startLine}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.broker[Symbol.asyncDispose]();
    await this.upstream.close();
  }
}

/** Sends bytes as they are and gives all that comes back until the connection closes. */
export async function sendAndReadAll(client: RawClient, bytes: string): Promise<string> {
  await client.send(bytes);
  await client.closeWrite();
  return new TextDecoder().decode(await client.readToEnd());
}
