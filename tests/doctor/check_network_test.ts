import assert from "node:assert/strict";
import { checkNetwork } from "../../src/doctor/check_network.ts";

function check(environment: Record<string, string>, ...serviceHostnames: string[]) {
  return checkNetwork({ environment, serviceHostnames });
}

Deno.test("a proxy is named without its credentials", () => {
  const [found] = check({ https_proxy: "http://me:canary@proxy.corp.test:3128" });
  assert.equal(found?.state, "ok");
  assert.match(found?.text ?? "", /proxy\.corp\.test:3128 \(https_proxy\)/);
  assert.ok(!JSON.stringify(found).includes("canary"));
  assert.match(check({})[0]?.text ?? "", /dialled directly/);
});

Deno.test("a proxy that cannot be used is a fault, and its value is not told", () => {
  const [found] = check({ HTTPS_PROXY: "socks5://me:canary@proxy.test" });
  assert.equal(found?.state, "fault");
  assert.match(found?.text ?? "", /HTTPS_PROXY/);
  assert.ok(!JSON.stringify(found).includes("canary"));
});

Deno.test("services that NO_PROXY hides are a fault", () => {
  const environment = { NO_PROXY: "localhost,.example.test" };
  const hidden = check(environment, "api.example.test", "api.example.test", "other.test")[1];
  assert.equal(hidden?.state, "fault");
  assert.match(hidden?.text ?? "", /covers api\.example\.test: programs reach it without/);
  assert.equal(check(environment, "other.test").length, 1);
});
