import assert from "node:assert/strict";
import { Operators } from "../../src/operator/operators.ts";
import { createFake, type Fake, HOST, NOW, type SignedInBrowser, TOKEN } from "./fake_ports.ts";

const PAGE = { Accept: "text/html,application/xhtml+xml" };

/** Ways to come to a signed-in person's address without being that person. */
const INTRUDERS: [name: string, headers: (browser: SignedInBrowser) => Record<string, string>][] = [
  ["no cookie", () => ({})],
  ["a session's bearer token", () => ({ Authorization: `Bearer ${TOKEN.session}` })],
  ["an agent's bearer token", () => ({ Authorization: `Bearer ${TOKEN.agent}` })],
  ["the operator's own token as bearer", ({ cookie }) => ({
    Authorization: `Bearer ${cookie.split("=")[1]}`,
  })],
  ["an agent's token as cookie", () => ({ Cookie: `broker_operator=${TOKEN.agent}` })],
  ["a proposal link's token as cookie", () => ({ Cookie: "broker_operator=brk_appr_guess" })],
  ["an empty cookie", () => ({ Cookie: "broker_operator=" })],
  ["a huge cookie", () => ({ Cookie: `broker_operator=${"x".repeat(10_000)}` })],
  ["the token under another name", ({ cookie }) => ({
    Cookie: cookie.replace("broker_operator", "operator"),
  })],
];

for (const [name, headers] of INTRUDERS) {
  Deno.test(`${name} opens no page of a person who signed in`, async () => {
    const fake = createFake();
    const browser = await fake.signIn();
    for (const path of ["/session", "/"]) {
      const answer = await fake.call("GET", browser.root + path, { headers: headers(browser) });
      assert.equal(answer.status, 401, path);
    }
    const out = await fake.call("POST", `${browser.root}/sign-out`, {
      form: { csrf: browser.csrf },
      headers: headers(browser),
    });
    assert.equal(out.status, 401);
    assert.ok(fake.ports.operators.isCurrent(browser.path));
  });
}

Deno.test("a cookie opens no other person's path, and no guessed one", async () => {
  const fake = createFake();
  const [one, other] = [await fake.signIn(), await fake.signIn()];
  for (const root of [other.root, "/op/AAAAAAAAAAAAAAAAAAAAAA", "/op/%20", "/op/__proto__"]) {
    const headers = { Cookie: one.cookie };
    assert.equal((await fake.call("GET", `${root}/session`, { headers })).status, 401, root);
  }
});

Deno.test("the right path and cookie open the page, beside a cookie that another program set", async () => {
  const fake = createFake();
  const { root, cookie } = await fake.signIn();
  for (
    const Cookie of [cookie, `a=b; ${cookie}`, `broker_operator=x; ${cookie}; broker_operator=y`]
  ) {
    const answer = await fake.call("GET", `${root}/session`, { headers: { Cookie } });
    assert.equal(answer.status, 204, Cookie);
  }
});

Deno.test("signing in gives a cookie for the session's path alone, which no script reads", async () => {
  const fake = createFake();
  const secret = fake.signInCode.text.reveal().toLowerCase();
  const answer = await fake.call("POST", "/sign-in", { form: { secret } });
  assert.equal(answer.status, 303);
  const location = answer.headers.get("Location") ?? "";
  assert.match(location, /^\/op\/[\w-]{22}\/$/);
  assert.match(
    answer.headers.get("Set-Cookie") ?? "",
    new RegExp(
      `^broker_operator=brk_op_[\\w-]{43}; Path=${
        location.slice(0, -1)
      }; HttpOnly; SameSite=Strict$`,
    ),
  );
  assert.equal(answer.headers.get("Cache-Control"), "no-store");
});

/** Forms that no page of the broker sent. */
const FOREIGN_FORMS: [name: string, headers: Record<string, string>][] = [
  ["without Origin", { Origin: "" }],
  ["with another site's Origin", { Origin: "https://attacker.test" }],
  ["with another port's Origin", { Origin: "http://127.0.0.1:9999" }],
  ["with an opaque Origin", { Origin: "null" }],
  ["from another port of this host", { "Sec-Fetch-Site": "same-site" }],
  ["with a rebound name as Host", { Host: "attacker.test:14321" }],
];

