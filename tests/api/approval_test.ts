import assert from "node:assert/strict";
import type { ApiPorts } from "../../src/api/ports.ts";
import { parseProposal } from "../../src/model/proposal_schema.ts";
import { Secret } from "../../src/model/secret.ts";
import { Store } from "../../src/store/store.ts";
import { temporaryHome } from "../store/temporary_home.ts";
import {
  CANARY,
  createFake,
  type Fake,
  NOW,
  service,
  type SignedInBrowser,
  TOKEN,
} from "./fake_ports.ts";

const TYPED = "canary-typed-by-the-person";
const SUPPLIED = "canary-supplied-by-the-agent";

/** A new service with a key that a person has to give. */
const ASKED = {
  services: [{
    action: "set",
    name: "stripe",
    host: "api.stripe.test",
    auth: { type: "bearer", token: "STRIPE_KEY" },
  }],
  credentials: [{
    key: "STRIPE_KEY",
    description: "restricted to <b>charges</b>",
    obtain: "https://dashboard.stripe.test/apikeys",
  }],
  message: "POST /v1/charges answered 403",
  user_message: "I need it\u202e for <script>alert(1)</script>",
};

/** A key of the vault on its way to another host, and a value of the agent's own. */
const DANGEROUS = {
  services: [{
    action: "set",
    name: "mirror",
    host: "mirror.test",
    auth: { type: "custom", headers: { A: "{{ GITHUB_TOKEN }}", B: "{{ EXTRA }}" } },
  }],
  credentials: [{ key: "EXTRA", value: SUPPLIED }],
};

/** The pages over a real store; time stands still until a test moves it. */
class Scene implements Disposable {
  readonly fake: Fake;
  readonly store: Store;
  readonly clock: { now: number };
  readonly #home: Disposable;

  private constructor(store: Store, { clock, home }: { clock: { now: number }; home: Disposable }) {
    this.store = store;
    this.clock = clock;
    this.#home = home;
    const ports: Partial<ApiPorts> = {
      now: () => clock.now,
      vaults: store.vaults,
      services: store.services,
      credentials: store.credentials,
      proposals: store.proposals,
      revision: () => store.revision(),
    };
    this.fake = createFake(ports);
  }

  static async open(): Promise<Scene> {
    const home = temporaryHome();
    const clock = { now: NOW };
    const store = await Store.create(home.path, { now: () => clock.now });
    store.vaults.create("work");
    store.credentials.set("default", [{ key: "GITHUB_TOKEN", value: new Secret(CANARY) }]);
    store.services.upsert("default", [service({ name: "github", host: "api.github.com" })]);
    return new Scene(store, { clock, home });
  }

  propose(body: unknown = ASKED, vault = "default"): { id: number; link: string } {
    const options = {
      existing: this.store.services.list(vault),
      keys: this.store.credentials.keys(vault),
    };
    const { proposal, token } = this.store.proposals.create(vault, parseProposal(body, options), {
      type: "session",
      name: "s1",
    });
    return { id: proposal.id, link: `/approve/${proposal.id}?token=${token.reveal()}` };
  }

  /** Gets a page; no page holds a value. */
  async page(path: string, options: Parameters<Fake["call"]>[2] & { method?: string } = {}) {
    const { method = "GET", ...rest } = options;
    const answer = await this.fake.call(method, path, {
      ...rest,
      headers: { Accept: "text/html", ...rest.headers },
    });
    const text = await answer.text();
    assert.doesNotMatch(text, /canary-/);
    return { status: answer.status, text, location: answer.headers.get("Location") ?? "" };
  }

  async view(browser: SignedInBrowser, id: number, vault = "default") {
    const path = `${browser.root}/approve/${id}?vault=${vault}`;
    return await this.page(path, { headers: { Cookie: browser.cookie } });
  }

