import assert from "node:assert/strict";
import { SKILL_TEXT } from "../../src/skill/skill.ts";
import { BrokeredHome } from "./brokered_home.ts";

/** What `until` waits for at most; a stopped clock and not a pace. */
const PATIENCE_MS = 60_000;

Deno.test({
  name: "every command of the skill works as it stands, in the order in which it is given",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await using scene = new BrokeredHome();
    await scene.prepare();
    const blocks = [...SKILL_TEXT.matchAll(/```sh\n(.*?)```/gs)].map((match) => match[1]!);
    assert.equal(blocks.length, 6);
    const broker = scene.home.command([]).map((word) => `'${word}'`).join(" ");
    const script = `broker() { ${broker} "$@"; }\n` +
      blocks.map((block, index) => `echo; echo "== ${index}"\n${block}`).join("\n");
    const running = scene.run(["sh", "-ec", script]);
    await approve(scene);
    const { status, stdout, stderr } = await running;
    assert.equal(status, 0, stdout + stderr);
    const answers = stdout.split(/^== \d\n/m).slice(1);
    assert.deepEqual(JSON.parse(answers[0]!), JSON.parse(answers[1]!));
    const [stripe, telegram] = [JSON.parse(answers[2]!), JSON.parse(answers[3]!)];
    assert.deepEqual([stripe.id, stripe.status, telegram.id], [1, "pending", 2]);
    assert.match(stripe.approval_url, /^http:\/\/127\.0\.0\.1:\d+\/approve\/1\?token=/);
    assert.equal(JSON.parse(answers[5]!).status, "applied");
  },
});

async function approve({ home }: BrokeredHome): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
    const { proposals } = await home.json(["vault", "proposal", "list"]);
    if (proposals.length < 2) continue;
    await home.done(["vault", "proposal", "approve", "1", "--yes"], {
      stdin: "STRIPE_KEY=value\n",
    });
    return;
  }
  assert.fail("The proposals never came");
}
