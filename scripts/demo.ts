/**
 * `deno task demo`: the main job on real sockets, in a temporary home. Starts an HTTPS and an HTTP
 * upstream under a certificate authority of its own, stores a credential, sets two services and runs a
 * real program through `broker vault run`. Exits with 1 when anything is not as it should be.
 */

import { Authority } from "../src/tls/authority.ts";
import { type DemoUpstream, startDemoUpstream } from "./demo_upstream.ts";

const CREDENTIAL = "sk_live_this_is_the_stored_credential";
const INVENTED = "Bearer the-child-made-this-up";
const ROOT = new URL("../", import.meta.url).pathname;

const failures: string[] = [];

/** Prints one thing that was checked. */
function check(what: string, holds: boolean): void {
  console.log(`  ${holds ? "ok   " : "WRONG"} ${what}`);
  if (!holds) failures.push(what);
}

function heading(text: string): void {
  console.log(`\n== ${text}`);
}

/** Two blocks of lines beside each other. */
function sideBySide(left: readonly string[], right: readonly string[]): void {
  const width = Math.max(...left.map((line) => line.length)) + 3;
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    console.log(`  ${(left[i] ?? "").padEnd(width)}${right[i] ?? ""}`);
  }
}

/** A word as a shell would need it. */
function quoted(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function broker(
  args: readonly string[],
  options: { env: Record<string, string>; input?: string },
): Promise<Output> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `${ROOT}main.ts`, ...args],
    env: options.env,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = process.stdin.getWriter();
  await writer.write(new TextEncoder().encode(options.input ?? ""));
  await writer.close();
  const { code, stdout, stderr } = await process.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** A program that makes one request: curl where it is installed, else Deno's fetch. */
async function requester(): Promise<(url: string) => string[]> {
  try {
    await new Deno.Command("curl", { args: ["--version"], stdout: "null" }).output();
    return (url) => ["curl", "-sS", "-H", `Authorization: ${INVENTED}`, url];
  } catch {
    const script = `const [url, value] = Deno.args;
      const answer = await fetch(url, { headers: { authorization: value } });
      console.log(await answer.text());`;
    return (url) => [Deno.execPath(), "eval", script, url, INVENTED];
  }
}

async function main(): Promise<void> {
  const home = await Deno.makeTempDir({ prefix: "broker-demo-" });
  const authority = await Authority.loadOrCreate(
    { load: () => undefined, save: (stored) => stored },
    { now: Date.now, user: "demo", host: "upstreams" },
  );
  const secureUnder = async (hostname: string) => {
    const leaf = await authority.issueLeaf(hostname);
    return startDemoUpstream({ tls: { cert: leaf.certificatePem, key: leaf.privateKeyPem } });
  };
  const secure = await secureUnder("api.demo.test");
  const other = await secureUnder("other.demo.test");
  const plain = startDemoUpstream({});
  const caFile = `${home}/upstream-ca.pem`;
  await Deno.writeTextFile(caFile, authority.certificatePem);
  const env = {
    BROKER_HOME: `${home}/broker`,
    BROKER_UPSTREAM_CA: caFile,
    BROKER_RESOLVE: ["api", "plain", "other"].map((name) => `${name}.demo.test=127.0.0.1`).join(),
    BROKER_NETWORK_ALLOW: "127.0.0.0/8",
    NO_COLOR: "1",
  };
  try {
    await show({ secure, plain, other, env, request: await requester() });
  } finally {
    for (const upstream of [secure, plain, other]) upstream.stop();
    await Deno.remove(home, { recursive: true });
  }
}

interface Stage {
  readonly secure: DemoUpstream;
  readonly plain: DemoUpstream;
  readonly other: DemoUpstream;
  readonly env: Record<string, string>;
  readonly request: (url: string) => string[];
}

async function show(stage: Stage): Promise<void> {
  const { secure, plain, env } = stage;
  heading("The owner stores a credential and describes two services");
  const services = `services:
  - name: demo-api
    host: api.demo.test
    auth: { type: bearer, token: DEMO_KEY }
  - name: demo-plain
    host: plain.demo.test:${plain.port}
    auth: { type: api-key, key: DEMO_KEY, header: X-Api-Key }
`;
  console.log(
    "$ broker vault credential set DEMO_KEY\n$ broker vault service set -f services.yaml",
  );
  console.log(services.replaceAll(/^/gm, "    ").trimEnd());
  const stored = await broker(["vault", "credential", "set", "DEMO_KEY"], {
    env,
    input: CREDENTIAL,
  });
  const set = await broker(["vault", "service", "set", "-f", "-", "--yes"], {
    env,
    input: services,
  });
  check("both commands succeeded", stored.code === 0 && set.code === 0);
  if (failures.length > 0) console.log(stored.stderr + set.stderr);

  await showInjection(stage, {
    title: "HTTPS: the child calls the real URL with a header that it made up",
    url: `https://api.demo.test:${secure.port}/v1/charges`,
    upstream: secure,
    expected: `Authorization: Bearer ${CREDENTIAL}`,
  });
  await showInjection(stage, {
    title: "HTTP: the same in absolute-form, with another header",
    url: `http://plain.demo.test:${plain.port}/v1/charges`,
    upstream: plain,
    expected: `X-Api-Key: ${CREDENTIAL}`,
  });
  await showChild(stage);
  await showUnmatched(stage);
  await showDenied(stage);
}