  /** Sends the form that approves as the page has it, with what the test types and changes. */
  async approve(browser: SignedInBrowser, id: number, form: Record<string, string> = {}) {
    const { text } = await this.view(browser, id);
    const digest = /name="digest"\s+value="([^"]*)"/.exec(text)?.[1] ?? "";
    return await this.page(`${browser.root}/approve/${id}/approve`, {
      method: "POST",
      form: { csrf: browser.csrf, vault: "default", digest, ...form },
      headers: { Cookie: browser.cookie },
    });
  }

  async reject(browser: SignedInBrowser, id: number, form: Record<string, string> = {}) {
    return await this.page(`${browser.root}/approve/${id}/reject`, {
      method: "POST",
      form: { csrf: browser.csrf, vault: "default", ...form },
      headers: { Cookie: browser.cookie },
    });
  }

  status(id: number): string {
    return this.store.proposals.get("default", id).status;
  }

  value(key: string): string | undefined {
    return this.store.credentials.keys("default").includes(key)
      ? this.store.credentials.get("default", key).reveal()
      : undefined;
  }

  [Symbol.dispose](): void {
    this.store.close();
    this.#home[Symbol.dispose]();
  }
}

/** What an agent holds that might open the way to a decision. */
const AGENTS_WAYS: [
  name: string,
  headers: (link: string, browser: SignedInBrowser) => Record<string, string>,
][] = [
  ["nothing", () => ({})],
  ["its session's token", () => ({ Authorization: `Bearer ${TOKEN.session}` })],
  ["an agent token", () => ({ Authorization: `Bearer ${TOKEN.agent}` })],
  ["the link's token as bearer", (link) => ({ Authorization: `Bearer ${link.split("=")[1]}` })],
  ["the link's token as cookie", (link) => ({ Cookie: `broker_operator=${link.split("=")[1]}` })],
  ["a forged Host", (_, { cookie }) => ({ Cookie: cookie, Host: "localhost:9999" })],
  ["a forged Origin", (_, { cookie }) => ({ Cookie: cookie, Origin: "http://127.0.0.1:9999" })],
  ["no Origin", (_, { cookie }) => ({ Cookie: cookie, Origin: "" })],
];

for (const [name, headers] of AGENTS_WAYS) {
  Deno.test(`an agent with the link and ${name} cannot decide`, async () => {
    using scene = await Scene.open();
    const { id, link } = scene.propose();
    const browser = await scene.fake.signIn();
    for (const root of ["", browser.root, "/op/AAAAAAAAAAAAAAAAAAAAAA"]) {
      for (const decision of ["approve", "reject"]) {
        const { status } = await scene.page(`${root}/approve/${id}/${decision}`, {
          method: "POST",
          // Even with the form's own secret.
          form: { csrf: browser.csrf, vault: "default", "value.STRIPE_KEY": "x" },
          headers: headers(link, browser),
        });
        assert.ok([401, 403, 404].includes(status), `${root} ${decision} ${status}`);
      }
    }
    assert.equal(scene.status(id), "pending");
  });
}

Deno.test("the cookie at another path, and a form without its CSRF token, do not decide", async () => {
  using scene = await Scene.open();
  const { id } = scene.propose();
  const [one, other] = [await scene.fake.signIn(), await scene.fake.signIn()];
  const crossed = await scene.approve({ ...one, root: other.root }, id, {
    "value.STRIPE_KEY": "x",
  });
  assert.equal(crossed.status, 401);
  for (const csrf of ["", other.csrf]) {
    const { status } = await scene.approve(one, id, { csrf, "value.STRIPE_KEY": "x" });
    assert.equal(status, 403);
  }
  assert.equal(scene.status(id), "pending");
});

Deno.test("a form that was open when its person signed out does not decide", async () => {
  using scene = await Scene.open();
  const { id } = scene.propose();
  const browser = await scene.fake.signIn();
  scene.fake.ports.operators.signOut(browser.path);
  const { status, text } = await scene.approve(browser, id, { "value.STRIPE_KEY": TYPED });
  assert.equal(status, 401);
  assert.match(text, /Sign in/);
  assert.equal(scene.status(id), "pending");
});

