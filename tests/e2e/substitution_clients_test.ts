/**
 * Real programs whose requests carry placeholders on every surface, with every auth type, as children of
 * `vault run`: they take the placeholder from their environment, and the value is proven at the upstream
 * and absent in what they print.
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { npmPackageDirectory } from "../support/npm_package.ts";
import { testCertificate } from "../support/tls_fixture.ts";
import { BrokeredHome, SECRET } from "./brokered_home.ts";

const PYTHON = "/usr/bin/python3";
const ignore = Deno.build.os === "windows";

/** A value that each surface writes in its own way. */
const VALUE = 'canary-sub/"1" &2';
const IN_URL = "canary-sub%2F%221%22%20%262";

/** Every auth type, and the field by which the upstream knows it. */
const AUTH:
  readonly (readonly [type: string, auth: string, field: string, value: string | undefined])[] = [
    ["bearer", "type: bearer, token: API_KEY", "authorization", `Bearer ${SECRET}`],
    [
      "basic",
      "type: basic, username: GIT_USER, password: API_KEY",
      "authorization",
      `Basic ${btoa(`x-access-token:${SECRET}`)}`,
    ],
    ["api-key", "type: api-key, key: API_KEY, header: X-Api-Key", "x-api-key", SECRET],
    [
      "custom",
      'type: custom, headers: { X-One: "a {{ API_KEY }} b {{ GIT_USER }}" }',
      "x-one",
      `a ${SECRET} b x-access-token`,
    ],
    ["passthrough", "type: passthrough", "authorization", undefined],
  ];

async function prepare(scene: BrokeredHome, auth: string): Promise<void> {
  const { home } = scene;
  await home.done(["vault", "credential", "set", "API_KEY"], { stdin: SECRET });
  await home.done(["vault", "credential", "set", "GIT_USER"], { stdin: "x-access-token" });
  await home.done(["vault", "credential", "set", "SUB_KEY"], { stdin: VALUE });
  await home.done(["vault", "service", "set", "-f", "-"], {
    stdin: `services:
  - name: api
    host: api.test
    auth: { ${auth} }
    substitutions:
      - { key: SUB_KEY, placeholder: __sub_key__, in: [path, query, header, body, websocket] }
`,
  });
}

type Client = readonly [name: string, command: (url: string) => Promise<string[]> | string[]];

const HTTP_CLIENTS: readonly Client[] = [
  ["curl", (url) => [
    "sh",
    "-c",
    `env; curl -sS --fail -H "X-Key: $SUB_KEY" -H 'Content-Type: application/json' \\
       -d "{\\"k\\": \\"$SUB_KEY\\"}" "${url}/$SUB_KEY/x?k=$SUB_KEY"`,
  ]],
  ["Python's requests", (url) => [
    PYTHON,
    "-c",
    `import os, requests; k = os.environ["SUB_KEY"]; print(dict(os.environ))
print(requests.post(f"${url}/{k}/x?k={k}", headers={"X-Key": k}, json={"k": k}).text)`,
  ]],
  ["Python's httpx", (url) => [
    PYTHON,
    "-c",
    `import os, httpx; k = os.environ["SUB_KEY"]; print(dict(os.environ))
print(httpx.post(f"${url}/{k}/x?k={k}", headers={"X-Key": k}, json={"k": k}).text)`,
  ]],
  // Node reads the proxy variables itself from 22.21 and 24 on; undici's agent does it for older ones.
  ["Node's fetch", async (url) => [
    "node",
    "-e",
    `const k = process.env.SUB_KEY; console.log(process.env);
     const [major, minor] = process.versions.node.split(".").map(Number);
     if (major < 22 || (major === 22 && minor < 21) || major === 23) {
       const { EnvHttpProxyAgent, setGlobalDispatcher } = require(process.argv[1]);
       setGlobalDispatcher(new EnvHttpProxyAgent());
     }
     fetch("${url}/" + k + "/x?k=" + k, {
       method: "POST", body: JSON.stringify({ k }),
       headers: { "Content-Type": "application/json", "X-Key": k },
     }).then((answer) => answer.text()).then(console.log);`,
    await npmPackageDirectory("undici"),
  ]],
];

for (const [name, command] of HTTP_CLIENTS) {
  for (const [type, auth, field, value] of AUTH) {
    Deno.test({
      name: `${name} has placeholders replaced in path, query, header and body beside ${type}`,
      ignore,
      fn: async () => {
        await using scene = new BrokeredHome();
        await prepare(scene, auth);
        const { status, stdout, stderr } = await scene.run(await command(scene.url));
        assert.equal(status, 0, stdout + stderr);
        assert.match(stdout, /\bok\b/);
        const [request] = scene.upstream.requests;
        assert.ok(request, scene.upstream.faults.join());
        assert.match(request.startLine, new RegExp(`^POST /${IN_URL}/x\\?k=${IN_URL} `));
        assert.deepEqual(request.values("x-key"), [VALUE]);
        assert.deepEqual(JSON.parse(request.text), { k: VALUE });
        assert.deepEqual(request.values("content-length"), [String(request.body.length)]);
        assert.deepEqual(request.values(field), value === undefined ? [] : [value]);
        assert.match(stdout, /__sub_key__/);
        for (const secret of [SECRET, "canary-sub"]) {
          assert.ok(!(stdout + stderr).includes(secret), `${name} printed a value`);
        }
      },
    });
  }
}

