/** `vault run` on a machine whose environment names a proxy that must be gone through, as a company's. */

import assert from "node:assert/strict";
import { BrokeredHome, SECRET } from "./brokered_home.ts";

const ignore = Deno.build.os === "windows";
const AUTHORIZATION = `Basic ${btoa("me:canary-parent")}`;

/** A CONNECT proxy that leads every name to this machine, and notes what it was asked. */
class Parent implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #connections: Deno.Conn[] = [];
  readonly #serving: Promise<void>;
  readonly heads: string[] = [];

  /** @param answer What CONNECT is answered instead of a tunnel; nothing closes the connection. */
  constructor(answer?: string) {
    this.#serving = (async () => {
      for await (const connection of this.#listener) {
        this.#connections.push(connection);
        this.#serve(connection, answer).catch(() => {}); // What is open is closed at the end.
      }
    })().catch(() => {});
  }

  get url(): string {
    return `http://me:canary-parent@127.0.0.1:${this.#listener.addr.port}`;
  }

  async #serve(client: Deno.Conn, answer: string | undefined): Promise<void> {
    const buffer = new Uint8Array(16 * 1024);
    const count = await client.read(buffer) ?? 0;
    const head = new TextDecoder().decode(buffer.subarray(0, count));
    this.heads.push(head);
    const port = Number(/^CONNECT \S+:(\d+) /.exec(head)?.[1]);
    if (answer !== undefined) {
      await client.write(new TextEncoder().encode(answer));
      return client.close();
    }
    const upstream = await Deno.connect({ hostname: "127.0.0.1", port });
    this.#connections.push(upstream);
    await client.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\n\r\n"));
    await Promise.all([
      client.readable.pipeTo(upstream.writable),
      upstream.readable.pipeTo(client.writable),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#connections) {
      try {
        connection.close();
      } catch {
        // It has ended.
      }
    }
    await this.#serving;
  }
}

/** Runs curl in the vault with the parent in the environment that `broker` was started in. */
async function request(scene: BrokeredHome, env: Record<string, string>) {
  const { status, stdout, stderr } = await scene.run(
    ["sh", "-c", `env; curl -sS -w '\\n%{http_code} %header{x-broker-error}' ${scene.url}/x`],
    { env },
  );
  assert.ok(!(stdout + stderr).includes("canary-parent"), "the child saw the parent's password");
  assert.ok(!(stdout + stderr).includes(SECRET));
  assert.equal(status, 0, stderr);
  return stdout.trimEnd().split("\n").at(-1);
}

Deno.test({
  name: "upstreams are reached through the proxy of the environment, with its credentials",
  ignore,
  fn: async () => {
    await using scene = new BrokeredHome();
    await using parent = new Parent();
    await scene.prepare();
    assert.equal(await request(scene, { HTTPS_PROXY: parent.url }), "200");
    const [head] = parent.heads;
    assert.match(
      head ?? "",
      new RegExp(`^CONNECT api\\.test:${scene.upstream.port} HTTP/1\\.1\r\n`),
    );
    assert.ok(head?.includes(`Proxy-Authorization: ${AUTHORIZATION}\r\n`));
    assert.deepEqual(scene.upstream.requests[0]?.values("authorization"), [`Bearer ${SECRET}`]);
  },
});

Deno.test({
  name: "upstreams that NO_PROXY names are reached without it",
  ignore,
  fn: async () => {
    await using scene = new BrokeredHome();
    await using parent = new Parent();
    await scene.prepare();
    for (const noProxy of ["other.test,.test", "*"]) {
      const env = { https_proxy: parent.url, no_proxy: noProxy };
      const { status, stdout } = await scene.run(
        // What the user's own NO_PROXY covers does not reach the broker either, unless told so.
        ["env", "-u", "NO_PROXY", "-u", "no_proxy", "curl", "-sS", `${scene.url}/x`],
        { env },
      );
      assert.deepEqual([status, stdout], [0, "ok"]);
    }
    assert.deepEqual(parent.heads, []);
    assert.equal(scene.upstream.requests.length, 2);
  },
});

const FAILING: readonly (readonly [what: string, answer: string, expected: RegExp])[] = [
  ["wants other credentials", "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n", /^502 upstream_/],
  ["forbids the host", "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", /^502 upstream_/],
  ["closes", "", /^502 upstream_/],
  ["answers garbage", "garbage\r\n\r\n", /^502 upstream_/],
];

for (const [what, answer, expected] of FAILING) {
  Deno.test({
    name: `a proxy of the environment that ${what} gives a typed error in the tunnel`,
    ignore,
    fn: async () => {
      await using scene = new BrokeredHome();
      await using parent = new Parent(answer);
      await scene.prepare();
      assert.match(await request(scene, { HTTPS_PROXY: parent.url }) ?? "", expected);
      assert.deepEqual(scene.upstream.requests, []);
    },
  });
}

Deno.test({
  name: "a proxy of the environment that nobody listens at gives a typed error in the tunnel",
  ignore,
  fn: async () => {
    await using scene = new BrokeredHome();
    await scene.prepare();
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    listener.close();
    const env = { HTTPS_PROXY: `http://127.0.0.1:${port}` };
    assert.equal(await request(scene, env), "502 upstream_unreachable");
  },
});