Deno.test("the link reads the proposal, says what decides, and has no way to approve", async () => {
  using scene = await Scene.open();
  const { link } = scene.propose();
  const { status, text } = await scene.page(link);
  assert.equal(status, 200);
  for (const part of ["Let the agent use api.stripe.test?", "STRIPE_KEY", "The agent says."]) {
    assert.ok(text.includes(part), part);
  }
  assert.doesNotMatch(text, /name="csrf"|\/op\/|name="value\./);
  assert.match(text, /Sign in to decide/);
  assert.match(text, /broker vault proposal approve 1 --vault default/);
});

Deno.test("what an agent writes is shown as text, hidden characters written out", async () => {
  using scene = await Scene.open();
  const { link } = scene.propose();
  const { text } = await scene.page(link);
  assert.doesNotMatch(text, /<script>alert|<b>charges|\u202e/);
  assert.match(text, /\\u\{202e\} for &lt;script&gt;/);
  assert.match(text, /characters that cannot be seen/);
});

Deno.test("an agent's long text scrolls in a box, so that what would change stays in sight", async () => {
  using scene = await Scene.open();
  for (const text of ["x".repeat(700), "x\ny\n".repeat(10)]) {
    const { link } = scene.propose({ ...ASKED, user_message: text });
    assert.match((await scene.page(link)).text, /<blockquote class="long\s*" tabindex="0"/);
  }
  const { link } = scene.propose({ ...ASKED, user_message: "short" });
  assert.doesNotMatch((await scene.page(link)).text, /blockquote class="long/);
});

const BROKEN_LINKS: [string, (link: string) => string][] = [
  ["without its token", (link) => link.split("?")[0]!],
  ["with a guessed token", (link) => `${link}x`],
  ["with an agent's token", (link) => link.split("=")[0] + `=${TOKEN.session}`],
  ["of another number", (link) => link.replace("/1?", "/2?")],
  ["of no number", (link) => link.replace("/1?", "/%3Cscript%3E?")],
];

for (const [name, change] of BROKEN_LINKS) {
  Deno.test(`a link ${name} opens nothing and tells nothing`, async () => {
    using scene = await Scene.open();
    const { link } = scene.propose();
    scene.propose();
    const { status, text } = await scene.page(change(link));
    assert.equal(status, 403);
    assert.match(text, /This link opens nothing/);
    assert.doesNotMatch(text, /stripe|STRIPE|<script>/);
  });
}

Deno.test("a link ends after a day, and signing in still shows what waits", async () => {
  using scene = await Scene.open();
  const { link } = scene.propose();
  scene.clock.now += 86_400_000;
  assert.equal((await scene.page(link)).status, 403);
  const { root, cookie } = await scene.fake.signIn();
  const { text } = await scene.page(`${root}/`, { headers: { Cookie: cookie } });
  assert.match(text, new RegExp(`href="${root}/approve/1\\?vault=default"`));
});

Deno.test("signing in at a link leads to its proposal, and a broken one to the first page", async () => {
  using scene = await Scene.open();
  const { link } = scene.propose(ASKED, "work");
  const [, token = ""] = link.split("=");
  const secret = scene.fake.signInCode.text.reveal();
  const send = (form: Record<string, string>) =>
    scene.page("/sign-in", { method: "POST", form: { secret, ...form } });
  assert.match(
    (await send({ proposal: "1", link: token })).location,
    /^\/op\/[\w-]{22}\/approve\/1\?vault=work$/,
  );
  const elsewhere = [
    { proposal: "2", link: token },
    { proposal: "1", link: "brk_appr_x" },
    { proposal: "//attacker.test", link: token },
    { proposal: "1", link: "https://attacker.test" },
    { next: "https://attacker.test" },
  ] as Record<string, string>[];
  for (const form of elsewhere) {
    assert.match((await send(form)).location, /^\/op\/[\w-]{22}\/$/, JSON.stringify(form));
  }
});

Deno.test("a wrong code at a link comes back to the same review", async () => {
  using scene = await Scene.open();
  const { link } = scene.propose();
  const { status, text } = await scene.page("/sign-in", {
    method: "POST",
    form: { secret: "no", proposal: "1", link: link.split("=")[1]! },
  });
  assert.equal(status, 403);
  assert.match(text, /That is not it/);
  assert.match(text, /api\.stripe\.test/);
});

Deno.test("a person approves with a value: all of it holds, and the page says so", async () => {
  using scene = await Scene.open();
  const { id } = scene.propose();
  const browser = await scene.fake.signIn();
  const sent = await scene.approve(browser, id, { "value.STRIPE_KEY": TYPED });
  assert.equal(sent.status, 303);
  assert.equal(sent.location, `${browser.root}/approve/${id}?vault=default`);
  const { status, text } = await scene.view(browser, id);
  assert.equal(status, 200);
  assert.match(text, /Approved: the agent can go on/);
  assert.equal(scene.value("STRIPE_KEY"), TYPED);
  assert.ok(scene.store.services.list("default").some(({ name }) => name === "stripe"));
});

Deno.test("the link for a value leads to a secure site that it names, and is told nothing", async () => {
  using scene = await Scene.open();
  const browser = await scene.fake.signIn();
  const obtain = async (url: string) => {
    const { id } = scene.propose({ ...ASKED, credentials: [{ key: "STRIPE_KEY", obtain: url }] });
    const { text } = await scene.view(browser, id);
    scene.store.proposals.reject("default", id, "");
    return /<a\s+href="([^"#/][^"]*)"\s+rel="([^"]*)"[^>]*>([^<]*)<\/a/.exec(text)?.slice(1);
  };
  assert.deepEqual(await obtain("https://dashboard.stripe.test/apikeys"), [
    "https://dashboard.stripe.test/apikeys",
    "noopener noreferrer nofollow",
    "dashboard.stripe.test",
  ]);
  assert.equal(await obtain("http://dashboard.stripe.test/"), undefined);
});

Deno.test("an existing credential for a new host is the first thing on the page, in words", async () => {
  using scene = await Scene.open();
  const { id, link } = scene.propose(DANGEROUS);
  const browser = await scene.fake.signIn();
  for (const { text } of [await scene.page(link), await scene.view(browser, id)]) {
    assert.match(text, /class="alarm"[^]*Danger: a credential of yours would go to a new host/);
    assert.match(text, /GITHUB_TOKEN<\/code>\s+would be sent to\s+<code>mirror\.test/);
    assert.ok(text.indexOf('class="alarm"') < text.indexOf("What would change"));
    assert.match(text, /EXTRA<\/code>\s*<span class="soft">the agent gave the value/);
  }
});

Deno.test("the red part is called after the gravest of its points", async () => {
  using scene = await Scene.open();
  const browser = await scene.fake.signIn();
  const substitutions = [{ key: "GITHUB_TOKEN", placeholder: "__note__", in: ["body"] }];
  const github = { action: "set", name: "github", host: "api.github.com" };
  const auth = { type: "bearer", token: "GITHUB_TOKEN" };
  const rows: [string, unknown][] = [
    ["the agent could read a credential back", {
      services: [{ ...github, auth, substitutions }],
    }],
    ["a stored credential would be replaced", {
      credentials: [{ key: "GITHUB_TOKEN" }],
    }],
    ["a credential of yours would go to a new host", {
      services: [{ ...github, host: "*.github.com", auth, substitutions }],
      credentials: [{ key: "GITHUB_TOKEN" }],
    }],
  ];
  for (const [title, body] of rows) {
    const { id } = scene.propose(body);
    const { text } = await scene.view(browser, id);
    assert.match(text, new RegExp(`<h2 id="alarm">[^<]*${title}`), title);
    scene.store.proposals.reject("default", id, "");
  }
});

Deno.test("a danger is approved only by somebody who ticked that they read it", async () => {
  using scene = await Scene.open();
  const { id } = scene.propose(DANGEROUS);
  const browser = await scene.fake.signIn();
  const refused = await scene.approve(browser, id);
  assert.equal(refused.status, 400);
  assert.match(refused.text, /tick its box/);
  assert.equal(scene.status(id), "pending");
  assert.equal((await scene.approve(browser, id, { understood: "yes" })).status, 303);
  assert.equal(scene.value("EXTRA"), SUPPLIED);
});

Deno.test("a value of the person comes before the agent's own", async () => {
  using scene = await Scene.open();
  const { id } = scene.propose(DANGEROUS);
  const browser = await scene.fake.signIn();
  await scene.approve(browser, id, { understood: "yes", "value.EXTRA": TYPED });
  assert.equal(scene.value("EXTRA"), TYPED);
});

Deno.test("a missing value marks its field, and what was typed elsewhere is kept unseen", async () => {
  using scene = await Scene.open();
  const credentials = [{ key: "STRIPE_KEY" }, { key: "OTHER" }];
  const { id } = scene.propose({ ...ASKED, credentials });
  const browser = await scene.fake.signIn();
  const first = await scene.approve(browser, id, { "value.STRIPE_KEY": TYPED });
  assert.equal(first.status, 400);
  assert.match(first.text, /href="#value-OTHER"/);
  assert.match(first.text, /id="value-OTHER"[^>]*aria-invalid="true"/);
  assert.doesNotMatch(first.text, /id="value-STRIPE_KEY"[^>]*(?:aria-invalid|required)/);
  assert.match(first.text, /Typed before and kept/);
  assert.equal(scene.status(id), "pending");
  const second = await scene.approve(browser, id, { "value.OTHER": "canary-other" });
  assert.equal(second.status, 303);
  assert.deepEqual([scene.value("STRIPE_KEY"), scene.value("OTHER")], [TYPED, "canary-other"]);
});

Deno.test("values are kept for ten minutes, and for the browser that typed them alone", async () => {
  using scene = await Scene.open();
  const credentials = [{ key: "STRIPE_KEY" }, { key: "OTHER" }];
  const { id } = scene.propose({ ...ASKED, credentials });
  const [browser, other] = [await scene.fake.signIn(), await scene.fake.signIn()];
  await scene.approve(browser, id, { "value.STRIPE_KEY": TYPED });
  assert.doesNotMatch((await scene.view(other, id)).text, /Typed before and kept/);
  assert.match((await scene.view(browser, id)).text, /Typed before and kept/);
  scene.clock.now += 10 * 60_000;
  assert.doesNotMatch((await scene.view(browser, id)).text, /Typed before and kept/);
});

Deno.test("a value that no header can carry is refused without being repeated or kept", async () => {
  using scene = await Scene.open();
  const { id } = scene.propose();
  const browser = await scene.fake.signIn();
  const { status, text } = await scene.approve(browser, id, {
    "value.STRIPE_KEY": `${TYPED}\nX-Evil: 1`,
  });
  assert.equal(status, 400);
  assert.match(text, /it holds a line feed/);
  assert.doesNotMatch(text, /X-Evil|Typed before and kept/);
  assert.equal(scene.status(id), "pending");
});

Deno.test("a vault that changed since the page was shown has to be looked at again", async () => {
  using scene = await Scene.open();
  const { id } = scene.propose();
  const browser = await scene.fake.signIn();
  const { text } = await scene.view(browser, id);
  const digest = /name="digest"\s+value="([^"]*)"/.exec(text)![1]!;
  scene.store.services.upsert("default", [service({ name: "stripe", host: "old.stripe.test" })]);
  const late = await scene.approve(browser, id, { digest, "value.STRIPE_KEY": TYPED });
  assert.equal(late.status, 409);
  assert.match(late.text, /The vault changed since you looked: look again/);
  assert.match(late.text, /old\.stripe\.test/);
  assert.match(late.text, /Typed before and kept/);
  assert.equal(scene.status(id), "pending");
  assert.equal((await scene.approve(browser, id)).status, 303);
  assert.equal(scene.value("STRIPE_KEY"), TYPED);
});

