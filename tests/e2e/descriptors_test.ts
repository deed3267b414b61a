/** What is left when the broker has no file descriptor left. */
import assert from "node:assert/strict";
import { TestHome } from "../cli/test_home.ts";
import { rawResponse, startUpstream } from "../support/upstream.ts";

Deno.test({
  name:
    "more requests than file descriptors: some are refused with the reason, and nothing else breaks",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    using home = new TestHome();
    const gate = Promise.withResolvers<void>();
    await using upstream = startUpstream({
      respond: async (request) => {
        if (request.startLine.includes("/open")) gate.resolve();
        else await gate.promise;
        return rawResponse("ok");
      },
    });
    await home.done(["init"]);
    const script = home.file(
      "child.sh",
      `cd "$(mktemp -d)"
       for i in $(seq 80); do
         curl -sS -m 100 -o $i.body -w '%{http_code}\\n' http://up.test:${upstream.port}/$i > $i.status &
       done
       tries=0
       until cat *.body 2> /dev/null | grep -q 'no file descriptor left' || [ $tries -gt 600 ]; do
         sleep 0.1; tries=$((tries + 1))
       done
       curl -sS -o /dev/null --noproxy '*' http://127.0.0.1:${upstream.port}/open
       wait
       cat *.status | sort | uniq | tr '\\n' ' '
       curl -sS -o /dev/null -w 'after %{http_code}\\n' http://up.test:${upstream.port}/after
       rm -r "$PWD"`,
    );
    const { status, stdout, stderr } = await home.shell(
      `ulimit -n 80; broker vault run -- sh ${script}`,
      { env: { BROKER_RESOLVE: "up.test=127.0.0.1", BROKER_NETWORK_ALLOW: "127.0.0.0/8" } },
    );
    assert.equal(status, 0, stderr);
    assert.equal(stdout, "200 502 after 200\n", stderr);
    assert.match(stderr, /broker: 81 requests/);
    const logged = (await home.done(["vault", "logs", "--limit", "100", "--json"])).stdout;
    assert.equal(logged.trim().split("\n").length, 81);
    assert.throws(() => Deno.statSync(`${home.directory}/requests.db.damaged`));
  },
});