/** Opens the tunnel that the environment names; neither library does at the versions in wide use. */
const NODE_TUNNEL = `
  const http = require("node:http"), https = require("node:https"), tls = require("node:tls");
  const proxy = new URL(process.env.HTTPS_PROXY);
  const credentials = decodeURIComponent(proxy.username) + ":" + decodeURIComponent(proxy.password);
  class Tunnel extends https.Agent {
    createConnection(options, done) {
      http.request({
        host: proxy.hostname, port: proxy.port, method: "CONNECT",
        path: options.host + ":" + options.port,
        headers: { "Proxy-Authorization": "Basic " + Buffer.from(credentials).toString("base64") },
      }).on("connect", (answer, socket) => {
        if (answer.statusCode !== 200) return done(new Error("CONNECT " + answer.statusCode));
        done(null, tls.connect({ socket, servername: options.host, ALPNProtocols: ["http/1.1"] }));
      }).on("error", done).end();
    }
  }`;

const PYTHON_TUNNEL = `
import base64, os, socket, ssl, urllib.parse
def tunnel(host, port):
    proxy = urllib.parse.urlsplit(os.environ["HTTPS_PROXY"])
    raw = socket.create_connection((proxy.hostname, proxy.port))
    user = base64.b64encode(f"{proxy.username}:{proxy.password}".encode()).decode()
    raw.sendall(f"CONNECT {host}:{port} HTTP/1.1\\r\\nHost: {host}:{port}\\r\\nProxy-Authorization: Basic {user}\\r\\n\\r\\n".encode())
    head = b""
    while not head.endswith(b"\\r\\n\\r\\n"): head += raw.recv(1)
    assert b" 200 " in head, head
    raw.setblocking(False)
    return raw
`;

const WEBSOCKET_CLIENTS: readonly Client[] = [
  ["Node's ws", async (url) => [
    "node",
    "-e",
    `${NODE_TUNNEL}
     const WebSocket = require(process.argv[1]);
     const k = process.env.SUB_KEY;
     const socket = new WebSocket("${url.replace("https", "wss")}/" + k, { agent: new Tunnel() });
     let answers = 0;
     socket.on("open", () => {
       socket.send("key " + k + " twice " + k);
       socket.send(Buffer.from("binary " + k));
     });
     socket.on("message", (data) => {
       console.log(data.toString());
       if (++answers === 2) socket.close(4001, "done");
     });
     socket.on("close", (code, reason) => console.log("closed", code, reason.toString()));
     socket.on("error", (error) => { console.error(error); process.exit(3); });`,
    await npmPackageDirectory("ws"),
  ]],
  ["Python's websockets", (url) => [
    PYTHON,
    "-c",
    `${PYTHON_TUNNEL}
import asyncio, websockets
async def main():
    k = os.environ["SUB_KEY"]
    host, port = "${new URL(url).hostname}", ${new URL(url).port}
    async with websockets.connect(f"wss://{host}:{port}/{k}", sock=tunnel(host, port),
                                  server_hostname=host, ssl=ssl.create_default_context()) as one:
        await one.send(f"key {k} twice {k}")
        await one.send(f"binary {k}".encode())
        print(await one.recv()); print(await one.recv())
        await one.close(4001, "done")
        print("closed", one.close_code, one.close_reason)
asyncio.run(main())`,
  ]],
];

interface Seen {
  readonly path: string;
  readonly field: string | null;
  readonly extensions: string | null;
  readonly messages: (string | Uint8Array)[];
  closed: Promise<{ code: number; reason: string }> | undefined;
}

/** Deno's own WebSocket server over TLS: it keeps what it saw, and answers with digests. */
function startWebSocketServer(field: string) {
  const seen: Seen[] = [];
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    ...testCertificate("api.test"),
    onListen: () => {},
  }, (request) => {
    // Read first: the request's fields go with the upgrade.
    const connection: Seen = {
      path: new URL(request.url).pathname,
      field: request.headers.get(field),
      extensions: request.headers.get("sec-websocket-extensions"),
      messages: [],
      closed: undefined,
    };
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => {
      const message = typeof data === "string" ? data : new Uint8Array(data);
      connection.messages.push(message);
      socket.send(createHash("sha256").update(message).digest("hex"));
    };
    connection.closed = new Promise((resolve) => {
      socket.onclose = ({ code, reason }) => resolve({ code, reason });
    });
    seen.push(connection);
    return response;
  });
  return { port: server.addr.port, seen, [Symbol.asyncDispose]: () => server.shutdown() };
}

for (const [name, command] of WEBSOCKET_CLIENTS) {
  for (const [type, auth, field, value] of AUTH) {
    Deno.test({
      name:
        `${name} speaks through the broker with ${type}: text replaced, binary not, close passed on`,
      ignore,
      fn: async () => {
        await using server = startWebSocketServer(field);
        await using scene = new BrokeredHome();
        await prepare(scene, auth);
        const { status, stdout, stderr } = await scene.run(
          await command(`https://api.test:${server.port}`),
        );
        assert.equal(status, 0, stdout + stderr);
        const [connection] = server.seen;
        assert.ok(connection, stdout + stderr);
        assert.equal(connection.path, `/${IN_URL}`);
        assert.equal(connection.field, value ?? null);
        assert.equal(connection.extensions, null);
        const text = `key ${VALUE} twice ${VALUE}`;
        const binary = new TextEncoder().encode("binary __sub_key__");
        assert.deepEqual(connection.messages, [text, binary]);
        assert.deepEqual(await connection.closed, { code: 4001, reason: "done" });
        const digests = [text, binary].map((message) =>
          createHash("sha256").update(message).digest("hex")
        );
        assert.deepEqual(stdout.trim().split("\n"), [...digests, "closed 4001 done"]);
        for (const secret of [SECRET, "canary-sub"]) assert.ok(!(stdout + stderr).includes(secret));
      },
    });
  }
}