Deno.test("a form without the digest of what it showed is not an approval", async () => {
  using scene = await Scene.open();
  const { id } = scene.propose();
  const browser = await scene.fake.signIn();
  const { status } = await scene.approve(browser, id, { digest: "", "value.STRIPE_KEY": TYPED });
  assert.equal(status, 409);
  assert.equal(scene.status(id), "pending");
});

Deno.test("a proposal that does not fit the vault any more can only be rejected", async () => {
  using scene = await Scene.open();
  const { id } = scene.propose({ services: [{ action: "delete", name: "github" }] });
  scene.store.services.remove("default", "github");
  const browser = await scene.fake.signIn();
  const { text } = await scene.view(browser, id);
  assert.match(text, /does not fit the vault any more/);
  assert.doesNotMatch(text, /approve\/1\/approve/);
  assert.equal((await scene.reject(browser, id)).status, 303);
});

Deno.test("rejecting keeps the vault as it is, and the agent can read why", async () => {
  using scene = await Scene.open();
  const { id } = scene.propose();
  const browser = await scene.fake.signIn();
  const sent = await scene.reject(browser, id, { reason: "  Not <now>  " });
  assert.equal(sent.status, 303);
  const { text, status } = await scene.view(browser, id);
  assert.equal(status, 200);
  assert.match(text, /Rejected: nothing was changed[^]*Not &lt;now&gt;/);
  assert.equal(scene.store.proposals.get("default", id).rejectReason, "Not <now>");
  assert.equal(scene.value("STRIPE_KEY"), undefined);
  assert.equal((await scene.reject(browser, id, { reason: "x".repeat(2001) })).status, 400);
});

