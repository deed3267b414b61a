import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { parseProposal } from "../../src/model/proposal_schema.ts";
import { Secret } from "../../src/model/secret.ts";
import { Store } from "../../src/store/store.ts";
import { service } from "../api/fake_ports.ts";
import { temporaryHome } from "../store/temporary_home.ts";
import { browserTest } from "../support/browser.ts";
import { contrastFaults, namelessControls } from "./page_checks.ts";
import { Site } from "./site.ts";

const ASKED = {
  services: [{
    action: "set",
    name: "stripe",
    host: "api.stripe.test",
    auth: { type: "bearer", token: "STRIPE_KEY" },
  }],
  credentials: [{ key: "STRIPE_KEY", description: "restricted", obtain: "https://stripe.test/" }],
  user_message: "I need it",
};

/** A key of the vault for another host, beside a key that is missing. */
const DANGEROUS = {
  ...ASKED,
  services: [
    ...ASKED.services,
    {
      action: "set",
      name: "github",
      host: "*.mirror.test",
      auth: { type: "bearer", token: "GITHUB_TOKEN" },
    },
  ],
};

/** The pages over a real store. */
class Scene implements AsyncDisposable {
  readonly site: Site;
  readonly store: Store;
  readonly clock: { now: number };
  readonly #home: Disposable;

  private constructor(store: Store, { clock, home }: { clock: { now: number }; home: Disposable }) {
    this.store = store;
    this.clock = clock;
    this.#home = home;
    this.site = new Site({
      now: () => clock.now,
      vaults: store.vaults,
      services: store.services,
      credentials: store.credentials,
      proposals: store.proposals,
      revision: () => store.revision(),
    });
  }

  static async open(): Promise<Scene> {
    const home = temporaryHome();
    const clock = { now: Date.now() };
    const store = await Store.create(home.path, { now: () => clock.now });
    store.credentials.set("default", [{ key: "GITHUB_TOKEN", value: new Secret("canary") }]);
    store.services.upsert("default", [service({ name: "github", host: "api.github.com" })]);
    return new Scene(store, { clock, home });
  }

  /** Makes a proposal and gives its link. */
  propose(body: unknown = ASKED): string {
    const options = {
      existing: this.store.services.list("default"),
      keys: this.store.credentials.keys("default"),
    };
    const { proposal, token } = this.store.proposals.create(
      "default",
      parseProposal(body, options),
      { type: "session", name: "s1" },
    );
    return `${this.site.url}/approve/${proposal.id}?token=${token.reveal()}`;
  }

  /** Opens a link and signs in there. */
  async signIn(page: Page, link: string): Promise<void> {
    await page.goto(link);
    await page.getByLabel("Code").fill(this.site.fake.signInCode.text.reveal());
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/op\/[\w-]{22}\/approve\//);
  }

  status(id = 1): string {
    return this.store.proposals.get("default", id).status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.site[Symbol.asyncDispose]();
    this.store.close();
    this.#home[Symbol.dispose]();
  }
}

browserTest(
  "a missing value is asked for before anything is sent, the danger's tick too",
  async ({ page }) => {
    await using scene = await Scene.open();
    await scene.signIn(page, scene.propose(DANGEROUS));
    const approve = page.getByRole("button", { name: "Approve in spite of the danger" });
    await approve.click();
    assert.equal(await page.evaluate("document.activeElement.id"), "value-STRIPE_KEY");
    await page.getByLabel("STRIPE_KEY").fill("typed");
    await approve.click();
    assert.equal(await page.evaluate("document.activeElement.name"), "understood");
    assert.equal(scene.status(), "pending");
    await page.getByLabel("I have read the red part").check();
    await approve.click();
    await page.getByRole("heading", { name: "Approved" }).waitFor();
    assert.equal(scene.store.credentials.get("default", "STRIPE_KEY").reveal(), "typed");
  },
);

browserTest(
  "a vault that changed is shown anew, and what was typed need not be typed again",
  async ({ page, complaints }) => {
    await using scene = await Scene.open();
    await scene.signIn(page, scene.propose());
    scene.store.services.upsert("default", [service({ name: "stripe", host: "old.stripe.test" })]);
    await page.getByLabel("STRIPE_KEY").fill("typed");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("The vault changed since you looked").waitFor();
    assert.equal(await page.evaluate("document.activeElement.id"), "problem");
    await page.getByText("old.stripe.test").first().waitFor();
    assert.equal(await page.getByLabel("STRIPE_KEY").inputValue(), "");
    assert.equal(scene.status(), "pending");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "Approved" }).waitFor();
    assert.equal(scene.store.credentials.get("default", "STRIPE_KEY").reveal(), "typed");
    assert.deepEqual(complaints, []);
  },
);