async function showInjection(
  { env, request }: Stage,
  scene: { title: string; url: string; upstream: DemoUpstream; expected: string },
): Promise<void> {
  heading(scene.title);
  const command = request(scene.url);
  console.log(`$ broker vault run -- ${command.map(quoted).join(" ")}\n`);
  const { code, stdout, stderr } = await broker(["vault", "run", "--quiet", "--", ...command], {
    env,
  });
  const received = scene.upstream.takeHeads().at(-1) ?? ["(nothing)"];
  sideBySide(
    [
      "what the child was told to send",
      "-------------------------------",
      scene.url,
      `Authorization: ${INVENTED}`,
    ],
    ["what the upstream received", "--------------------------", ...received],
  );
  console.log();
  check(
    "the child ended with 0 and got the upstream's answer",
    code === 0 && stdout.includes("hello"),
  );
  check("the upstream received the stored credential", received.includes(scene.expected));
  check("the child printed no credential", !(stdout + stderr).includes(CREDENTIAL));
  if (code !== 0) console.log(stderr);
}

async function showChild({ env }: Stage): Promise<void> {
  heading("What the child holds instead of the credential");
  const { stdout } = await broker([
    ...["vault", "run", "--quiet", "--", Deno.execPath(), "eval"],
    "for (const [key, value] of Object.entries(Deno.env.toObject())) console.log(`${key}=${value}`)",
  ], { env });
  const shown = stdout.split("\n").filter((line) =>
    /^(DEMO_KEY|BROKER_VAULT|NO_PROXY)=/.test(line)
  );
  for (const line of shown) console.log(`  ${line}`);
  check("its environment has a placeholder for DEMO_KEY", shown.includes("DEMO_KEY=__demo_key__"));
  check(
    "its environment has the credential nowhere",
    stdout !== "" && !stdout.includes(CREDENTIAL),
  );
}

async function showUnmatched({ env, request, other }: Stage): Promise<void> {
  heading("A host that no service matches passes through untouched");
  const command = request(`https://other.demo.test:${other.port}/`);
  const { code, stderr } = await broker(
    [...["vault", "run", "--quiet", "--"], ...withCa(command, env["BROKER_UPSTREAM_CA"]!)],
    { env },
  );
  const received = other.takeHeads().at(-1) ?? [];
  for (const line of received) console.log(`  ${line}`);
  check(
    "the upstream received the child's own header, over TLS that nobody opened",
    code === 0 && received.includes(`Authorization: ${INVENTED}`),
  );
  if (code !== 0) console.log(stderr);
}

/** The tunnel is not opened, so the child sees the upstream's own certificate and needs its root. */
function withCa(command: string[], caFile: string): string[] {
  const [program, ...args] = command;
  return program === "curl"
    ? ["curl", "--cacert", caFile, ...args]
    : [program!, args[0]!, `--cert=${caFile}`, ...args.slice(1)];
}

async function showDenied({ env, request, other }: Stage): Promise<void> {
  heading("The same host after: broker vault settings set unmatched_host_policy deny");
  await broker(["vault", "settings", "set", "unmatched_host_policy", "deny"], { env });
  const { stdout } = await broker(
    [
      ...["vault", "run", "--quiet", "--"],
      ...request(`https://other.demo.test:${other.port}/`),
    ],
    { env },
  );
  console.log(`  ${stdout.trim()}`);
  let answer: { error?: string; proposal_hint?: { host?: string; endpoint?: string } } = {};
  try {
    answer = JSON.parse(stdout);
  } catch {
    // Judged below: there is no error code then.
  }
  check("the child got a 403 that says what to ask for", answer.error === "forbidden");
  check(
    "its proposal_hint names the host and the endpoint",
    answer.proposal_hint?.host === "other.demo.test" &&
      answer.proposal_hint.endpoint === "POST /v1/proposals",
  );
  check("nothing reached the upstream", other.takeHeads().length === 0);
}

await main();
console.log(
  failures.length === 0
    ? "\nEverything above is so."
    : `\n${failures.length} of the checks above failed.`,
);
Deno.exit(failures.length === 0 ? 0 : 1);
