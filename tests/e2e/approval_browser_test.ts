/**
 * The loop that the product is for, with nothing faked: an agent under `vault run` meets a closed door,
 * asks and waits; a person decides in a real browser; the agent's retry goes through.
 */
import assert from "node:assert/strict";
import { browserTest } from "../support/browser.ts";
import { type RunningProcess, startProcess } from "../support/run_process.ts";
import { BrokeredHome } from "./brokered_home.ts";

const PASSPHRASE = "canary-horse-battery";
const KEY = "canary-typed-in-the-browser";

const PROPOSAL = JSON.stringify({
  services: [{
    action: "set",
    name: "api",
    host: "api.test",
    auth: { type: "bearer", token: "API_KEY" },
  }],
  credentials: [{ key: "API_KEY", description: "Any key of the test" }],
  user_message: "I have to read /x.",
});

/** What an agent does: try, ask, show the link, wait, try again. */
function agent(url: string): string {
  return `
    request() { curl -sS -o /dev/null -w '%{http_code}' ${url}/x; }
    api() { curl -sS -H "Authorization: Bearer $BROKER_TOKEN" "$@"; }
    echo "first: $(request)"
    proposal=$(api -H 'Content-Type: application/json' -d '${PROPOSAL}' "$BROKER_ADDR/v1/proposals")
    echo "link: $(printf %s "$proposal" | sed -E 's/.*"approval_url": *"([^"]*)".*/\\1/')"
    decided=$(api "$BROKER_ADDR/v1/proposals/1?wait=60")
    echo "status: $(printf %s "$decided" | sed -E 's/.*"status": *"([^"]*)".*/\\1/')"
    echo "second: $(request)"
    env
    echo end`;
}

/** A home that denies what no service names. */
async function prepare(scene: BrokeredHome, env: Record<string, string>): Promise<void> {
  const deny = ["vault", "settings", "set", "unmatched_host_policy", "deny"];
  await scene.home.done(deny, { env });
}

async function lineOf(child: RunningProcess, name: string): Promise<string> {
  return (await child.waitFor(new RegExp(`^${name}: (.*?)\\r?$`, "m")))[1]!;
}

browserTest(
  "a person approves in the browser and the agent's own retry gets through",
  async ({ page, complaints }) => {
    await using scene = new BrokeredHome();
    const env = { ...scene.env, BROKER_PASSPHRASE: PASSPHRASE };
    await prepare(scene, env);
    await using child = scene.home.start(["vault", "run", "--", "sh", "-c", agent(scene.url)], {
      env,
    });
    assert.equal(await lineOf(child, "first"), "403");

    await page.goto(await lineOf(child, "link"));
    await page.getByRole("heading", { name: "Let the agent use api.test?" }).waitFor();
    await page.getByText("I have to read /x.").waitFor();
    await page.getByLabel("Passphrase").fill(PASSPHRASE);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("API_KEY").fill(KEY);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "Approved: the agent can go on" }).waitFor();

    assert.equal(await lineOf(child, "status"), "applied");
    assert.equal(await lineOf(child, "second"), "200");
    const { stdout, stderr } = await child.finished();
    assert.deepEqual(scene.upstream.requests.map((seen) => seen.values("authorization")), [[
      `Bearer ${KEY}`,
    ]]);
    assert.doesNotMatch(stdout + stderr, /canary/);
    assert.deepEqual(complaints, []);
  },
);

browserTest(
  "without a passphrase the code on the terminal signs in, and the agent reads a rejection",
  async ({ page }) => {
    await using scene = new BrokeredHome();
    await prepare(scene, scene.env);
    const run = scene.home.command(["vault", "run", "--", "sh", "-c", agent(scene.url)]);
    const { PATH = "", HOME = "" } = Deno.env.toObject();
    // A terminal, because only there is a code shown.
    await using child = startProcess(
      "python3",
      ["-c", "import pty, sys; pty.spawn(sys.argv[1:])", ...run],
      {
        clearEnv: true,
        env: { ...scene.env, PATH, HOME, TERM: "xterm", BROKER_HOME: scene.home.directory },
      },
    );
    const [, code = ""] = await child.waitFor(/sign-in code ([0-9A-Z-]{11})\)/);
    await page.goto(await lineOf(child, "link"));
    await page.getByLabel("Code").fill(code.toLowerCase());
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Reject …").click();
    await page.getByLabel("Reason").fill("Not today");
    await page.getByRole("button", { name: "Reject" }).click();
    await page.getByRole("heading", { name: "Rejected: nothing was changed" }).waitFor();
    assert.equal(await lineOf(child, "status"), "rejected");
    assert.equal(await lineOf(child, "second"), "403");
    await child.waitFor(/^end/m);
    assert.equal(child.stdout.split(code).length, 2, "the code is nowhere but on the terminal");
    assert.equal(scene.upstream.requests.length, 0);
  },
);