browserTest(
  "two windows: the second approval changes nothing and says so",
  async ({ page, context }) => {
    await using scene = await Scene.open();
    const link = scene.propose();
    await scene.signIn(page, link);
    const other = await context.newPage();
    // The browser is signed in already, so the link leads on by itself.
    await other.goto(link);
    await other.waitForURL(/\/op\/[\w-]{22}\/approve\/1/);
    for (const [window, value] of [[page, "first"], [other, "second"]] as const) {
      await window.getByLabel("STRIPE_KEY").fill(value);
      await window.getByRole("button", { name: "Approve" }).click();
      await window.getByRole("heading", { name: "Approved" }).waitFor();
    }
    await other.getByText("it had been decided before you approved it").waitFor();
    assert.equal(scene.store.credentials.get("default", "STRIPE_KEY").reveal(), "first");
  },
);

browserTest(
  "an open page says that the vault changed, and that somebody else decided",
  async ({ page, complaints }) => {
    await using scene = await Scene.open();
    await scene.signIn(page, scene.propose());
    const stale = page.locator("#stale");
    await page.getByLabel("STRIPE_KEY").fill("typed");
    scene.propose(DANGEROUS);
    await page.getByRole("link", { name: /change the service github/ }).waitFor();
    assert.equal(await stale.isVisible(), false, "another proposal changes nothing here");
    scene.store.services.upsert("default", [service({ name: "stripe", host: "old.stripe.test" })]);
    await stale.filter({ hasText: "The vault changed since this page came" }).waitFor();
    assert.equal(await page.getByLabel("STRIPE_KEY").inputValue(), "typed");
    scene.store.proposals.reject("default", 1, "");
    await stale.filter({ hasText: "decided in another window or terminal" }).waitFor();
    assert.deepEqual(complaints, []);
  },
);

browserTest(
  "a proposal that expired while its page was open cannot be approved",
  async ({ page }) => {
    await using scene = await Scene.open();
    await scene.signIn(page, scene.propose());
    await page.getByLabel("STRIPE_KEY").fill("typed");
    scene.clock.now += 7 * 86_400_000;
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "Too late: this proposal expired" }).waitFor();
    assert.deepEqual(scene.store.credentials.keys("default"), ["GITHUB_TOKEN"]);
  },
);

browserTest(
  "a page under another name for this machine is refused with a page that says why",
  async ({ page }) => {
    await using scene = await Scene.open();
    const link = scene.propose();
    const answer = await page.goto(link.replace("127.0.0.1", "rebound.localhost"));
    assert.equal(answer?.status(), 403);
    await page.getByText("it does not name this listener").waitFor();
    assert.equal(await page.getByText("stripe").count(), 0);
  },
);

browserTest(
  "a program on another port gets no cookie, cannot frame the page, and its form is refused",
  async ({ page }) => {
    await using scene = await Scene.open();
    const link = scene.propose();
    await scene.signIn(page, link);
    const own = new URL(page.url());
    const csrf = await page.locator("input[name=csrf]").first().inputValue();
    const digest = await page.locator("input[name=digest]").inputValue();
    const action = `${own.origin}${own.pathname}/approve`;
    const cookies: (string | null)[] = [];
    const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    const attacker = Deno.serve(options, (request) => {
      cookies.push(request.headers.get("Cookie"));
      return new Response(
        `<iframe src="${link}"></iframe><form method="post" action="${action}">
        <input name="csrf" value="${csrf}"><input name="digest" value="${digest}">
        <input name="vault" value="default"><input name="value.STRIPE_KEY" value="theirs">
        <button>Free coins</button></form>`,
        { headers: { "Content-Type": "text/html" } },
      );
    });
    try {
      // Even the path is known to it here.
      await page.goto(`http://127.0.0.1:${attacker.addr.port}${own.pathname}`);
      assert.deepEqual(
        page.frames().slice(1).map((frame) => frame.url()),
        ["chrome-error://chromewebdata/"],
      );
      const [answer] = await Promise.all([
        page.waitForResponse((response) => response.url() === action),
        page.getByRole("button", { name: "Free coins" }).click(),
      ]);
      assert.equal(answer.status(), 403);
      await page.getByText("it names another site").waitFor();
    } finally {
      await attacker.shutdown();
    }
    // Without the path, nothing; with it, the browser would send the cookie, and the Origin stands.
    assert.equal(scene.status(), "pending");
    const elsewhere = Deno.serve(options, (request) => {
      cookies.push(request.headers.get("Cookie"));
      return new Response("seen");
    });
    try {
      cookies.length = 0;
      await page.goto(`http://127.0.0.1:${elsewhere.addr.port}/approve/1`);
      assert.deepEqual(cookies.filter((cookie) => cookie !== null), []);
    } finally {
      await elsewhere.shutdown();
    }
  },
);

