/** A service of the catalog, from the command that adds it to a program that reads its variables. */

import assert from "node:assert/strict";
import { TestHome } from "../cli/test_home.ts";
import { testAuthority, testCertificate } from "../support/tls_fixture.ts";
import { startUpstream } from "../support/upstream.ts";

const SID = "AC0123456789abcdef0123456789abcdef";
const TOKEN = "canary-catalog-token";

Deno.test({
  name: "a program that takes its account from the environment reaches a catalog service with it",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    using home = new TestHome();
    const upstream = startUpstream({ tls: testCertificate("api.twilio.com") });
    try {
      await home.done(["vault", "service", "add", "--from", "twilio"]);
      await home.done(["vault", "credential", "set", "TWILIO_ACCOUNT_SID"], { stdin: SID });
      await home.done(["vault", "credential", "set", "TWILIO_AUTH_TOKEN"], { stdin: TOKEN });
      const base = `https://api.twilio.com:${upstream.port}/2010-04-01/Accounts`;
      const { status, stdout, stderr } = await home.broker(
        [
          ...["vault", "run", "--quiet", "--", "sh", "-c"],
          // What the product's own libraries do: they insist on AC, and put the account into the path.
          `env; case $TWILIO_ACCOUNT_SID in AC*) ;; *) exit 9 ;; esac
           curl -sS --fail -u "$TWILIO_ACCOUNT_SID:$TWILIO_AUTH_TOKEN" \\
             "${base}/$TWILIO_ACCOUNT_SID/Messages.json"`,
        ],
        {
          env: {
            BROKER_UPSTREAM_CA: home.file("ca.pem", testAuthority().certificatePem),
            BROKER_RESOLVE: "api.twilio.com=127.0.0.1",
            BROKER_NETWORK_ALLOW: "127.0.0.0/8",
          },
        },
      );
      assert.equal(status, 0, stderr);
      assert.match(stdout, /^TWILIO_ACCOUNT_SID=AC__twilio_account_sid__$/m);
      const [request] = upstream.requests;
      assert.ok(request, upstream.faults.join());
      assert.match(
        request.startLine,
        new RegExp(`^GET /2010-04-01/Accounts/${SID}/Messages.json `),
      );
      assert.deepEqual(request.values("authorization"), [`Basic ${btoa(`${SID}:${TOKEN}`)}`]);
      assert.ok(!(stdout + stderr).includes(TOKEN) && !(stdout + stderr).includes(SID));
    } finally {
      await upstream.close();
    }
  },
});
