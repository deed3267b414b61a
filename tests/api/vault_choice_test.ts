import assert from "node:assert/strict";
import { createFake, TOKEN } from "./fake_ports.ts";

Deno.test("a session that names another vault gets vault_mismatch wherever it names it", async () => {
  const fake = createFake();
  const attempts: [string, Record<string, string>][] = [
    ["/discover", { "X-Vault": "work" }],
    ["/v1/vaults/work/services", {}],
    ["/v1/vaults/default/services", { "X-Vault": "work" }],
    ["/v1/credentials?vault=work", {}],
    ["/v1/credentials", { "X-Vault": "work" }],
    // Whether such a vault exists is not told apart.
    ["/v1/vaults/nowhere/services", {}],
    ["/v1/vaults/Default/services", {}],
  ];
  for (const [path, headers] of attempts) {
    const answer = await fake.call("GET", path, { token: TOKEN.session, headers });
    assert.equal(answer.status, 403, path);
    assert.equal((await answer.json()).error, "vault_mismatch", path);
  }
});

Deno.test("an agent token without a grant gets 403, whether the vault exists or not", async () => {
  const fake = createFake();
  for (const vault of ["default", "nowhere"]) {
    const discover = await fake.call("GET", "/discover", {
      token: TOKEN.stranger,
      headers: { "X-Vault": vault },
    });
    const services = await fake.call("GET", `/v1/vaults/${vault}/services`, {
      token: TOKEN.stranger,
    });
    for (const answer of [discover, services]) {
      assert.equal(answer.status, 403);
      const body = await answer.json();
      assert.equal(body.error, "forbidden");
      assert.match(body.hint, /grant/);
    }
  }
});

Deno.test("an agent token whose X-Vault disagrees with the path is refused", async () => {
  const answer = await createFake().call("GET", "/v1/vaults/default/services", {
    token: TOKEN.agent,
    headers: { "X-Vault": "work" },
  });
  assert.equal(answer.status, 403);
  assert.equal((await answer.json()).error, "vault_mismatch");
});

Deno.test("two X-Vault fields name no vault that was granted", async () => {
  const answer = await createFake().call("GET", "/discover", {
    token: TOKEN.agent,
    headers: { "X-Vault": "default, work" },
  });
  assert.equal(answer.status, 403);
});

Deno.test("an agent token without X-Vault is told which vaults it may name", async () => {
  for (const path of ["/discover", "/v1/credentials"]) {
    const answer = await createFake().call("GET", path, { token: TOKEN.agent });
    assert.equal(answer.status, 400);
    const body = await answer.json();
    assert.equal(body.error, "vault_required");
    assert.match(body.hint, /X-Vault: NAME.*default, work/);
  }
});

Deno.test("an operator without a vault's name is told to name one", async () => {
  const answer = await createFake().call("GET", "/v1/credentials", { token: TOKEN.operator });
  assert.equal(answer.status, 400);
  assert.equal((await answer.json()).error, "vault_required");
});

Deno.test("an agent token acts on the vault that X-Vault names", async () => {
  const fake = createFake();
  for (const vault of ["default", "work"]) {
    const answer = await fake.call("GET", "/discover", {
      token: TOKEN.agent,
      headers: { "X-Vault": vault },
    });
    assert.equal((await answer.json()).vault, vault);
  }
});

Deno.test("a session needs no X-Vault and may repeat its own vault's name", async () => {
  const fake = createFake();
  for (const headers of [{}, { "X-Vault": "default" }]) {
    const answer = await fake.call("GET", "/discover", { token: TOKEN.session, headers });
    assert.equal((await answer.json()).vault, "default");
  }
});

Deno.test("an operator who names a vault that is not there gets 404 with a hint", async () => {
  const answer = await createFake().call("GET", "/v1/vaults/nowhere/services", {
    token: TOKEN.operator,
  });
  assert.equal(answer.status, 404);
  const body = await answer.json();
  assert.equal(body.error, "not_found");
  assert.equal(body.hint, "broker vault list");
});