Deno.test("a second decision changes nothing and says what the first one was", async () => {
  using scene = await Scene.open();
  const [applied, rejected, expired] = [scene.propose(), scene.propose(), scene.propose()];
  const browser = await scene.fake.signIn();
  await scene.approve(browser, applied.id, { "value.STRIPE_KEY": TYPED });
  await scene.reject(browser, rejected.id);
  const again = await scene.approve(browser, applied.id, { "value.STRIPE_KEY": "other" });
  assert.equal(again.status, 409);
  assert.match(again.text, /Approved: the agent can go on[^]*had been decided before you approved/);
  assert.equal(scene.value("STRIPE_KEY"), TYPED);
  const changed = await scene.reject(browser, applied.id);
  assert.equal(changed.status, 409);
  assert.match(changed.text, /Approved: the agent can go on/);
  const revived = await scene.approve(browser, rejected.id, { "value.STRIPE_KEY": "other" });
  assert.equal(revived.status, 409);
  assert.match(revived.text, /Rejected: nothing was changed/);

  assert.equal((await scene.page(applied.link)).status, 200);
  scene.clock.now += 7 * 86_400_000;
  const late = await scene.view(browser, expired.id);
  assert.equal(late.status, 410);
  assert.match(late.text, /Too late: this proposal expired/);
  const tooLate = await scene.approve(browser, expired.id, { "value.STRIPE_KEY": "other" });
  assert.equal(tooLate.status, 409);
});

Deno.test("a number that is no proposal's, and a vault that is none, have a page that says so", async () => {
  using scene = await Scene.open();
  const browser = await scene.fake.signIn();
  scene.propose();
  for (const [id, vault] of [["7", "default"], ["x", "default"], ["1", "nowhere"], ["1", ""]]) {
    const { status, text } = await scene.page(`${browser.root}/approve/${id}?vault=${vault}`, {
      headers: { Cookie: browser.cookie },
    });
    assert.equal(status, 404, `${id} ${vault}`);
    assert.match(text, /<h1>Nothing is here/);
  }
});

Deno.test("each page links to what else waits, in every vault", async () => {
  using scene = await Scene.open();
  const { id } = scene.propose();
  scene.propose(DANGEROUS);
  scene.propose({ ...ASKED, services: [] }, "work");
  const browser = await scene.fake.signIn();
  const { text } = await scene.view(browser, id);
  assert.match(text, /approve\/2\?vault=default"[^>]*>Let the agent use mirror\.test\?</);
  assert.match(text, /approve\/1\?vault=work"[^>]*>Store STRIPE_KEY\?<[^]*of vault work/);
  assert.doesNotMatch(text, /href="[^"]*approve\/1\?vault=default"/);
});
