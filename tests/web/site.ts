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
  readonly #change: Partial<ApiPorts>;
  #server: Deno.HttpServer<Deno.NetAddr>;
  #stop = new AbortController();
  #rows = 0;

  /** @param change Ports that are something else than memory. */
  constructor(change: Partial<ApiPorts> = {}) {
    this.#change = change;
    this.fake = createFake({ revision: () => this.revision, ...change });
    this.#server = this.#listen(0);
    this.url = `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Ends every connection, does what happens meanwhile, and listens on the same port again. */
  async interrupt(meanwhile: () => Promise<void>): Promise<void> {
    const { port } = this.#server.addr;
    await this[Symbol.asyncDispose]();
    await meanwhile();
    this.#stop = new AbortController();
    this.#server = this.#listen(port);
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

  #listen(port: number): Deno.HttpServer<Deno.NetAddr> {
    let answer = (_: Request): Promise<Response> => Promise.reject(new Error("not listening yet"));
    const options = { hostname: "127.0.0.1", port, onListen: () => {} };
    const server = Deno.serve(options, (request) => answer(request));
    answer = createApi({
      ...this.fake.ports,
      ...this.#change,
      hosts: [`127.0.0.1:${server.addr.port}`],
      stopping: this.#stop.signal,
    }).fetch;
    return server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#server.shutdown();
  }
}
