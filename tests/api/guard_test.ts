import assert from "node:assert/strict";
import { checkRequestSource } from "../../src/api/guard.ts";
import { HttpFault } from "../../src/api/http_fault.ts";
import { createFake, HOST, TOKEN } from "./fake_ports.ts";

const FOREIGN_HOSTS = [
  // A name that an attacker's DNS server rebound to 127.0.0.1.
  "rebound.attacker.test:14321",
  "rebound.attacker.test",
  "127.0.0.1",
  "localhost",
  "127.0.0.1:14322",
  "127.0.0.1:14321.attacker.test",
  "attacker.test@127.0.0.1:14321",
  "127.0.0.1:14321/",
  "127.0.0.1:014321",
  "127.1:14321",
  "localhost.:14321",
  "[::ffff:127.0.0.1]:14321",
  "127.0.0.1:14321, attacker.test",
  " ",
];

for (const host of FOREIGN_HOSTS) {
  Deno.test(`a request with Host "${host}" is refused before its token is looked at`, async () => {
    let looked = false;
    const fake = createFake({
      callers: { find: () => (looked = true, undefined) },
    });
    for (const path of ["/healthz", "/discover", "/v1/ca.pem", "/no/such/route"]) {
      const answer = await fake.call("GET", path, {
        token: TOKEN.session,
        headers: { Host: host },
      });
      assert.equal(answer.status, 403, path);
      assert.equal((await answer.json()).error, "host_not_allowed");
    }
    assert.equal(looked, false);
  });
}

Deno.test("a request without Host is refused", async () => {
  const answer = await createFake().call("GET", "/healthz", { headers: { Host: "" } });
  assert.equal(answer.status, 403);
  assert.equal((await answer.json()).error, "host_not_allowed");
});

Deno.test("an absolute-form request for another authority is refused under an own Host", () => {
  const request = new Request("http://attacker.test/discover", { headers: { Host: HOST } });
  assert.throws(() => checkRequestSource(request, [HOST]), { code: "host_not_allowed" });
});

const FOREIGN_ORIGINS = [
  "null",
  "https://attacker.test",
  "http://127.0.0.1",
  "http://127.0.0.1:3000",
  `https://${HOST}`,
  `http://${HOST}.attacker.test`,
  `http://${HOST}/`,
  // An own name, but not the one that this request went to.
  "http://localhost:14321",
  "chrome-extension://abcdef",
  `http://${HOST}, https://attacker.test`,
];

for (const origin of FOREIGN_ORIGINS) {
  Deno.test(`a request with Origin "${origin}" is refused, operator or not`, async () => {
    const fake = createFake();
    for (const token of [TOKEN.session, TOKEN.operator]) {
      const answer = await fake.call("DELETE", "/v1/vaults/default/services", {
        token,
        headers: { Origin: origin },
      });
      assert.equal(answer.status, 403);
      assert.equal((await answer.json()).error, "origin_not_allowed");
    }
    assert.equal(fake.services.get("default")?.length, 3);
  });
}

for (const site of ["cross-site", "same-site", "Cross-Site", "unheard-of"]) {
  Deno.test(`a request with Sec-Fetch-Site ${site} is refused`, async () => {
    const answer = await createFake().call("GET", "/healthz", {
      headers: { "Sec-Fetch-Site": site },
    });
    assert.equal(answer.status, 403);
    assert.equal((await answer.json()).error, "origin_not_allowed");
  });
}

Deno.test("a foreign page's preflight gets no CORS permission", async () => {
  const answer = await createFake().call("OPTIONS", "/v1/credentials", {
    headers: { Origin: "https://attacker.test", "Access-Control-Request-Method": "POST" },
  });
  assert.equal(answer.status, 403);
  assert.equal(answer.headers.get("Access-Control-Allow-Origin"), null);
});

Deno.test("a refusal does not repeat the foreign name", async () => {
  const answer = await createFake().call("GET", "/", { headers: { Host: "<b>attacker.test" } });
  assert.doesNotMatch(await answer.text(), /attacker/);
});

for (const host of [HOST, "localhost:14321", "LOCALHOST:14321", "[::1]:14321"]) {
  Deno.test(`a request with the own Host "${host}" passes without and with its own Origin`, () => {
    const url = `http://${host}/healthz`;
    const hosts = createFake().ports.hosts;
    checkRequestSource(new Request(url, { headers: { Host: host } }), hosts);
    const headers = { Host: host, Origin: `http://${host}`, "Sec-Fetch-Site": "same-origin" };
    checkRequestSource(new Request(url, { headers }), hosts);
    checkRequestSource(
      new Request(url, { headers: { Host: host, "Sec-Fetch-Site": "none" } }),
      hosts,
    );
  });
}

Deno.test("a listener on port 80 answers to its name without the port, others do not", () => {
  const request = new Request("http://127.0.0.1/healthz", { headers: { Host: "127.0.0.1" } });
  checkRequestSource(request, ["127.0.0.1:80"]);
  assert.throws(() => checkRequestSource(request, ["127.0.0.1:8080"]), HttpFault);
});