for (const [name, headers] of FOREIGN_FORMS) {
  Deno.test(`a form ${name} neither signs in nor out`, async () => {
    const fake = createFake();
    const secret = fake.signInCode.text.reveal();
    const entry = await fake.call("POST", "/sign-in", { form: { secret }, headers });
    assert.equal(entry.status, 403);
    assert.equal(entry.headers.get("Set-Cookie"), null);
    const { root, path, cookie, csrf } = await fake.signIn();
    const out = await fake.call("POST", `${root}/sign-out`, {
      form: { csrf },
      headers: { Cookie: cookie, ...headers },
    });
    assert.equal(out.status, 403);
    assert.ok(fake.ports.operators.isCurrent(path));
  });
}

Deno.test("a form needs this session's own CSRF token, once", async () => {
  const fake = createFake();
  const [one, other] = [await fake.signIn(), await fake.signIn()];
  const forms = [{}, { csrf: "" }, { csrf: other.csrf }, { csrf: `${one.csrf}x` }];
  for (const form of forms as Record<string, string>[]) {
    const answer = await fake.call("POST", `${one.root}/sign-out`, {
      form,
      headers: { Cookie: one.cookie },
    });
    assert.equal(answer.status, 403);
    assert.equal((await answer.json()).error, "form_not_accepted");
  }
  const twice = await fake.call("POST", `${one.root}/sign-out`, {
    text: `csrf=${one.csrf}&csrf=${one.csrf}`,
    headers: {
      Cookie: one.cookie,
      Origin: `http://${HOST}`,
      "Content-Type": "application/x-www-form-urlencoded",
    },
  });
  assert.equal(twice.status, 403);
  assert.ok(fake.ports.operators.isCurrent(one.path));
});

Deno.test("after signing out neither a page nor a form that was kept does anything", async () => {
  const fake = createFake();
  const { root, cookie, csrf } = await fake.signIn();
  const headers = { Cookie: cookie };
  const out = await fake.call("POST", `${root}/sign-out`, { form: { csrf }, headers });
  assert.equal(out.status, 200);
  assert.match(out.headers.get("Set-Cookie") ?? "", /^broker_operator=; .*Max-Age=0$/);
  assert.match(await out.text(), /<html[^>]* data-signed-out=""/);
  assert.equal((await fake.call("GET", `${root}/session`, { headers })).status, 401);
  const replayed = await fake.call("POST", `${root}/sign-out`, { form: { csrf }, headers });
  assert.equal(replayed.status, 401);
});

Deno.test("a wrong code is told on the page, with the field marked and nothing repeated", async () => {
  const fake = createFake();
  const answer = await fake.call("POST", "/sign-in", { form: { secret: "WRONG-GUESS" } });
  assert.equal(answer.status, 403);
  assert.equal(answer.headers.get("Set-Cookie"), null);
  const page = await answer.text();
  assert.match(page, /aria-invalid="true"/);
  assert.match(page, /That is not it/);
  assert.doesNotMatch(page, /WRONG-GUESS/);
});

Deno.test("after too many wrong codes the right one has to wait, and the page says how long", async () => {
  const fake = createFake();
  for (let count = 0; count < 5; count++) {
    await fake.call("POST", "/sign-in", { form: { secret: "00000-00000" } });
  }
  const secret = fake.signInCode.text.reveal();
  const answer = await fake.call("POST", "/sign-in", { form: { secret } });
  assert.equal(answer.status, 429);
  assert.equal(answer.headers.get("Retry-After"), "5");
  assert.equal(answer.headers.get("Set-Cookie"), null);
  assert.match(await answer.text(), /looked at in 5 seconds/);
});

/** The page at `/` where a person signs in that way. */
async function signInPage(fake: Fake): Promise<string> {
  return await (await fake.call("GET", "/", { headers: PAGE })).text();
}

Deno.test("the page asks for a passphrase, for a code, or names the command, as the home is", async () => {
  assert.match(await signInPage(createFake()), /autocomplete="one-time-code"/);
  const options = { now: () => NOW, isPassphrase: () => Promise.resolve(true) };
  const withPassphrase = new Operators({ ...options, hasPassphrase: () => true });
  assert.match(
    await signInPage(createFake({ operators: withPassphrase })),
    /type="password" autocomplete="current-password"/,
  );
  const withNothing = new Operators({ ...options, hasPassphrase: () => false });
  const page = await signInPage(createFake({ operators: withNothing }));
  assert.doesNotMatch(page, /<form|name="secret"/);
  assert.match(page, /broker vault proposal review/);
});