browserTest(
  "a link in a chat on another site leads to the page, signed in or not",
  async ({ page, context }) => {
    await using scene = await Scene.open();
    const link = scene.propose();
    const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    const chat = Deno.serve(options, () =>
      new Response(`<a href="${link}">Please approve</a>`, {
        headers: { "Content-Type": "text/html" },
      }));
    try {
      const follow = async (window: Page) => {
        await window.goto(`http://chat.localhost:${chat.addr.port}/`);
        await window.getByText("Please approve").click();
      };
      await follow(page);
      await page.getByLabel("Code").fill(scene.site.fake.signInCode.text.reveal());
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByLabel("STRIPE_KEY").waitFor();
      const other = await context.newPage();
      await follow(other);
      await other.getByLabel("STRIPE_KEY").fill("typed");
      await other.getByRole("button", { name: "Approve" }).click();
      await other.getByRole("heading", { name: "Approved" }).waitFor();
    } finally {
      await chat.shutdown();
    }
  },
);

browserTest(
  "with the keyboard alone one signs in, types the value and approves",
  async ({ page }) => {
    await using scene = await Scene.open();
    await scene.signIn(page, scene.propose());
    const reach = async (selector: string) => {
      for (let count = 0; count < 30; count++) {
        await page.keyboard.press("Tab");
        if (await page.locator(`${selector}:focus`).count() === 1) return;
      }
      assert.fail(`Tab never reaches ${selector}`);
    };
    await page.keyboard.press("Tab");
    assert.equal(await page.locator(".skip:focus").innerText(), "Skip to the content");
    await reach("#value-STRIPE_KEY");
    await page.keyboard.type("typed");
    await reach("form button.primary");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Approved" }).waitFor();
  },
);

browserTest(
  "without JavaScript and on a phone one signs in, types the value and approves",
  async ({ page }) => {
    await using scene = await Scene.open();
    await scene.signIn(page, scene.propose(DANGEROUS));
    const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assert.equal(await page.evaluate(overflow), 0);
    await page.getByLabel("STRIPE_KEY").fill("typed");
    await page.getByLabel("I have read the red part").check();
    await page.getByRole("button", { name: "Approve in spite of the danger" }).click();
    await page.getByRole("heading", { name: "Approved" }).waitFor();
    assert.equal(scene.status(), "applied");
  },
  { javaScript: false, width: 360 },
);

for (const colorScheme of ["light", "dark"] as const) {
  browserTest(
    `in ${colorScheme} colours all text has contrast, and every control a name`,
    async ({ page }) => {
      await using scene = await Scene.open();
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const link = scene.propose(DANGEROUS);
      scene.propose();
      const check = async (where: string) => {
        // The style has arrived by then.
        await page.waitForLoadState("load");
        assert.deepEqual(await page.evaluate(contrastFaults), [], where);
        assert.deepEqual(await page.evaluate(namelessControls), [], where);
        assert.equal(await page.locator("h1").count(), 1, where);
        assert.equal(await page.locator("main").count(), 1, where);
      };
      await page.goto(`${scene.site.url}/approve/1`);
      await check("a broken link");
      await page.goto(link);
      await check("the link");
      await page.getByLabel("Code").fill("wrong");
      await page.keyboard.press("Enter");
      await page.getByText("That is not it").waitFor();
      await check("a wrong code");
      await scene.signIn(page, link);
      await check("the decision");
      await page.getByText("Reject …").click();
      await check("the rejection");
      scene.site.request({ errorCode: "forbidden", status: 403 });
      await page.getByRole("link", { name: "Traffic" }).click();
      await page.locator("tr.failed").waitFor();
      await check("the traffic");
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "You are signed out" }).waitFor();
      await check("after signing out");
    },
  );
}
