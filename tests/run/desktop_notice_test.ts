import assert from "node:assert/strict";
import { noticeCommand, showNotice } from "../../src/run/desktop_notice.ts";
import { proposalNotice } from "../../src/run/proposal_notice.ts";
import { temporaryDirectory } from "../support/temporary_directory.ts";

const ignore = Deno.build.os === "windows";
const NASTY = { title: "-e evil\x1b[2J", text: '"; do shell script "x" <b>&\u202e' };

Deno.test("no text becomes an option, a script or markup of the notifier", () => {
  assert.deepEqual(noticeCommand(NASTY, "linux"), [
    "notify-send",
    "--app-name=broker",
    "--",
    "-e evil [2J",
    '"; do shell script "x" &lt;b&gt;&amp; ',
  ]);
  const apple = noticeCommand(NASTY, "darwin")!;
  assert.equal(apple[0], "osascript");
  assert.deepEqual(apple.slice(-3), ["--", "-e evil [2J", '"; do shell script "x" <b>& ']);
  assert.ok(!apple.slice(0, -2).join(" ").includes("evil"));
  assert.equal(noticeCommand(NASTY, "windows"), undefined);
});

Deno.test("the notice of a proposal names hosts and keys and none of the agent's words", () => {
  const { title, text } = proposalNotice({
    id: 3,
    vault: "work",
    status: "pending",
    services: [{
      action: "set",
      service: {
        name: "stripe",
        host: "api.stripe.com",
        enabled: true,
        auth: { type: "passthrough" },
        substitutions: [],
      },
    }, { action: "delete", name: "old-one", host: "old.test" }],
    credentials: [
      {
        key: "STRIPE_KEY",
        description: "urgent",
        obtain: "",
        obtainInstructions: "",
        supplied: false,
      },
    ],
    message: "urgent",
    userMessage: "urgent",
    proposer: { type: "agent", name: "urgent" },
    createdAt: 0,
    expiresAt: 0,
    reviewedAt: undefined,
    rejectReason: undefined,
  });
  assert.equal(title, "An agent asks for access (vault work)");
  assert.equal(
    text,
    "Proposal 3: api.stripe.com, delete old-one and 1 more. " +
      "To decide: broker vault proposal approve 3 --vault work",
  );
});

Deno.test({
  name: "a notice reaches the notifier of the PATH as two arguments",
  ignore: ignore || Deno.build.os === "darwin",
  async fn() {
    await using directory = await temporaryDirectory();
    const path = directory.join("notify-send");
    const seen = directory.join("seen");
    await Deno.writeTextFile(path, `#!/bin/sh\nprintf '%s\\n' "$@" > '${seen}'\n`);
    await Deno.chmod(path, 0o755);
    const environment = { PATH: `${directory.path}:/usr/bin:/bin` };
    await showNotice({ title: "One", text: "two $(x)" }, { os: "linux", environment });
    assert.equal(await Deno.readTextFile(seen), "--app-name=broker\n--\nOne\ntwo $(x)\n");
  },
});

Deno.test({
  name: "a notifier that is absent, fails or prints disturbs nobody",
  ignore,
  async fn() {
    await using directory = await temporaryDirectory();
    const environment = { PATH: directory.path };
    await showNotice({ title: "a", text: "b" }, { os: "linux", environment });
    const path = directory.join("notify-send");
    await Deno.writeTextFile(path, "#!/bin/sh\necho noise; echo noise >&2; exit 3\n");
    await Deno.chmod(path, 0o755);
    await showNotice({ title: "a", text: "b" }, { os: "linux", environment });
  },
});