Deno.test("every page forbids scripts and styles of its own, framing, and telling another site", async () => {
  const fake = createFake();
  const { root, cookie } = await fake.signIn();
  const answers = [
    await fake.call("GET", "/", { headers: PAGE }),
    await fake.call("GET", "/nothing", { headers: PAGE }),
    await fake.call("GET", `${root}/session`, { headers: PAGE }),
    await fake.call("GET", "/", { headers: { ...PAGE, Host: "attacker.test" } }),
    await fake.call("POST", `${root}/sign-out`, { form: {}, headers: { ...PAGE, Cookie: cookie } }),
  ];
  for (const answer of answers) {
    const page = await answer.text();
    assert.equal(
      answer.headers.get("Content-Security-Policy"),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    assert.equal(answer.headers.get("X-Frame-Options"), "DENY");
    assert.equal(answer.headers.get("Referrer-Policy"), "same-origin");
    assert.equal(answer.headers.get("Cache-Control"), "no-store");
    assert.doesNotMatch(page, /<style|<script(?![^>]*\bsrc=)| style=| on[a-z]+="|javascript:/i);
    assert.doesNotMatch(page, /(?:src|href)="(?:https?:)?\/\//);
  }
});

Deno.test("what a page loads is there under the name that the page says", async () => {
  const fake = createFake();
  const page = await signInPage(fake);
  const paths = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  assert.equal(paths.length, 2);
  const types = [];
  for (const path of paths) {
    const answer = await fake.call("GET", path);
    assert.equal(answer.status, 200, path);
    types.push(answer.headers.get("Content-Type"));
    await answer.body?.cancel();
  }
  assert.deepEqual(types.sort(), ["text/css; charset=utf-8", "text/javascript; charset=utf-8"]);
});

Deno.test("a link on another site opens the address of a page and no other address", async () => {
  const fake = createFake();
  const followed = {
    ...PAGE,
    "Sec-Fetch-Site": "cross-site",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Dest": "document",
  };
  assert.equal((await fake.call("GET", "/", { headers: followed })).status, 200);
  const { root, cookie } = await fake.signIn();
  const refused: [string, string, Record<string, string>][] = [
    ["GET", "/", { ...followed, "Sec-Fetch-Dest": "iframe" }],
    ["GET", "/", { ...followed, "Sec-Fetch-Mode": "no-cors" }],
    ["POST", "/sign-in", followed],
    ["GET", "/healthz", followed],
    ["GET", `${root}/session`, { ...followed, Cookie: cookie }],
    ["GET", "/approve/1/more", followed],
  ];
  for (const [method, path, headers] of refused) {
    const answer = await fake.call(method, path, { headers });
    assert.equal(answer.status, 403, `${method} ${path}`);
  }
});

Deno.test("a person gets a page for what fails, a program gets JSON", async () => {
  const fake = createFake();
  for (const path of ["/nothing", "/op/x/session", "/discover"]) {
    const page = await fake.call("GET", path, { headers: PAGE });
    assert.match(page.headers.get("Content-Type") ?? "", /^text\/html/);
    assert.equal(page.headers.get("WWW-Authenticate"), null);
    const json = await fake.call("GET", path, { headers: { Accept: "*/*" } });
    assert.equal(json.status, page.status);
    assert.equal(typeof (await json.json()).error, "string");
    assert.match(await page.text(), /<h1>/);
  }
});

Deno.test("a defect on a page is told by its id, and the log does not learn the person's path", async () => {
  const fake = createFake();
  const { root, path, cookie } = await fake.signIn();
  fake.traffic.newest = () => {
    throw new Error("canary-inside");
  };
  const answer = await fake.call("GET", `${root}/`, { headers: { ...PAGE, Cookie: cookie } });
  assert.equal(answer.status, 500);
  const page = await answer.text();
  assert.doesNotMatch(page, /canary/);
  assert.match(page, new RegExp(fake.defects[0]!.requestId));
  assert.equal(fake.defects[0]!.path, "/op/-/");
  assert.ok(!JSON.stringify(fake.defects).includes(path));
});
