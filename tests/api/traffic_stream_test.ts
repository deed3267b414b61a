import assert from "node:assert/strict";
import type { RequestLogRow } from "../../src/model/request_log_row.ts";
import { Operators } from "../../src/operator/operators.ts";
import { SignInCode } from "../../src/operator/sign_in_code.ts";
import { createFake, type Fake, NOW } from "./fake_ports.ts";

function row(id: number, change: Partial<RequestLogRow> = {}): RequestLogRow {
  return {
    id: `r${id}`,
    createdAt: NOW,
    vault: "default",
    ingress: "connect",
    method: "GET",
    host: "api.github.com",
    path: "/user",
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
  };
}

/** Reads the events of a stream as they come. */
class Events {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";

  constructor(answer: Response) {
    this.#reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** The next event without its data, with the data as JSON; `undefined` at the end. */
  // deno-lint-ignore no-explicit-any -- the assertions are the check of its shape
  async next(): Promise<{ id?: string; event?: string; data?: any } | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end !== -1) {
        const fields = this.#text.slice(0, end).split("\n").map((line) =>
          line.split(/: ?(.*)/s, 2)
        );
        this.#text = this.#text.slice(end + 2);
        if (fields.every(([name]) => name === "retry")) continue;
        const found = Object.fromEntries(fields);
        return { ...found, ...(found.data && { data: JSON.parse(found.data) }) };
      }
      const { value, done } = await this.#reader.read();
      if (done) return undefined;
      this.#text += value;
    }
  }

  async close(): Promise<void> {
    await this.#reader.cancel();
  }
}

async function open(fake: Fake, query = "", headers: Record<string, string> = {}) {
  const browser = await fake.signIn();
  const answer = await fake.call("GET", `${browser.root}/traffic${query}`, {
    headers: { Cookie: browser.cookie, ...headers },
  });
  return { browser, answer };
}

Deno.test("a stream begins with the newest rows of its vault and goes on with what comes", async () => {
  const fake = createFake();
  fake.traffic.record(row(1));
  fake.traffic.record(row(2, { vault: "work" }));
  const { answer } = await open(fake);
  assert.equal(answer.headers.get("Content-Type"), "text/event-stream");
  const events = new Events(answer);
  const first = await events.next();
  assert.equal(first?.event, "rows");
  assert.equal(first?.id, "2");
  assert.deepEqual(first?.data, {
    rows: [{
      id: "r1",
      created_at: new Date(NOW).toISOString(),
      ingress: "connect",
      method: "GET",
      host: "api.github.com",
      path: "/user",
      matched_service: "github",
      credential_keys: ["GITHUB_TOKEN"],
      status: 200,
      latency_ms: 12,
      request_bytes: 0,
      response_bytes: 34,
      error_code: null,
      actor_type: "session",
      actor_name: "s1",
    }],
    dropped: 0,
    first: true,
  });
  fake.traffic.record(row(3, { status: 403, errorCode: "forbidden", matchedService: undefined }));
  fake.traffic.record(row(4));
  const { event, data } = (await events.next())!;
  assert.equal(event, "rows");
  // deno-lint-ignore no-explicit-any -- the shape was checked above
  assert.deepEqual(data.rows.map(({ id, error_code }: any) => [id, error_code]), [
    ["r3", "forbidden"],
    ["r4", null],
  ]);
  await events.close();
});

Deno.test("a browser that connects again gets what it missed and nothing twice", async () => {
  const fake = createFake();
  for (let id = 1; id <= 5; id++) fake.traffic.record(row(id));
  const { answer } = await open(fake, "?vault=default", { "Last-Event-ID": "3" });
  const events = new Events(answer);
  const { data } = (await events.next())!;
  assert.deepEqual(data.rows.map(({ id }: { id: string }) => id), ["r4", "r5"]);
  assert.equal(data.first, false);
  await events.close();
});

Deno.test("rows that came too fast are counted, and the newest are there", async () => {
  const fake = createFake();
  const { answer } = await open(fake);
  const events = new Events(answer);
  await events.next();
  for (let id = 1; id <= 1500; id++) fake.traffic.record(row(id));
  const { data } = (await events.next())!;
  assert.equal(data.rows.length, 1000);
  assert.equal(data.rows.at(-1).id, "r1500");
  assert.equal(data.dropped, 500);
  await events.close();
});

Deno.test("a change of the store is told, so that the page can look again", async () => {
  let revision = 1;
  const fake = createFake({ revision: () => revision });
  const { answer } = await open(fake);
  const events = new Events(answer);
  await events.next();
  revision = 2;
  assert.equal((await events.next())?.event, "changed");
  await events.close();
});

Deno.test("a page that wants changes alone is sent no rows", async () => {
  let revision = 1;
  const fake = createFake({ revision: () => revision });
  fake.traffic.record(row(1));
  const { answer } = await open(fake, "?vault=default&only=changes");
  const events = new Events(answer);
  fake.traffic.record(row(2));
  const changed = events.next();
  // Noticed from the first look on, which comes before the stream's first byte.
  await new Promise((resolve) => setTimeout(resolve));
  revision = 2;
  assert.equal((await changed)?.event, "changed");
  await events.close();
});

Deno.test("a stream ends when its person signs out", async () => {
  const fake = createFake();
  const { browser, answer } = await open(fake);
  const events = new Events(answer);
  await events.next();
  fake.ports.operators.signOut(browser.path);
  assert.equal((await events.next())?.event, "signed_out");
  assert.equal(await events.next(), undefined);
});

Deno.test("an open stream does not keep a person signed in", async () => {
  let now = NOW;
  const code = new SignInCode();
  const operators = new Operators({
    now: () => now,
    hasPassphrase: () => false,
    isPassphrase: () => Promise.resolve(false),
    code,
  });
  const fake = createFake({ operators });
  const outcome = await operators.signIn(code.text);
  assert.ok(outcome.kind === "signed_in");
  const { path, token } = outcome.session;
  const headers = { Cookie: `broker_operator=${token.reveal()}`, "Sec-Fetch-Dest": "empty" };
  now += 29 * 60_000;
  const events = new Events(await fake.call("GET", `/op/${path}/traffic`, { headers }));
  await events.next();
  now += 60_000;
  assert.equal((await events.next())?.event, "signed_out");
  await events.close();
});

Deno.test("a stream ends with the broker, at once", async () => {
  const stop = new AbortController();
  const fake = createFake({ stopping: stop.signal });
  const events = new Events((await open(fake)).answer);
  await events.next();
  stop.abort();
  assert.equal(await events.next(), undefined);
});

Deno.test("an unknown vault is told before a stream begins", async () => {
  const { answer } = await open(createFake(), "?vault=nowhere");
  assert.equal(answer.status, 404);
  assert.equal((await answer.json()).error, "not_found");
});

Deno.test("the page comes with the newest rows for a browser without scripts", async () => {
  const fake = createFake();
  fake.traffic.record(row(1, { path: "/<script>alert(1)</script>" }));
  fake.traffic.record(row(2, { path: "/second" }));
  const { root, cookie } = await fake.signIn();
  const page = await (await fake.call("GET", `${root}/`, { headers: { Cookie: cookie } })).text();
  assert.ok(page.indexOf("/second") < page.indexOf("/&lt;script&gt;alert"));
});
