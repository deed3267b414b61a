import type { Page } from "playwright-core";
import type { ApiPorts } from "../../src/api/ports.ts";
import type { RequestLogRow } from "../../src/model/request_log_row.ts";
import { createApi } from "../../src/api/api.ts";
import { createFake, type Fake } from "../api/fake_ports.ts";

/** The pages over ports that live in memory, on a real listener. */
export class Site implements AsyncDisposable {
  revision = 1;
  readonly url: string;
  readonly fake: Fake;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #stop = new AbortController();
  #rows = 0;

  /** @param change Ports that are something else than memory. */
  constructor(change: Partial<ApiPorts> = {}) {
    this.fake = createFake({
      revision: () => this.revision,
      stopping: this.#stop.signal,
      ...change,
    });
    let answer = (_: Request): Promise<Response> => Promise.reject(new Error("not listening yet"));
    const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    this.#server = Deno.serve(options, (request) => answer(request));
    const host = `127.0.0.1:${this.#server.addr.port}`;
    this.url = `http://${host}`;
    answer = createApi({ ...this.fake.ports, hosts: [host] }).fetch;
  }

  async signIn(page: Page): Promise<void> {
    await page.goto(`${this.url}/`);
    await page.getByLabel("Code").fill(this.fake.signInCode.text.reveal());
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/\/op\/[\w-]{22}\/$/);
  }

  request(change: Partial<RequestLogRow> = {}): void {
    this.#rows++;
    this.fake.traffic.record({
      id: `r${this.#rows}`,
      createdAt: Date.now(),
      vault: "default",
      ingress: "connect",
      method: "GET",
      host: "api.github.com",
      path: `/repos/${this.#rows}`,
      matchedService: "github",
      credentialKeys: ["GITHUB_TOKEN"],
      status: 200,
      latencyMs: 12,
      requestBytes: 0,
      responseBytes: 34,
      errorCode: undefined,
      actorType: "session",
      actorName: "s1",
      ...change,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#server.shutdown();
  }
}
