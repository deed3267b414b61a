import assert from "node:assert/strict";
import { browserTest } from "../support/browser.ts";
import { Site } from "./site.ts";

browserTest(
  "requests appear while the page is open, and the filter chooses among them",
  async ({ page, complaints }) => {
    await using site = new Site();
    site.request({ path: "/before" });
    await site.signIn(page);
    const rows = page.locator("#requests tbody tr");
    await rows.filter({ hasText: "/before" }).waitFor();
    site.request({ status: 403, errorCode: "service_disabled", path: "/<b>refused</b>" });
    await rows.filter({ hasText: "/<b>refused</b>" }).waitFor();
    assert.equal(await rows.count(), 2);
    await page.locator("[data-count=failed]").filter({ hasText: "1" }).waitFor();
    await page.locator('[data-count="service:github"]').filter({ hasText: "2 requests, 1 failed" })
      .waitFor();
    assert.match(await page.locator('[data-plot="all"] .bars').getAttribute("d") ?? "", /^M.*z$/);

    await page.getByLabel("Search").fill("service_dis");
    assert.equal(await rows.count(), 1);
    await page.getByLabel("Outcome").selectOption("2xx");
    assert.equal(await rows.count(), 0);
    await page.getByText("No request fits the filter.").waitFor();
    await page.getByLabel("Search").fill("");
    assert.equal(await rows.count(), 1);
    assert.deepEqual(complaints, []);
  },
);

browserTest(
  "a thousand rows a second leave the page alive: its table stays small and answers",
  async ({ page, complaints }) => {
    await using site = new Site();
    await site.signIn(page);
    const flood = setInterval(() => {
      for (let count = 0; count < 100; count++) site.request();
    }, 100);
    try {
      const total = page.locator("[data-count=total]");
      await total.filter({ hasText: /^[2-9],\d{3}$/ }).waitFor();
      assert.ok(await page.locator("#requests tbody tr").count() <= 500);
      // Typed and answered while rows keep coming.
      await page.getByLabel("Search").fill("/repos/1999");
      await page.waitForFunction("document.querySelectorAll('#requests tbody tr').length === 1");
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByLabel("Search").fill("");
      await page.getByRole("button", { name: /^Resume \([\d,]+ new\)$/ }).waitFor();
    } finally {
      clearInterval(flood);
    }
    assert.deepEqual(complaints, []);
  },
);

browserTest(
  "a switch turns a service off without leaving the page",
  async ({ page, complaints }) => {
    await using site = new Site();
    await site.signIn(page);
    await page.locator("#stream-status").filter({ hasText: "Live" }).waitFor();
    await page.getByRole("button", { name: "Turn off github" }).click();
    await page.getByRole("button", { name: "Turn on github" }).waitFor();
    assert.equal(site.fake.services.get("default")![0]!.enabled, false);
    // Changed by another program.
    site.fake.ports.services.setEnabled("default", "github", true);
    site.revision++;
    await page.getByRole("button", { name: "Turn off github" }).waitFor();
    assert.deepEqual(complaints, []);
  },
);

browserTest(
  "the page says that it is signed out when another window signs out",
  async ({ page, context }) => {
    await using site = new Site();
    await site.signIn(page);
    await page.locator("#stream-status").filter({ hasText: "Live" }).waitFor();
    const other = await context.newPage();
    await other.goto(`${site.url}/`);
    await other.waitForURL(/\/op\//);
    await other.getByRole("button", { name: "Sign out" }).click();
    await other.getByRole("heading", { name: "You are signed out" }).waitFor();
    await page.locator("#stream-status").filter({ hasText: "Signed out" }).waitFor();
    await page.goto(`${site.url}/`);
    await page.getByLabel("Code").waitFor();
  },
);

browserTest("the page connects again by itself and misses nothing", async ({ page }) => {
  await using site = new Site();
  await site.signIn(page);
  const rows = page.locator("#requests tbody tr");
  site.request({ path: "/one" });
  await rows.filter({ hasText: "/one" }).waitFor();
  await site.interrupt(async () => {
    await page.locator("#stream-status").filter({ hasText: "Connecting again" }).waitFor();
    site.request({ path: "/two" });
  });
  await rows.filter({ hasText: "/two" }).waitFor();
  await page.locator("#stream-status").filter({ hasText: "Live" }).waitFor();
  assert.equal(await rows.count(), 2);
});

browserTest(
  "without JavaScript one signs in, sees requests and switches a service",
  async ({ page }) => {
    await using site = new Site();
    site.request({ path: "/before" });
    await site.signIn(page);
    await page.getByText("/before").waitFor();
    assert.equal(await page.locator("#filter").isVisible(), false);
    await page.getByRole("button", { name: "Turn off github" }).click();
    await page.getByRole("button", { name: "Turn on github" }).waitFor();
    assert.equal(site.fake.services.get("default")![0]!.enabled, false);
  },
  { javaScript: false, width: 360 },
);

browserTest("no page is wider than a phone", async ({ page }) => {
  await using site = new Site();
  site.request({ path: `/${"long".repeat(100)}`, errorCode: "credential_not_found", status: 502 });
  const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  await page.goto(`${site.url}/`);
  assert.equal(await page.evaluate(overflow), 0);
  await site.signIn(page);
  await page.locator("#requests tbody tr").waitFor();
  assert.equal(await page.evaluate(overflow), 0);
}, { width: 360 });
