import assert from "node:assert/strict";
import { testAuthority } from "../support/tls_fixture.ts";
import { BrokeredHome, SECRET } from "./brokered_home.ts";

/** A child that makes a request for each line of its input and prints the status and the body. */
const REQUESTER = `
  const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream()).getReader();
  console.log("ready");
  for (let text = ""; ;) {
    const { value, done } = await lines.read();
    if (done) break;
    text += value;
    for (let at; (at = text.indexOf("\\n")) !== -1; text = text.slice(at + 1)) {
      const answer = await fetch(text.slice(0, at));
      console.log(answer.status, (await answer.text()).replaceAll("\\n", " "));
    }
  }`;

Deno.test("a change in another process holds from a running child's next request on", async () => {
  await using scene = new BrokeredHome();
  await scene.prepare();
  const { home, url, env } = scene;
  const change = async (...args: string[]) => void await home.done(["vault", "service", ...args]);
  const [program = "", ...args] = home.command(["vault", "run", "--quiet", "--"]);
  const child = new Deno.Command(program, {
    args: [...args, Deno.execPath(), "eval", REQUESTER],
    env: { ...env, BROKER_HOME: home.directory },
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const input = child.stdin.getWriter();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const nextLine = async (): Promise<string> => {
    while (!text.includes("\n")) {
      const { value, done } = await output.read();
      if (done) throw new Error("The child ended");
      text += value;
    }
    const line = text.slice(0, text.indexOf("\n"));
    text = text.slice(line.length + 1);
    return line;
  };
  const request = async () => {
    await input.write(new TextEncoder().encode(`${url}/x\n`));
    return await nextLine();
  };
  assert.equal(await nextLine(), "ready");
  assert.match(await request(), /^200 /);
  await change("disable", "api");
  assert.match(await request(), /^403 .*service_disabled/);
  await change("enable", "api");
  assert.match(await request(), /^200 /);
  await home.done(["vault", "credential", "delete", "API_KEY"]);
  assert.match(await request(), /^502 .*credential_not_found.*API_KEY/);
  await home.done(["vault", "credential", "set", "API_KEY"], { stdin: "second-value-of-it" });
  assert.match(await request(), /^200 /);
  await change("clear", "--yes");
  assert.match(await request(), /^403 .*no_services/);
  await input.close();
  await output.cancel();
  assert.equal((await child.status).code, 0);
  assert.deepEqual(scene.upstream.requests.map((seen) => seen.values("authorization")), [
    [`Bearer ${SECRET}`],
    [`Bearer ${SECRET}`],
    ["Bearer second-value-of-it"],
  ]);
});

Deno.test("two runs at once on one home work side by side, each with a session of its own", async () => {
  await using scene = new BrokeredHome();
  await scene.prepare();
  const script = `echo "$BROKER_TOKEN"; curl -sS --fail ${scene.url}/x`;
  const runs = await Promise.all([1, 2, 3].map(() => scene.run(["sh", "-c", script])));
  for (const { status, stdout, stderr } of runs) {
    assert.equal(status, 0, stderr);
    assert.ok(stdout.endsWith("ok"));
  }
  assert.equal(new Set(runs.map(({ stdout }) => stdout.split("\n")[0])).size, 3);
  assert.equal(scene.upstream.requests.length, 3);
});

Deno.test("a session is over when its run is: another broker on the home refuses its token", async () => {
  await using scene = new BrokeredHome();
  await scene.prepare();
  const first = await scene.run(["sh", "-c", 'echo "$BROKER_TOKEN"']);
  const token = first.stdout.trim();
  assert.match(token, /^brk_sess_/);
  const { stdout } = await scene.run([
    "sh",
    "-c",
    `curl -sS -o /dev/null -w '%{http_connect}' -x "http://${token}:default@\${HTTPS_PROXY##*@}" ${scene.url}/; true`,
  ]);
  assert.equal(stdout, "407");
  assert.equal(scene.upstream.accepted, 0);
});

Deno.test("an unmatched host passes through untouched: the child sees the upstream's own certificate", async () => {
  await using scene = new BrokeredHome();
  await scene.prepare();
  await scene.home.done(["vault", "service", "remove", "api", "--yes"]);
  const caFile = scene.home.file("other-ca.pem", testAuthority().certificatePem);
  const { status, stderr } = await scene.run(
    ["curl", "-sS", "--fail", "--cacert", caFile, "-H", "Authorization: mine", `${scene.url}/x`],
  );
  assert.equal(status, 0, stderr);
  assert.deepEqual(scene.upstream.requests[0]!.values("authorization"), ["mine"]);
});

Deno.test("a vault that denies unmatched hosts shows the agent what to ask for", async () => {
  await using scene = new BrokeredHome();
  await scene.prepare();
  await scene.home.done(["vault", "settings", "set", "unmatched_host_policy", "deny"]);
  const { stdout } = await scene.run(
    ["curl", "-sS", `https://other.test:${scene.upstream.port}/`],
  );
  const answer = JSON.parse(stdout);
  assert.equal(answer.error, "forbidden");
  assert.equal(answer.proposal_hint.host, "other.test");
  assert.equal(answer.proposal_hint.endpoint, "POST /v1/proposals");
});
