import assert from "node:assert/strict";
import { TestHome } from "./test_home.ts";

const ADD = ["vault", "service", "add"];

Deno.test("catalog needs no data directory and creates none", async () => {
  using home = new TestHome();
  const { stdout } = await home.done(["catalog"]);
  assert.match(stdout, /^anthropic +Anthropic +api\.anthropic\.com/m);
  const { entries } = await home.json(["catalog"]);
  assert(entries.length >= 40);
  assert.throws(() => Deno.statSync(home.directory), Deno.errors.NotFound);
});

Deno.test("catalog shows a single hit with its YAML and the commands to type", async () => {
  using home = new TestHome();
  const { stdout } = await home.done(["catalog", "github"]);
  for (
    const line of [
      "broker vault service add --from github",
      "printf x-access-token | broker vault credential set GITHUB_GIT_USER",
      "broker vault credential set GITHUB_TOKEN",
    ]
  ) assert(stdout.split("\n").includes(line), line);
  const yaml = /^services:\n(?: .*\n)+/m.exec(stdout)![0];
  await home.done([...ADD, "-f", home.file("s.yaml", yaml)]);
  await home.shell("printf x-access-token | broker vault credential set GITHUB_GIT_USER");
  const kept = await home.done(["vault", "credential", "get", "GITHUB_GIT_USER"]);
  assert.equal(kept.stdout.trim(), "x-access-token");
});

Deno.test("a catalog search without a hit fails and says where to look", async () => {
  using home = new TestHome();
  const { status, stdout, stderr } = await home.broker(["catalog", "no-such-thing"]);
  assert.equal(status, 1);
  assert.equal(stdout, "");
  assert.match(stderr, /hint: to see all of it: broker catalog/);
});

Deno.test("service add --from adds all services of an entry and names the missing keys", async () => {
  using home = new TestHome();
  const { stderr } = await home.done([...ADD, "--from", "github"]);
  assert.match(stderr, /stored github, github-git in vault "default"/);
  assert.match(stderr, /broker vault credential set GITHUB_TOKEN GITHUB_GIT_USER/);
  await home.done([...ADD, "--from", "jira", "--set", "site=acme"]);
  const { services } = await home.json(["vault", "service", "list"]);
  assert.deepEqual(services.map(({ host }: { host: string }) => host), [
    "api.github.com",
    "github.com",
    "acme.atlassian.net",
  ]);
});

Deno.test("service add --from says what to type when it is called wrongly, and changes nothing", async () => {
  using home = new TestHome();
  for (
    const [args, status, text] of [
      [["--from", "gihub"], 1, /did you mean "github"/],
      [["--from", "jira"], 1, /--from jira --set site=example/],
      [["--from", "jira", "--set", "site=a/b"], 1, /"a\/b" is no part of a host name/],
      [["--from", "github", "--set", "site=a"], 1, /There is no such parameter/],
      [["--from", "jira", "--set", "site"], 2, /--set site=example/],
      [["--set", "site=a"], 2, /broker catalog/],
      [["--from", "github", "--name", "own"], 2, /with nothing else/],
    ] as const
  ) {
    const finished = await home.broker([...ADD, ...args]);
    assert.equal(finished.status, status, args.join(" "));
    assert.match(finished.stderr, text);
  }
  assert.deepEqual((await home.json(["vault", "service", "list"])).services, []);
});
