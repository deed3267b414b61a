/** A real Chromium for tests of the pages: one launch a file, and a profile of its own for each test. */
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

/** Names under which systems install it; the last one may be no more than an advice to install it. */
const NAMES = ["chromium", "google-chrome-stable", "google-chrome", "chromium-browser"];

const PATH = findChromium();

let browser: Browser | undefined;

/** What a test gets. */
export interface Person {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the page complained about: refused scripts, faults of its own. */
  readonly complaints: readonly string[];
}

/** How a test's browser is set up. */
export interface BrowserTestOptions {
  readonly javaScript?: boolean;
  readonly width?: number;
}

/** Adds a test with a page in a browser; it reports itself ignored where there is no Chromium. */
export function browserTest(
  name: string,
  work: (person: Person) => Promise<void>,
  { javaScript = true, width = 1100 }: BrowserTestOptions = {},
): void {
  Deno.test({
    name,
    ignore: PATH === undefined,
    // The browser's pipes are open from the first test of a file to its last.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      browser ??= await launch();
      const context = await browser.newContext({
        javaScriptEnabled: javaScript,
        viewport: { width, height: 800 },
      });
      context.setDefaultTimeout(30_000);
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => {
        // Chromium reports each refused request itself; that is what such tests are about.
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
          complaints.push(message.text());
        }
      });
      try {
        await work({ page, context, complaints });
      } finally {
        await context.close();
      }
    },
  });
}

Deno.test.afterAll(async () => {
  await browser?.close();
  browser = undefined;
});

async function launch(): Promise<Browser> {
  return await chromium.launch({
    executablePath: PATH!,
    // It shows the program's own pages only, and has no sandbox to offer to root or in a container.
    chromiumSandbox: false,
    // The test's own proxy settings must not come between the browser and loopback.
    env: withoutProxies(),
  });
}

function withoutProxies(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Deno.env.toObject()).filter(([name]) => !/_proxy$/i.test(name)),
  );
}

function findChromium(): string | undefined {
  for (const directory of (Deno.env.get("PATH") ?? "").split(":")) {
    for (const name of NAMES) {
      try {
        if (Deno.statSync(`${directory}/${name}`).isFile) return `${directory}/${name}`;
      } catch {
        // Not here.
      }
    }
  }
  return undefined;
}
