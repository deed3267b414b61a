import assert from "node:assert/strict";
import { createFake, service } from "./fake_ports.ts";

Deno.test("the page lists the vault's services with host, auth and state, and no value", async () => {
  const fake = createFake();
  const { root, cookie } = await fake.signIn();
  const answer = await fake.call("GET", `${root}/`, { headers: { Cookie: cookie } });
  assert.equal(answer.status, 200);
  const page = await answer.text();
  for (const text of ["api.github.com", "Bearer GITHUB_TOKEN", "shop.test:8443/b/*", "Turn on"]) {
    assert.ok(page.includes(text), text);
  }
  assert.doesNotMatch(page, /canary/);
});

Deno.test("the page shows the vault that its address names, and says when there is none", async () => {
  const fake = createFake();
  const { root, cookie } = await fake.signIn();
  const headers = { Cookie: cookie, Accept: "text/html" };
  const work = await fake.call("GET", `${root}/?vault=work`, { headers });
  assert.match(await work.text(), /broker vault service add/);
  const none = await fake.call("GET", `${root}/?vault=<script>`, { headers });
  assert.equal(none.status, 404);
  assert.doesNotMatch(await none.text(), /<script>/);
});

Deno.test("what a vault holds is shown as text, whatever it says", async () => {
  const fake = createFake();
  const evil = "<img src=x onerror=alert(1)>";
  fake.services.set("default", [
    service({
      name: "evil",
      host: `"><script>alert(1)</script>`,
      auth: { type: "custom", headers: { [evil]: `{{ KEY }}${evil}` } },
    }),
  ]);
  const { root, cookie } = await fake.signIn();
  const answer = await fake.call("GET", `${root}/`, { headers: { Cookie: cookie } });
  const page = await answer.text();
  assert.doesNotMatch(page, /<img|<script>alert/);
  assert.match(page, /&lt;img src=x onerror=alert\(1\)&gt;/);
});

Deno.test("a service is switched off and on with a form, and the page comes back", async () => {
  const fake = createFake();
  const { root, cookie, csrf } = await fake.signIn();
  const enabled = () =>
    fake.services.get("default")?.find(({ name }) => name === "github")?.enabled;
  for (const wanted of ["false", "true"]) {
    const answer = await fake.call("POST", `${root}/services/github`, {
      form: { csrf, vault: "default", enabled: wanted },
      headers: { Cookie: cookie },
    });
    assert.equal(answer.status, 303);
    assert.equal(answer.headers.get("Location"), `${root}/?vault=default`);
    assert.equal(String(enabled()), wanted);
  }
});

Deno.test("a switch needs the session's CSRF token, a vault, a service and a state", async () => {
  const fake = createFake();
  const { root, cookie, csrf } = await fake.signIn();
  const good = { csrf, vault: "default", enabled: "false" };
  const rows: [string, Record<string, string>, number][] = [
    ["github", { ...good, csrf: "" }, 403],
    ["github", { ...good, enabled: "perhaps" }, 400],
    ["github", { ...good, vault: "nowhere" }, 404],
    ["nothing", good, 404],
    ["shop.test", good, 409],
  ];
  for (const [name, form, status] of rows) {
    const answer = await fake.call("POST", `${root}/services/${name}`, {
      form,
      headers: { Cookie: cookie },
    });
    assert.equal(answer.status, status, JSON.stringify(form));
  }
  assert.deepEqual(fake.services.get("default")?.map((one) => one.enabled), [true, true, false]);
});
