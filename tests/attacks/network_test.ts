import assert from "node:assert/strict";
import { statusOf } from "../support/raw_client.ts";
import { startUpstream } from "../support/upstream.ts";
import type { AddressGuard } from "../../src/proxy/ports.ts";
import { TestBroker } from "../proxy/fixture.ts";
import { API_SERVICE, Scene, SECRET } from "./gallery.ts";

async function answerTo(broker: TestBroker, url: string) {
  using client = await broker.connect();
  return await client.exchange(
    `GET ${url} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${broker.authorization}\r\n\r\n`,
  );
}

Deno.test("attack: the credential is coaxed out over plain HTTP to a public address", async () => {
  await using broker = new TestBroker({
    services: [API_SERVICE],
    credentials: { KEY: SECRET },
    resolve: () => Promise.resolve(["93.184.216.34"]),
  });
  const answer = await answerTo(broker, "http://api.test/");
  assert.deepEqual(answer.values("x-broker-error"), ["plaintext_refused"]);
});

const GUARDED = [
  "169.254.169.254",
  "169.254.170.2",
  "100.100.100.200",
  "fd00:ec2::254",
  "::ffff:169.254.169.254",
  "64:ff9b::a9fe:a9fe",
  "127.0.0.1",
  "127.8.8.8",
  "0.0.0.0",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.1.1",
  "100.64.0.1",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::1",
  "::",
  "fe80::1",
  "fc00::1",
  "::ffff:10.0.0.1",
  "64:ff9b::7f00:1",
];

for (const address of GUARDED) {
  Deno.test(`attack: a name that resolves to ${address} reaches what is not public`, async () => {
    await using broker = new TestBroker({ resolve: () => Promise.resolve([address]) });
    const answer = await answerTo(broker, "http://innocent.test/");
    assert.equal(statusOf(answer), 403);
    assert.deepEqual(answer.values("x-broker-error"), ["network_blocked"]);
  });
}

for (const address of ["169.254.169.254", "fd00:ec2::254", "::ffff:169.254.169.254"]) {
  Deno.test(`attack: an exact-host service opens the metadata endpoint ${address}`, async () => {
    await using broker = new TestBroker({
      services: [{ host: "meta.test" }],
      resolve: () => Promise.resolve([address]),
    });
    const answer = await answerTo(broker, "http://meta.test/");
    assert.deepEqual(answer.values("x-broker-error"), ["network_blocked"]);
  });
}

for (const host of ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254"]) {
  Deno.test(`attack: the literal ${host} is dialled without a service for it`, async () => {
    await using broker = new TestBroker();
    const answer = await answerTo(broker, `http://${host}:9/`);
    assert.deepEqual(answer.values("x-broker-error"), ["network_blocked"]);
  });
}

for (const spelling of ["2130706433", "0x7f.1", "127.1", "0177.0.0.1"]) {
  Deno.test(`attack: the spelling ${spelling} of loopback passes as a name`, async () => {
    // The system's resolver reads these as addresses; what it answers is what is judged.
    await using broker = new TestBroker({ resolve: () => Promise.resolve(["127.0.0.1"]) });
    const answer = await answerTo(broker, `http://${spelling}:9/`);
    assert.deepEqual(answer.values("x-broker-error"), ["network_blocked"]);
  });
}

/** Stands for the guard where a permitted address is needed that nothing outside this machine has. */
const ONLY_THE_SECOND_LOOPBACK: AddressGuard = {
  check: (address) =>
    address === "127.0.0.2" ? { allowed: true } : { allowed: false, reason: "guarded" },
};

Deno.test("attack: a name changes its answer between the check and the dial", async () => {
  await using upstream = startUpstream();
  let asked = 0;
  await using broker = new TestBroker({
    resolve: () => Promise.resolve([++asked === 1 ? "127.0.0.2" : "127.0.0.1"]),
    guard: ONLY_THE_SECOND_LOOPBACK,
  });
  const answer = await answerTo(broker, `http://rebinding.test:${upstream.port}/`);
  assert.deepEqual(answer.values("x-broker-error"), ["upstream_unreachable"]);
  assert.equal(asked, 1, "asked once, so that there is no second answer to be dialled");
  assert.equal(upstream.accepted, 0);
});

Deno.test("attack: a private address hides behind a public one in the same answer", async () => {
  await using upstream = startUpstream();
  await using broker = new TestBroker({
    resolve: () => Promise.resolve(["127.0.0.2", "127.0.0.1"]),
    guard: ONLY_THE_SECOND_LOOPBACK,
  });
  await answerTo(broker, `http://mixed.test:${upstream.port}/`);
  assert.equal(upstream.accepted, 0);
});

Deno.test("attack: the broker is made to call itself", async () => {
  await using broker = new TestBroker({
    services: [{ host: "self.test" }],
    resolve: () => Promise.resolve(["127.0.0.1"]),
  });
  const answer = await answerTo(broker, `http://self.test:${broker.proxy.port}/`);
  assert.equal(statusOf(answer), 508);
});

Deno.test("attack: a blind tunnel stays open after its vault began to deny", async () => {
  await using scene = new Scene({
    services: [],
    guard: { check: () => ({ allowed: true }) },
  });
  const { testAuthority } = await import("../support/tls_fixture.ts");
  using client = await scene.broker.connect();
  await client.openTunnel(`api.test:${scene.upstream.port}`, {
    authorization: scene.broker.authorization,
    caCerts: [testAuthority().certificatePem],
  });
  assert.equal(statusOf(await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")), 200);
  scene.broker.change({ settings: { unmatchedHostPolicy: "deny" } });
  assert.equal((await client.readToEnd()).length, 0);
  assert.equal(scene.upstream.requests.length, 1);
});
